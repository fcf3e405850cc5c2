// Admits a person as a principal: the linked one or, at the first sign-in, one that the settings
// find or create. Changes are commands with the issuer and the groups as their reason, so that the
// history explains every permission.

import type { Queryable } from '@databases/pg';

import { roleNamed } from '../../projections/config/find.ts';
import { streamOf } from '../../events/catalogue.ts';
import type { Identity } from '../../events/principal.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import type { CommandEvents } from '../../projections/rows.ts';
import { wasLinked, wasTaken } from '../../src/db/identities.ts';
import type { Database } from '../../src/db/pool.ts';
import type { Secret, Vault } from '../../src/db/vault.ts';
import { decide } from '../../src/deciders/decide.ts';
import { holderOfIdentity } from '../../src/deciders/callers/identity.ts';
import type { FirstLogin, IdentityCommand } from '../../src/deciders/callers/identity.ts';
import { holderOfName } from '../../src/deciders/callers/principal.ts';
import { nameField } from '../../src/lib/fields.ts';
import { isRefusal, refuse } from '../../src/lib/refusal.ts';
import type { Refusal } from '../../src/lib/refusal.ts';
import type { Execute } from '../../src/control/commands/execute.ts';
import type { Login } from '../../src/control/access/sessions.ts';
import type { Person } from './person.ts';
import { isFailure, failure } from './failure.ts';
import type { Failure } from './failure.ts';

export type AdmitOptions = Readonly<{
  firstLogin: 'refuse' | 'link' | 'create';
  groupsClaim: string;
  groupRoles: Readonly<Record<string, string>>;
}>;

export type AdmitDependencies = Readonly<{
  db: Database;
  vault: Vault;
  state: () => ConfigState;
  refresh: () => Promise<void>;
  execute: Execute;
  newId: () => string;
  /** Called for a mapped role that does not exist. */
  onUnknownRole: (role: string, requestId: string) => void;
  /** Called for an ID token without groups although roles are mapped from groups. */
  onNoGroups: (claim: string, requestId: string) => void;
}>;

type Admitting = Readonly<{ person: Person; requestId: string; path: string }>;

const reasonLengthMax = 1_000;

/** The database causes refusals: it is unavailable or busy. */
export async function admit(
  dependencies: AdmitDependencies,
  options: AdmitOptions,
  { person, requestId, path }: Admitting,
): Promise<Login | Failure | Refusal> {
  const { vault, state, refresh, execute, newId, onUnknownRole, onNoGroups } = dependencies;
  await refresh();
  const { issuer, subject } = person;
  const secrets: Secret[] = [];
  const hide = (plaintext: string): string => {
    const ref = newId();
    secrets.push({ ref, class: 'personal', plaintext });
    return ref;
  };
  const fingerprint = vault.fingerprint(JSON.stringify([issuer, subject]));
  const identity = { issuer, ref: hide(subject), fingerprint };
  if (person.groups === null) {
    onNoGroups(options.groupsClaim, requestId);
    // Roles are only removed if the issuer sends the groups. If it omits them, one setting there
    // would remove all roles.
    const hasRoles = (holderOfIdentity(state(), identity)?.identityRoleIds ?? []).length > 0;
    if (hasRoles) return failure('groups', `no claim ${options.groupsClaim}`);
  }
  const first = await firstLogin(dependencies, options, { person, identity, hide });
  if (isFailure(first)) return first;
  const roles = rolesOf(person, options);
  for (const role of roles) {
    if (roleNamed(state(), role) === undefined) onUnknownRole(role, requestId);
  }

  const command = { type: 'AdmitIdentity', identity, first, roles } as const;
  if (changesNothing(state(), command)) return loginOf(state(), identity);
  let isRemoved = false;
  const outcome = await execute(
    { command, secrets },
    {
      actor: { kind: 'system', principal_id: null },
      action: 'GET',
      target: path,
      requestId,
      reason: reasonOf(person, options),
      precondition: async (now, tx, unwritten) => {
        const isHeld = holderOfIdentity(now, identity) !== undefined;
        isRemoved = !isHeld && (await isEnded({ tx, unwritten }, { first, fingerprint }));
        return isRemoved ? refuse('forbidden', 'the identity was unlinked') : null;
      },
    },
  );
  if (!isRefusal(outcome)) return loginOf(outcome.state, identity);
  if (isRemoved) return failure('removed', outcome.message);
  if (outcome.refused === 'forbidden') return failure('unknown', outcome.message);
  return ['conflict', 'absent'].includes(outcome.refused)
    ? failure('taken', outcome.message)
    : outcome;
}

type Log = Readonly<{ tx: Queryable; unwritten: readonly CommandEvents[] }>;
type Admitted = Readonly<{ first: FirstLogin; fingerprint: string }>;

/**
 * Someone deleted the principal or unlinked the identity deliberately. It is neither created again
 * nor linked again by name.
 */
async function isEnded({ tx, unwritten }: Log, { first, fingerprint }: Admitted): Promise<boolean> {
  switch (first.kind) {
    case 'refuse':
      return false;
    case 'create':
      return wasLinked(tx, fingerprint);
    case 'link': {
      const stream = streamOf('principal', first.id);
      const isTakenNow = unwritten
        .flat()
        .some((one) => one.stream === stream && one.type === 'PrincipalIdentityUnlinked');
      return isTakenNow || wasTaken(tx, { stream, fingerprint });
    }
  }
}

/** Most sign-ins change nothing and need no lock on the log. */
function changesNothing(state: ConfigState, command: IdentityCommand): boolean {
  const decision = decide(state, command);
  return !isRefusal(decision) && decision.length === 0;
}

function loginOf(state: ConfigState, identity: Identity): Login {
  const held = holderOfIdentity(state, identity);
  if (held === undefined || held.identity === null) throw new Error('an admitted identity is held');
  return { principalId: held.id, credentialRef: held.identity.ref };
}

const rolesOf = ({ groups }: Person, { groupRoles }: AdmitOptions): readonly string[] => [
  ...new Set((groups ?? []).flatMap((group) => groupRoles[group] ?? [])),
];

/**
 * Lists every mapped group, because missing groups explain removed roles. Groups that grant a role
 * come first.
 */
function reasonOf({ issuer, groups }: Person, { groupRoles, groupsClaim }: AdmitOptions): string {
  const map = Object.entries(groupRoles);
  const isIn = ([group]: (typeof map)[number]): boolean => groups?.includes(group) ?? false;
  const facts =
    groups === null
      ? [`no claim ${groupsClaim}`]
      : [
          ...map.filter(isIn).map(([group, role]) => `in group ${group}: role ${role}`),
          ...map.filter((one) => !isIn(one)).map(([group]) => `not in group ${group}`),
        ];
  return [`single sign-on by ${issuer}`, ...facts].join('; ').slice(0, reasonLengthMax);
}

type First = Readonly<{ person: Person; identity: Identity; hide: (text: string) => string }>;

/**
 * For an identity that is not linked yet. Matches the claim as a login name, or as an e-mail
 * address in any case.
 */
async function firstLogin(
  { vault, db, state }: AdmitDependencies,
  { firstLogin: kind }: AdmitOptions,
  { person: { name }, identity, hide }: First,
): Promise<FirstLogin | Failure> {
  if (kind === 'refuse' || holderOfIdentity(state(), identity) !== undefined) {
    return { kind: 'refuse' };
  }
  if (isFailure(name)) return name;
  const { text } = name;
  const users = [...state().principal.byId.values()].filter((one) => one.kind === 'user');
  const emails = await vault.reveal(
    db,
    users.flatMap(({ emailRef }) => emailRef ?? []),
  );
  const wanted = inSmall(text);
  const addressed = users.filter((one) => inSmall(emails.get(one.emailRef ?? '') ?? '') === wanted);
  const fingerprint = vault.fingerprint(text);
  const named = holderOfName(state(), { fingerprint });
  const found = new Set([...addressed, ...(named === undefined ? [] : [named])]);
  if (found.size > 1) return failure('taken', `${found.size} principals match`);
  const [only] = found;
  if (only !== undefined) return { kind: 'link', id: only.id };
  if (kind === 'link') return { kind: 'refuse' };
  if (!nameField.safeParse(text).success) return failure('unnamed', 'not a valid principal name');
  const stored = { text: null, ref: hide(text), fingerprint };
  return { kind: 'create', name: stored, emailRef: text.includes('@') ? hide(text) : null };
}

/**
 * Lower-cases only ASCII: some other letters have an ASCII lower case, and would make different
 * addresses equal.
 */
const inSmall = (address: string): string =>
  address.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
