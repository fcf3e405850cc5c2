// Who could have come by a password: whoever set it, and whoever could have acted as that one, by a password that they set in turn. Who
// sets their own proves nothing, for it may be another who acts as them; the command line knows nobody, and begins anew.

import type { ChangeRequestId, PrincipalId } from '../lib/ids.ts';

/** `actorId` null: at the command line. `requestId`: it came of a change request, which its author wrote. `at` is epoch milliseconds. */
export type PasswordSet = Readonly<{
  principalId: PrincipalId;
  ref: string;
  actorId: PrincipalId | null;
  requestId: ChangeRequestId | null;
  at: number;
}>;

type Asked = Readonly<{
  /** In log order. */
  sets: readonly PasswordSet[];
  authorOf: (id: ChangeRequestId) => PrincipalId | null;
}>;

/** Of the password of this principal with that ref. */
export function passwordGivers(
  { sets, authorOf }: Asked,
  { principalId, ref }: Pick<PasswordSet, 'principalId' | 'ref'>,
): readonly PrincipalId[] {
  const given = new Map<PrincipalId, readonly PrincipalId[]>();
  const found = new Set<PrincipalId>();
  for (const set of sets) {
    const by = set.requestId === null ? set.actorId : authorOf(set.requestId);
    const held = given.get(set.principalId) ?? [];
    const behind = by === null ? [] : (given.get(by) ?? []);
    const now = by === null ? [] : by === set.principalId ? held : [by, ...behind];
    given.set(set.principalId, now);
    if (set.principalId !== principalId || set.ref !== ref) continue;
    for (const one of now) found.add(one);
  }
  return [...found];
}

/** Of the password that the principal had at a time, epoch milliseconds. */
export function passwordGiversThen(
  { sets, authorOf }: Asked,
  { principalId, at }: Pick<PasswordSet, 'principalId' | 'at'>,
): readonly PrincipalId[] {
  const then = sets.filter((set) => set.at <= at);
  const last = then.findLast((set) => set.principalId === principalId);
  return last === undefined ? [] : passwordGivers({ sets: then, authorOf }, last);
}
