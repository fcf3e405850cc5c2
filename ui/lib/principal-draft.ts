// The form of a principal, and what of it is sent: a field that was not touched is not, an empty address clears it.

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

export function principalChange(draft: PrincipalDraft, principal: Principal) {
  const name = draft.name.trim();
  const email = draft.email.trim() === '' ? null : draft.email.trim();
  return {
    ...(name === principal.name ? {} : { name }),
    ...(email === principal.email ? {} : { email }),
  };
}
