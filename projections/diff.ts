// Compares two states by entity and field. Compares secrets and personal data by their refs and
// fingerprints.

import { configNouns } from '../events/nouns.ts';
import type { Noun } from '../events/nouns.ts';
import { differingIds } from './config/id-map.ts';
import { defaultSettings } from './config/settings.ts';
import type { ConfigState } from './config/state.ts';
import { entityFields } from './entity-fields.ts';
import type { EntityFields, FieldValue } from './entity-fields.ts';

/** Null means that the field is not set or the entity does not exist. */
export type FieldDifference = Readonly<{
  field: string;
  before: FieldValue | null;
  after: FieldValue | null;
}>;

export type Difference = Readonly<{
  kind: Noun;
  id: number;
  /**
   * The name after the change, or the last name of a deleted entity. Null if the kind has no names.
   */
  name: FieldValue | null;
  change: 'created' | 'changed' | 'deleted';
  /** All fields of a created or deleted entity. */
  fields: readonly FieldDifference[];
}>;

/** Sorted by kind, then id. */
export const diffStates = (before: ConfigState, after: ConfigState): Difference[] =>
  diffPage(before, after, { offset: 0, limit: Infinity }).differences;

/** `kind` limits the comparison to one kind. */
export type DiffPage = Readonly<{ kind?: Noun | undefined; offset: number; limit: number }>;

/** `total` counts all differences. Those on other pages cost little. */
export function diffPage(
  before: ConfigState,
  after: ConfigState,
  { kind, offset, limit }: DiffPage,
): { total: number; differences: Difference[] } {
  const all = differing(before, after).filter((pair) => kind === undefined || pair.kind === kind);
  const differences = all.slice(offset, offset + limit).map(differenceOf);
  return { total: all.length, differences };
}

/** Undefined in a state that does not have the entity. */
type Pair = Readonly<{
  kind: Noun;
  id: number;
  before: object | undefined;
  after: object | undefined;
}>;

const differing = (one: ConfigState, other: ConfigState): Pair[] =>
  configNouns.flatMap((kind) => {
    const [old, now] = [one[kind].byId, other[kind].byId];
    // Settings always exist, even before the first event about them.
    const standing = kind === 'settings' ? defaultSettings : undefined;
    return differingIds(old, now)
      .map((id) => ({
        kind,
        id,
        before: old.get(id) ?? standing,
        after: now.get(id) ?? standing,
      }))
      .filter(isDifferent);
  });

function isDifferent({ before, after }: Pair): boolean {
  if (before === undefined || after === undefined) return before !== after;
  // Entities may be equal but not shared, as in states that were folded independently.
  if (isSame(before, after)) return false;
  return fieldDifferences(entityFields(before), entityFields(after)).length > 0;
}

function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object') return false;
  if (one === null || other === null) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every((key) => isSame(Reflect.get(one, key), Reflect.get(other, key)));
}

function differenceOf({ kind, id, before, after }: Pair): Difference {
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  const name = (after === undefined ? old : now).get('name') ?? null;
  const change = before === undefined ? 'created' : after === undefined ? 'deleted' : 'changed';
  return { kind, id, name, change, fields: fieldDifferences(old, now) };
}

const fieldsOf = (entity: object | undefined): EntityFields =>
  entity === undefined ? new Map() : entityFields(entity);

/** In the order of the entity after the change; removed fields come last. */
const fieldDifferences = (before: EntityFields, after: EntityFields): FieldDifference[] =>
  [...new Set([...after.keys(), ...before.keys()])].flatMap((field) => {
    const [old = null, now = null] = [before.get(field), after.get(field)];
    const isSame = JSON.stringify(old) === JSON.stringify(now);
    return isSame ? [] : { field, before: old, after: now };
  });
