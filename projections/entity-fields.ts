// An entity field by field, as the admin API calls them: parts that bear an id are named by it (`rules.12.tag`), and what lies in the
// vault is told by its ref or fingerprint alone. It reads any entity, so a field that comes to one is in it from the start.

import { snakeCase } from '../src/lib/case.ts';

/**
 * A field's value. `secret` is equal for equal secrets and is never shown; `personal` is the ref of a name or an address, which whoever
 * may read the configuration may read.
 */
export type FieldValue =
  | Readonly<{ value: unknown }>
  | Readonly<{ secret: string }>
  | Readonly<{ personal: string }>;

/** By the name of the field, in the order that the entity has them. Nothing that is null is in it. */
export type EntityFields = ReadonlyMap<string, FieldValue>;

export function entityFields(entity: object): EntityFields {
  const fields = new Map<string, FieldValue>();
  for (const [key, value] of Object.entries(entity)) addField(fields, { prefix: '', key, value });
  return fields;
}

/** On the wire their members lie flat on the record. */
const flat: ReadonlySet<string> = new Set(['details', 'endpoint', 'flowControl', 'conditions']);
/** Refs that stand for no secret. */
const personalRefs: ReadonlySet<string> = new Set(['emailRef']);

type Field = Readonly<{ prefix: string; key: string; value: unknown }>;

function addField(fields: Map<string, FieldValue>, { prefix, key, value }: Field): void {
  if (value === null || value === undefined || isInternal(key)) return;
  const name = prefix + snakeCase(key);
  if (typeof value === 'string' && key.endsWith('Ref')) {
    const isPersonal = personalRefs.has(key);
    fields.set(name.slice(0, -'_ref'.length), isPersonal ? { personal: value } : { secret: value });
  } else if (Array.isArray(value)) {
    addList(fields, { name, list: value });
  } else if (typeof value === 'object') {
    addObject(fields, { name, inner: flat.has(key) ? prefix : `${name}.`, value });
  } else {
    const isTime = typeof value === 'number' && key.endsWith('At');
    fields.set(name, { value: isTime ? new Date(value).toISOString() : value });
  }
}

/** The id is in the address of the entity or of its part; what counts parts says nothing of it. */
const isInternal = (key: string): boolean => key === 'id' || /^last[A-Z]/.test(key);

/** Parts by their ids, anything else as one value. */
function addList(
  fields: Map<string, FieldValue>,
  { name, list }: Readonly<{ name: string; list: readonly unknown[] }>,
): void {
  const parts = list.filter(isPart);
  if (parts.length < list.length) {
    fields.set(name, { value: list });
    return;
  }
  for (const part of parts)
    addField(fields, { prefix: `${name}.`, key: `${part.id}`, value: part });
}

const isPart = (value: unknown): value is { id: number } =>
  typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'number';

type Nested = Readonly<{ name: string; inner: string; value: object }>;

function addObject(fields: Map<string, FieldValue>, { name, inner, value }: Nested): void {
  const hidden = isVaulted(value);
  if (hidden) fields.set(name, vaultedValue(value));
  for (const [key, member] of Object.entries(value)) {
    if (hidden && vaultedKeys.has(key)) continue;
    addField(fields, { prefix: hidden ? `${name}.` : inner, key, value: member });
  }
}

const vaultedKeys: ReadonlySet<string> = new Set(['text', 'ref', 'fingerprint']);

type Vaulted = Readonly<{ text?: unknown; ref: unknown; fingerprint: unknown }>;

const isVaulted = (value: object): value is Vaulted => 'fingerprint' in value && 'ref' in value;

/** A name holds its text when it is no person's, and its ref when it is; a credential and an example are secrets. */
function vaultedValue({ text, ref, fingerprint }: Vaulted): FieldValue {
  if (typeof text === 'string') return { value: text };
  return text === null ? { personal: String(ref) } : { secret: String(fingerprint) };
}
