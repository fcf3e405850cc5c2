// Lists the fields of an entity under their admin API names. Parts with an id include it in their
// name (`rules.12.tag`). Vault items appear only as ref or fingerprint. It reads any entity, so new
// fields are included.

import { snakeCase } from '../src/lib/case.ts';

/**
 * `secret` is equal for equal secrets and is never shown. `personal` is the ref of a name or an
 * address, which anyone who may read the configuration may read.
 */
export type FieldValue =
  | Readonly<{ value: unknown }>
  | Readonly<{ secret: string }>
  | Readonly<{ personal: string }>;

/** By name, in the order of the entity. Null fields are omitted. */
export type EntityFields = ReadonlyMap<string, FieldValue>;

export function entityFields(entity: object): EntityFields {
  const fields = new Map<string, FieldValue>();
  for (const [key, value] of Object.entries(entity)) addField(fields, { prefix: '', key, value });
  return fields;
}

/** In the API, their members are fields of the record itself. */
const flat: ReadonlySet<string> = new Set(['details', 'endpoint', 'flowControl', 'conditions']);
/** Refs that do not reference a secret. */
const personalRefs: ReadonlySet<string> = new Set(['emailRef', 'reasonRef']);

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

/**
 * The id is part of the entity's or part's address. Counters of parts are internal, and so are
 * versions of prices, which repeat the fields of the log.
 */
const isInternal = (key: string): boolean =>
  key === 'id' || key.startsWith('priceVersions') || /^last[A-Z]/.test(key);

/** Parts by their ids; anything else as one value. */
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

/** A name is text, or the ref of a person's name. Credentials and examples are secrets. */
function vaultedValue({ text, ref, fingerprint }: Vaulted): FieldValue {
  if (typeof text === 'string') return { value: text };
  return text === null ? { personal: String(ref) } : { secret: String(fingerprint) };
}
