// The form of a new admin token, and how to begin with the token.

import { wrong } from '../saves/draft.ts';
import type { Read } from '../saves/draft.ts';
import { blankKey, keyBody, quoted } from './key-draft.ts';
import type { KeyDraft, Told } from './key-draft.ts';
import { linesOf } from '../text/lines.ts';
import type { Permission } from './permissions.ts';

/** `permissions` has a line for each. */
export type TokenDraft = KeyDraft & Readonly<{ permissions: string }>;

export const blankToken: TokenDraft = { ...blankKey, permissions: '' };

/** What a token can carry. */
const carriable = ['usage:read', 'key:create', 'key:revoke', 'config:write'] as const;
type AdminVerb = (typeof carriable)[number];

/** What a token of a principal with these permissions can carry. */
export const carriableOf = (held: readonly Permission[]): readonly AdminVerb[] =>
  carriable.filter((verb) => held.some((one) => one.verb === verb));

type TokenBody = Readonly<{
  name: string;
  principal_id: number;
  permissions: AdminVerb[];
  expires_at: string;
}>;

/** `held` is what the chosen principal has: what was chosen for another principal is left out. */
export function tokenBody(
  draft: TokenDraft,
  { held, ...told }: Told & Readonly<{ held: readonly Permission[] }>,
): Read<TokenBody> {
  const chosen = linesOf(draft.permissions);
  const permissions = carriableOf(held).filter((verb) => chosen.includes(verb));
  if (permissions.length === 0) return wrong('permissions', 'Choose at least one permission');
  const { expires_at, ...body } = keyBody(draft, told);
  return { body: { ...body, permissions, expires_at: expires_at ?? '' } };
}

type Use = Readonly<{ origin: string; token: string }>;

/** A first request, which answers what the token may do. */
export const sessionCurl = ({ origin, token }: Use): string =>
  `curl ${origin}/session \\\n  -H ${quoted(`authorization: Bearer ${token}`)}`;

/** What the `gw change` commands read. */
export const changeEnvironment = ({ origin, token }: Use): string =>
  `export GW_CONTROL_URL=${origin}\nexport GW_ADMIN_TOKEN=${quoted(token)}`;
