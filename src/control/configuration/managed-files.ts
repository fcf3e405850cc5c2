// Stores which resources declarative files manage. A plan reads only the applies since the previous
// plan.

import type { Queryable } from '@databases/pg';

import { parseStream } from '../../../events/catalogue.ts';
import { appliedConfigurations } from '../../db/applied-configuration.ts';
import type { Applied } from '../../db/applied-configuration.ts';
import type { ManagedRecord } from '../../deciders/reconcile/records.ts';
import { listNames, lists } from './format.ts';

export type ManagedFiles = Readonly<{
  position: number;
  /** Keyed by set, then by stream. */
  managed: ReadonlyMap<string, ManagedRecord>;
  /** By set. */
  lastApplies: ReadonlyMap<string, number>;
}>;

export const noManagedFiles: ManagedFiles = {
  position: 0,
  managed: new Map(),
  lastApplies: new Map(),
};

export type ReadManagedFiles = () => Promise<ManagedFiles>;

export function createManagedFiles(db: Queryable): ReadManagedFiles {
  let known = noManagedFiles;
  return async () => {
    const before = known;
    const next = withApplied(before, await appliedConfigurations(db, before.position));
    if (next.position > known.position) known = next;
    return next;
  };
}

export function withApplied(before: ManagedFiles, applied: readonly Applied[]): ManagedFiles {
  const managed = new Map(before.managed);
  const lastApplies = new Map(before.lastApplies);
  let { position } = before;
  for (const { set, taken, released, position: at } of applied) {
    for (const stream of released) managed.delete(stream);
    for (const { stream, name, fields } of taken) {
      const { noun } = parseStream(stream);
      const list = listNames.find((one) => lists[one].noun === noun) ?? '';
      managed.set(stream, { list, set, name, fields });
    }
    lastApplies.set(set, at);
    position = at;
  }
  return { position, managed, lastApplies };
}
