// What lies between two states: entity by entity, field by field. Secrets and personal data are told by their refs and fingerprints.

import { configNouns } from '../events/catalogue.ts';
import type { Noun } from '../events/catalogue.ts';
import { differingIds } from './config/id-map.ts';
import { defaultSettings } from './config/settings.ts';
import type { ConfigState } from './config/state.ts';
import { entityFields } from './entity-fields.ts';
import type { EntityFields, FieldValue } from './entity-fields.ts';

/** Null stands for a field that is not set, or an entity that is not there. */
export type FieldDifference = Readonly<{
  field: string;
  before: FieldValue | null;
  after: FieldValue | null;
}>;

export type Difference = Readonly<{
  kind: Noun;
  id: number;
  /** As it is called behind the change; of what was deleted, as it was called. Null: the kind has no names. */
  name: FieldValue | null;
  change: 'created' | 'changed' | 'deleted';
  /** All of them, when it was created or deleted. */
  fields: readonly FieldDifference[];
}>;

/** By kind, then id. Empty when both states configure the same, whatever lies between them. */
export const diffStates = (before: ConfigState, after: ConfigState): Difference[] =>
  configNouns.flatMap((kind) => {
    const [old, now] = [before[kind].byId, after[kind].byId];
    // The settings stand from the beginning, whenever the log first speaks of them.
    const standing = kind === 'settings' ? defaultSettings : undefined;
    return differingIds(old, now).flatMap(
      (id) => differenceOf({ kind, id }, old.get(id) ?? standing, now.get(id) ?? standing) ?? [],
    );
  });

/** Null when both say the same. */
function differenceOf(
  address: Pick<Difference, 'kind' | 'id'>,
  before: object | undefined,
  after: object | undefined,
): Difference | null {
  // Of two states that share nothing, most entities are equal all the same.
  if (JSON.stringify(before) === JSON.stringify(after)) return null;
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  const fields = fieldDifferences(old, now);
  if (before !== undefined && after !== undefined && fields.length === 0) return null;
  const name = (after === undefined ? old : now).get('name') ?? null;
  const change = before === undefined ? 'created' : after === undefined ? 'deleted' : 'changed';
  return { ...address, name, change, fields };
}

const fieldsOf = (entity: object | undefined): EntityFields =>
  entity === undefined ? new Map() : entityFields(entity);

/** In the order of the entity behind the change; what is gone comes last. */
const fieldDifferences = (before: EntityFields, after: EntityFields): FieldDifference[] =>
  [...new Set([...after.keys(), ...before.keys()])].flatMap((field) => {
    const [old = null, now = null] = [before.get(field), after.get(field)];
    const isSame = JSON.stringify(old) === JSON.stringify(now);
    return isSame ? [] : { field, before: old, after: now };
  });
