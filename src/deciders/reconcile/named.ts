// Finds the entity that a step describes.

type ById<Entity> = Readonly<{ byId: ReadonlyMap<number, Entity> }>;

export function named<Entity extends { name: string }>(
  { byId }: ById<Entity>,
  name: string | null,
): Entity | undefined {
  for (const entity of byId.values()) if (entity.name === name) return entity;
  return undefined;
}

/** By id if the step gives one, else by name. Undefined if the step creates it. */
export function meant<Entity extends { name: string }>(
  entities: ById<Entity>,
  { id, name }: Readonly<{ id?: number | null | undefined; name: string }>,
): Entity | undefined {
  if (id === null) return undefined;
  return id === undefined ? named(entities, name) : entities.byId.get(id);
}
