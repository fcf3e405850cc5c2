// Reads the form of a new admin token, and writes sample commands for it.

import { wrong } from '../saves/draft.ts';
import type { Read } from '../saves/draft.ts';
import { blankKey, keyBody, quoted } from './key-draft.ts';
import type { KeyDraft, Now } from './key-draft.ts';
import { linesOf } from '../text/lines.ts';
import type { Permission } from './permissions.ts';

/** `permissions` has one line per permission. */
export type TokenDraft = KeyDraft & Readonly<{ permissions: string }>;

export const blankToken: TokenDraft = { ...blankKey, permissions: '' };

const carriable = ['usage:read', 'key:create', 'key:revoke', 'config:write'] as const;
type AdminVerb = (typeof carriable)[number];

export const carriableOf = (held: readonly Permission[]): readonly AdminVerb[] =>
  carriable.filter((verb) => held.some((one) => one.verb === verb));

type TokenBody = Readonly<{
  name: string;
  principal_id: number;
  permissions: AdminVerb[];
  expires_at: string;
}>;

/** `held` are the permissions of the chosen principal; others are dropped from the choice. */
export function tokenBody(
  draft: TokenDraft,
  { held, ...now }: Now & Readonly<{ held: readonly Permission[] }>,
): Read<TokenBody> {
  const chosen = linesOf(draft.permissions);
  const permissions = carriableOf(held).filter((verb) => chosen.includes(verb));
  if (permissions.length === 0) return wrong('permissions', 'Choose at least one permission');
  const { expires_at, ...body } = keyBody(draft, now);
  return { body: { ...body, permissions, expires_at: expires_at ?? '' } };
}

type Use = Readonly<{ origin: string; token: string }>;

/** It returns the permissions of the token. */
export const sessionCurl = ({ origin, token }: Use): string =>
  `curl ${origin}/session \\\n  -H ${quoted(`authorization: Bearer ${token}`)}`;

export const changeEnvironment = ({ origin, token }: Use): string =>
  `export GW_CONTROL_URL=${origin}\nexport GW_ADMIN_TOKEN=${quoted(token)}`;
