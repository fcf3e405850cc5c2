// Stores drained pool members (weight 0) in a separate list of a snapshot. It is absent if empty,
// so that the hash of such configurations is the same as in earlier releases.

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
