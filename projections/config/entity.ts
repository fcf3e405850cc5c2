// What every entity's fold needs: the certainty that an event finds the entity that it changes.

/** A log in which an event changes what is not there is broken; the fold stops. */
export function existing<Entity>(
  entity: Entity | undefined,
  event: { stream: string; type: string },
): Entity {
  if (entity === undefined)
    throw new Error(`${event.type} on ${event.stream}, which does not exist`);
  return entity;
}
