// Finds the principals that may know a credential: those who set it, and those who could have acted
// as the setter with a credential that they had set before. A principal that sets its own
// credential proves nothing, because someone else may act as it. The command line is not a
// principal, so its credentials have no givers. Identities are linked by name or address, so anyone
// who wrote those may have linked their own.

import type { ChangeRequestId, PrincipalId } from '../../lib/ids.ts';

/**
 * `actorId` is null for the command line, and if only the issuer linked the identity. `requestId`
 * is set if a change request set the credential; then its author counts. `at` is epoch
 * milliseconds. If several principals gave one identity, each has an entry, one after the other. A
 * principal can have many admin tokens; `until` is when one expired or was revoked, in epoch
 * milliseconds.
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

/** `refs` selects the credentials of this principal. */
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

/**
 * Covers the password, the identity and the admin tokens that the principal had at `at`, in epoch
 * milliseconds.
 */
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
