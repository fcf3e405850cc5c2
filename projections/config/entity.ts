// What every entity's fold needs: the certainty that an event finds the entity that it changes, and that a creation finds none.
// A log in which that does not hold is broken; the fold stops.

import { camelKeys } from '../../src/lib/case.ts';
import type { CamelKeys } from '../../src/lib/case.ts';

type Address = { stream: string; type: string };

export function existing<Entity>(entity: Entity | undefined, event: Address): Entity {
  if (entity === undefined)
    throw new Error(`${event.type} on ${event.stream}, which does not exist`);
  return entity;
}

/** Before a creation: an id given twice must overwrite nothing. */
export function checkAbsent(entity: unknown, event: Address): void {
  if (entity !== undefined) throw new Error(`${event.type} on ${event.stream}, which exists`);
}

/** Epoch milliseconds: what is restored keeps the time at which it was made first. */
export const madeAt = (restored: string | undefined, recordedAt: number): number =>
  restored === undefined ? recordedAt : Date.parse(restored);

/** Data of which a member is no field of the entity, or another type of value. */
type Unfit<Data, Entity> = Data extends unknown
  ? CamelKeys<Data> extends {
      [K in keyof CamelKeys<Data>]: K extends keyof Entity ? Entity[K] : never;
    }
    ? never
    : Data
  : never;

/** The entity with the fields that an event sets. */
export const withSet = <Entity, Data extends object>(
  entity: Entity,
  data: [Unfit<Data, Entity>] extends [never] ? Data : never,
): Entity => ({ ...entity, ...camelKeys(data) });
