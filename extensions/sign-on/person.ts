// Who an ID token says came: by its issuer and `sub`, which alone are stable (OpenID Connect Core 1.0, section 5.7), by the claim that a
// first login is matched by, and by the groups that roles follow from.

import { isTrouble, trouble } from './trouble.ts';
import type { Trouble } from './trouble.ts';

export type PersonOptions = Readonly<{
  /** Names the person at a first login. `email` has to be verified; for another one the operator vouches. */
  matchClaim: string;
  /** May lead into a member by dots, such as `realm_access.roles`. */
  groupsClaim: string;
  /** The role that follows from each group. */
  groupRoles: Readonly<Record<string, string>>;
}>;

export type Person = Readonly<{
  issuer: string;
  subject: string;
  /** Or why nobody can be found by it. */
  name: Readonly<{ text: string }> | Trouble;
  /** Those of its groups that roles follow from; null when the token says nothing of groups, though roles follow from some. */
  groups: readonly string[] | null;
}>;

type Claims = Readonly<{ iss: string; sub: string; [name: string]: unknown }>;

const nameLengthMax = 320;

export function readPerson(claims: Claims, options: PersonOptions): Person | Trouble {
  if (claims.sub.trim() === '') return trouble('unnamed', 'claim sub is empty');
  const groups = readGroups(claims, options);
  if (groups !== null && isTrouble(groups)) return groups;
  return { issuer: claims.iss, subject: claims.sub, name: readName(claims, options), groups };
}

function readName(claims: Claims, { matchClaim }: PersonOptions): Person['name'] {
  const text = claims[matchClaim];
  if (typeof text !== 'string' || text === '' || text.length > nameLengthMax) {
    return trouble('unnamed', `no claim ${matchClaim}`);
  }
  if (matchClaim === 'email' && claims['email_verified'] !== true) {
    return trouble('unverified', 'email_verified is not true');
  }
  return { text };
}

/** An empty list is an answer; a claim that is absent, or no text and no list, is none. */
function readGroups(
  claims: Claims,
  { groupsClaim, groupRoles }: PersonOptions,
): readonly string[] | null | Trouble {
  const mapped = Object.keys(groupRoles);
  if (mapped.length === 0) return [];
  // An issuer that has too many for a token says where else they are (section 5.6.2): to take roles away for that would be wrong.
  const elsewhere = claims['_claim_names'];
  if (
    typeof elsewhere === 'object' &&
    elsewhere !== null &&
    Object.hasOwn(elsewhere, groupsClaim)
  ) {
    return trouble('groups', `claim ${groupsClaim} is distributed`);
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
