// Reads the form of a principal. Untouched fields are omitted; an empty email clears it.

import { differing, textOrNull } from '../saves/draft.ts';

export type PrincipalDraft = Readonly<{ name: string; kind: string; email: string }>;

type Principal = Readonly<{ name: string; kind: string; email: string | null }>;

export const blankPrincipal: PrincipalDraft = { name: '', kind: 'service_account', email: '' };

export const fromPrincipal = ({ name, kind, email }: Principal): PrincipalDraft => ({
  name,
  kind,
  email: email ?? '',
});

export const principalBody = ({ name, kind, email }: PrincipalDraft) => ({
  name: name.trim(),
  kind: kind === 'user' ? ('user' as const) : ('service_account' as const),
  ...(email.trim() === '' ? {} : { email: email.trim() }),
});

export const principalChange = ({ name, email }: PrincipalDraft, principal: Principal) =>
  differing({ name: name.trim(), email: textOrNull(email) }, principal);
