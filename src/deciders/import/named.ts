// Finds an entity by its name: an import refers to everything by that.

export function named<Entity extends { name: string }>(
  { byId }: { byId: ReadonlyMap<number, Entity> },
  name: string | null,
): Entity | undefined {
  for (const entity of byId.values()) if (entity.name === name) return entity;
  return undefined;
}
