// Checks that an event finds the entity that it changes, and that a creation finds none. Otherwise
// the log is corrupt, and the fold stops.

import { camelKeys } from '../../src/lib/case.ts';
import type { CamelKeys } from '../../src/lib/case.ts';

type Address = { stream: string; type: string };

export function existing<Entity>(entity: Entity | undefined, event: Address): Entity {
  if (entity === undefined)
    throw new Error(`${event.type} on ${event.stream}, which does not exist`);
  return entity;
}

/** A repeated id must not overwrite an entity. */
export function checkAbsent(entity: unknown, event: Address): void {
  if (entity !== undefined)
    throw new Error(`${event.type} creates ${event.stream}, which exists already`);
}

/** Epoch milliseconds. A restored entity keeps the time of its first creation. */
export const madeAt = (restored: string | undefined, recordedAt: number): number =>
  restored === undefined ? recordedAt : Date.parse(restored);

/** Detects data with a member that is not a field of the entity or has another type. */
type Unfit<Data, Entity> = Data extends unknown
  ? CamelKeys<Data> extends {
      [K in keyof CamelKeys<Data>]: K extends keyof Entity ? Entity[K] : never;
    }
    ? never
    : Data
  : never;

export const withSet = <Entity, Data extends object>(
  entity: Entity,
  data: [Unfit<Data, Entity>] extends [never] ? Data : never,
): Entity => ({ ...entity, ...camelKeys(data) });
