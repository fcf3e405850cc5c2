// How the members of a pool stand in a snapshot: those of weight 0, which are drained, in a list of their own. Without any, that list is
// absent, so that the hash of such a configuration is the one that it always had.

type Member<Id> = Readonly<{ model_id: Id; weight: number }>;

type PoolMembers<Id> = Readonly<{
  members: readonly Member<Id>[];
  drained?: readonly Id[];
}>;

export function poolMembers<Id>(all: readonly Member<Id>[]): PoolMembers<Id> {
  const members = all.filter(({ weight }) => weight > 0);
  if (members.length === all.length) return { members };
  const drained = all.flatMap(({ model_id, weight }) => (weight === 0 ? [model_id] : []));
  return { members, drained };
}
