// Lists the settings of single sign-on by an OpenID provider, and combines them.

import { z } from 'zod';

import type { SignOnOptions } from './sign-on.ts';
import {
  choice,
  define,
  httpUrl,
  longFlag,
  onOrOff,
  text,
  valuesIn,
} from '../../src/cli/settings/setting.ts';
import type { GivenSettings, SettingsPart } from '../../src/cli/settings/setting.ts';
import { refuse } from '../../src/lib/refusal.ts';
import type { Refusal } from '../../src/lib/refusal.ts';

const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Kept exactly: a trailing slash is part of the issuer (OpenID Connect Discovery 1.0, section 4.3). */
const issuer = z.string().refine(isIssuer, {
  error: 'must be an https:// address without query, or an http:// one of this machine',
});

function isIssuer(value: string): boolean {
  if (!isBare(value)) return false;
  const { protocol, hostname } = new URL(value);
  return protocol === 'https:' || (protocol === 'http:' && loopback.test(hostname));
}

/** A path can be appended to it. */
function isBare(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { search, hash, username, password } = new URL(value);
  return search + hash + username + password === '';
}

const publicUrl = httpUrl.refine(isBare, { error: 'must be an address without query or user' });

const groupRoles = z.record(z.string().min(1), z.string().min(1));

/** Keeps the text, because it is shown among the settings. */
const groupRolesText = z.string().refine((value) => readGroupRoles(value) !== null, {
  error: 'must be JSON of the form {"group":"role"}',
});

function readGroupRoles(value: string): Readonly<Record<string, string>> | null {
  try {
    return groupRoles.safeParse(JSON.parse(value)).data ?? null;
  } catch {
    return null;
  }
}

const table = {
  oidcIssuer: define({
    flag: '--oidc-issuer',
    variable: 'GW_OIDC_ISSUER',
    schema: issuer,
    fallback: null,
    description:
      'OpenID provider for sign-in to the control plane; without it, only passwords are accepted',
  }),
  oidcClientId: define({
    flag: '--oidc-client-id',
    variable: 'GW_OIDC_CLIENT_ID',
    schema: text,
    fallback: null,
    description: 'client id of this control plane at the provider',
  }),
  oidcClientSecret: define({
    flag: null,
    variable: 'GW_OIDC_CLIENT_SECRET',
    schema: text,
    fallback: null,
    secret: true,
    description: 'secret of that client; absent for a public client',
  }),
  oidcPublicUrl: define({
    flag: '--oidc-public-url',
    variable: 'GW_OIDC_PUBLIC_URL',
    schema: publicUrl,
    fallback: null,
    description:
      'address at which browsers reach the admin listener, such as https://ops.example/gw; default the Host header',
  }),
  oidcScopes: define({
    flag: '--oidc-scopes',
    variable: 'GW_OIDC_SCOPES',
    schema: z.string().regex(/^(?:\S+ )*openid(?: \S+)*$/, {
      error: 'must be words separated by spaces, including openid',
    }),
    fallback: 'openid email profile',
    description: 'requested scopes',
  }),
  oidcLabel: define({
    flag: '--oidc-label',
    variable: 'GW_OIDC_LABEL',
    schema: text.max(60, { error: 'must have at most 60 characters' }),
    fallback: 'single sign-on',
    description: 'name of the provider on the login screen: Sign in with …',
  }),
  oidcFirstLogin: define({
    flag: '--oidc-first-login',
    variable: 'GW_OIDC_FIRST_LOGIN',
    schema: choice(['refuse', 'link', 'create']),
    fallback: 'refuse',
    description:
      'how unknown people sign in: link uses the principal with that name or e-mail address, create also creates one',
  }),
  oidcMatchClaim: define({
    flag: '--oidc-match-claim',
    variable: 'GW_OIDC_MATCH_CLAIM',
    schema: text,
    fallback: 'email',
    description: 'claim that names the person at the first login; email must be verified',
  }),
  oidcGroupsClaim: define({
    flag: '--oidc-groups-claim',
    variable: 'GW_OIDC_GROUPS_CLAIM',
    schema: text,
    fallback: 'groups',
    description: 'claim of the ID token that lists the groups of the person',
  }),
  oidcGroupRoles: define({
    flag: '--oidc-group-roles',
    variable: 'GW_OIDC_GROUP_ROLES',
    schema: groupRolesText,
    fallback: '{}',
    description: 'role for each group, as JSON {"group":"role"}; other roles stay unchanged',
  }),
  oidcHidePassword: define({
    flag: '--oidc-hide-password',
    variable: 'GW_OIDC_HIDE_PASSWORD',
    schema: onOrOff,
    fallback: false,
    description: 'replace the password form of the login screen by a link',
  }),
} as const;

/** Null without an issuer. */
export function signOnOptions(given: Readonly<Record<string, unknown>>): SignOnOptions | null {
  const settings = valuesIn(table, given);
  const { oidcIssuer, oidcClientId } = settings;
  if (oidcIssuer === null || oidcClientId === null) return null;
  return {
    issuer: oidcIssuer,
    clientId: oidcClientId,
    clientSecret: settings.oidcClientSecret,
    publicUrl: settings.oidcPublicUrl,
    scopes: settings.oidcScopes,
    label: settings.oidcLabel,
    firstLogin: settings.oidcFirstLogin,
    matchClaim: settings.oidcMatchClaim,
    groupsClaim: settings.oidcGroupsClaim,
    groupRoles: readGroupRoles(settings.oidcGroupRoles) ?? {},
    hidesPassword: settings.oidcHidePassword,
  };
}

export const signOnSettings = {
  table,
  refusals: signOnRefusals,
  warnings: ({ role, oidcIssuer = null }) =>
    oidcIssuer !== null && role === 'proxy'
      ? ['--oidc-issuer has no effect in role proxy; set it on the control plane']
      : [],
} satisfies SettingsPart;

/** A setting of single sign-on has no meaning without its issuer and client. */
function signOnRefusals(settings: GivenSettings): readonly Refusal[] {
  const { role, sources } = settings;
  const { oidcIssuer, oidcClientId } = valuesIn(table, settings);
  if (role === 'proxy') return [];
  if (oidcIssuer !== null) {
    const message = '--oidc-issuer needs --oidc-client-id (GW_OIDC_CLIENT_ID)';
    return oidcClientId === null ? [refuse('invalid', message, { param: 'oidcClientId' })] : [];
  }
  return Object.entries(table)
    .filter(([name]) => sources[name] !== 'default')
    .map(([param, setting]) =>
      refuse('invalid', `${longFlag(setting)} needs --oidc-issuer`, { param }),
    );
}
