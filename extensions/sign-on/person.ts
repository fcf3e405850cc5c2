// Reads the person from an ID token: `iss` and `sub`, which alone are stable (OpenID Connect Core
// 1.0, section 5.7), the claim that matches a first sign-in, and the groups that map to roles.

import { isFailure, failure } from './failure.ts';
import type { Failure } from './failure.ts';

export type PersonOptions = Readonly<{
  /**
   * Names the person at the first sign-in. `email` must be verified. The operator vouches for other
   * claims.
   */
  matchClaim: string;
  /** Dots lead into nested members, such as `realm_access.roles`. */
  groupsClaim: string;
  /** The role for each group. */
  groupRoles: Readonly<Record<string, string>>;
}>;

export type Person = Readonly<{
  issuer: string;
  subject: string;
  /** Either the name or why there is none. */
  name: Readonly<{ text: string }> | Failure;
  /** Only mapped groups. Null if roles are mapped but the token has no groups claim. */
  groups: readonly string[] | null;
}>;

type Claims = Readonly<{ iss: string; sub: string; [name: string]: unknown }>;

const nameLengthMax = 320;

export function readPerson(claims: Claims, options: PersonOptions): Person | Failure {
  if (claims.sub.trim() === '') return failure('unnamed', 'claim sub is empty');
  const groups = readGroups(claims, options);
  if (groups !== null && isFailure(groups)) return groups;
  return { issuer: claims.iss, subject: claims.sub, name: readName(claims, options), groups };
}

function readName(claims: Claims, { matchClaim }: PersonOptions): Person['name'] {
  const text = claims[matchClaim];
  if (typeof text !== 'string' || text === '' || text.length > nameLengthMax) {
    return failure('unnamed', `no claim ${matchClaim}`);
  }
  if (matchClaim === 'email' && claims['email_verified'] !== true) {
    return failure('unverified', 'email_verified is not true');
  }
  return { text };
}

/** An empty list is valid. An absent claim, or one of another type, is null. */
function readGroups(
  claims: Claims,
  { groupsClaim, groupRoles }: PersonOptions,
): readonly string[] | null | Failure {
  const mapped = Object.keys(groupRoles);
  if (mapped.length === 0) return [];
  // If there are too many groups for a token, the issuer refers to another location (section
  // 5.6.2). Roles must not be removed then.
  const elsewhere = claims['_claim_names'];
  if (
    typeof elsewhere === 'object' &&
    elsewhere !== null &&
    Object.hasOwn(elsewhere, groupsClaim)
  ) {
    return failure('groups', `claim ${groupsClaim} is a distributed claim, which gw does not read`);
  }
  const said = memberAt(claims, groupsClaim);
  if (typeof said !== 'string' && !Array.isArray(said)) return null;
  const found = new Set<unknown>([said].flat());
  return mapped.filter((group) => found.has(group));
}

function memberAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name))
      return undefined;
    value = Reflect.get(value, name);
  }
  return value;
}
