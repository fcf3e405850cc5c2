// Who could have come by a credential: whoever gave it, and whoever could have acted as that one, by a credential that they gave in turn.
// Who sets their own proves nothing, for it may be another who acts as them; the command line knows nobody, and begins anew. An identity
// is linked by a name or an address: whoever wrote those may have written their own.

import type { ChangeRequestId, PrincipalId } from '../../lib/ids.ts';

/**
 * `actorId` null: at the command line, or by the issuer of an identity alone. `requestId`: it came of a change request, which its author
 * wrote. `at` is epoch milliseconds. Of one identity that several gave there are as many, one behind the other. A principal can have many
 * admin tokens at once; `until` is when one expires or was revoked, in epoch milliseconds.
 */
export type CredentialGiven = Readonly<{
  principalId: PrincipalId;
  kind: 'password' | 'identity' | 'token';
  ref: string;
  actorId: PrincipalId | null;
  requestId: ChangeRequestId | null;
  at: number;
  until?: number | undefined;
}>;

type Asked = Readonly<{
  /** In log order. */
  given: readonly CredentialGiven[];
  authorOf: (id: ChangeRequestId) => PrincipalId | null;
}>;

type Held = Readonly<{ ref: string; by: readonly PrincipalId[] }>;

/** Of those credentials of this principal that have one of the refs. */
export function credentialGivers(
  { given, authorOf }: Asked,
  { principalId, refs }: Readonly<{ principalId: PrincipalId; refs: readonly string[] }>,
): readonly PrincipalId[] {
  const held = new Map<string, Held>();
  const found = new Set<PrincipalId>();
  const tokens: (Readonly<{ owner: PrincipalId; until: number }> & Pick<Held, 'by'>)[] = [];
  const behind = (id: PrincipalId, at: number): readonly PrincipalId[] => [
    ...(['password', 'identity'] as const).flatMap((kind) => held.get(`${kind} ${id}`)?.by ?? []),
    ...tokens.flatMap(({ owner, until, by }) => (owner === id && until > at ? by : [])),
  ];
  for (const { principalId: owner, kind, ref, actorId, requestId, at, until } of given) {
    const actor = requestId === null ? actorId : authorOf(requestId);
    const key = `${kind} ${kind === 'token' ? ref : owner}`;
    const before = held.get(key);
    const more = actor === null ? [] : [...(actor === owner ? [] : [actor]), ...behind(actor, at)];
    const isOneMore = kind === 'identity' && before?.ref === ref;
    const by = isOneMore ? [...new Set([...before.by, ...more])] : more;
    held.set(key, { ref, by });
    if (kind === 'token') tokens.push({ owner, until: until ?? Infinity, by });
    if (owner !== principalId || !refs.includes(ref)) continue;
    for (const one of by) found.add(one);
  }
  return [...found];
}

/** Of the password, the identity and the admin tokens that the principal had at a time, epoch milliseconds. */
export function credentialGiversThen(
  { given, authorOf }: Asked,
  { principalId, at }: Pick<CredentialGiven, 'principalId' | 'at'>,
): readonly PrincipalId[] {
  const then = given.filter((one) => one.at <= at);
  const own = then.filter((one) => one.principalId === principalId);
  const refs = (['password', 'identity'] as const).flatMap(
    (kind) => own.findLast((one) => one.kind === kind)?.ref ?? [],
  );
  const tokens = own.filter(({ kind, until }) => kind === 'token' && (until ?? Infinity) > at);
  return credentialGivers(
    { given: then, authorOf },
    { principalId, refs: [...refs, ...tokens.map(({ ref }) => ref)] },
  );
}
