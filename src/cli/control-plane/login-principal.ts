// Runs `gw set-password`: creates the principal if it is absent, sets the password, and grants role `admin` unless the principal can
// already write the configuration (specification, "Commands of the binary"; Authentication rule 4).

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';

import type { RecordedEvent } from '../../../events/catalogue.ts';
import { readInput } from '../../admin/http/input.ts';
import { createPasswords } from '../../control/access/passwords.ts';
import type { Passwords } from '../../control/access/passwords.ts';
import type { ControlPlane } from '../../control/plane.ts';
import { holderOfName } from '../../deciders/callers/principal.ts';
import { nameField } from '../../lib/fields.ts';
import type { PrincipalId } from '../../lib/ids.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { withControlPlane } from './offline-plane.ts';
import type { Opening } from './offline-plane.ts';

export const setLoginIn = (opening: Opening, given: LoginGiven): Promise<LoginSet | Refusal> =>
  withControlPlane(opening, (plane) => setLogin({ plane, passwords: createPasswords() }, given));

type Dependencies = Readonly<{
  plane: Pick<ControlPlane, 'execute' | 'store' | 'vault'>;
  passwords: Pick<Passwords, 'hash'>;
}>;

/** `breakGlass` is the reason for skipping a required approval. */
export type LoginGiven = Readonly<{
  name: string;
  password: string;
  /** Changes nothing if the login has a password. */
  ifAbsent?: boolean;
  breakGlass?: string | undefined;
}>;
export type LoginSet = Readonly<{
  id: PrincipalId;
  /** False if the login had a password, which `ifAbsent` keeps. */
  passwordSet: boolean;
  created: boolean;
  /** The name of the granted role, or null. */
  roleGranted: string | null;
  /** True if role admin was repaired, because no role could write the configuration. */
  adminMended: boolean;
}>;

export async function setLogin(
  { plane, passwords }: Dependencies,
  { name, password, breakGlass, ifAbsent = false }: LoginGiven,
): Promise<LoginSet | Refusal> {
  const named = readInput(nameField, name);
  if (isRefusal(named)) return refuse('invalid', named.message.replace(/^body/, '--name'));
  const fingerprint = plane.vault.fingerprint(name);
  const holder = holderOfName(plane.store.state(), { fingerprint });
  if (ifAbsent && holder !== undefined && holder.passwordRef !== null) {
    return {
      id: holder.id,
      passwordSet: false,
      created: false,
      roleGranted: null,
      adminMended: false,
    };
  }
  const hash = await passwords.hash(password);
  if (isRefusal(hash)) return hash;

  const nameRef = randomUUID();
  const passwordRef = randomUUID();
  const stored = { text: null, ref: nameRef, fingerprint };
  const outcome = await plane.execute(
    {
      command: { type: 'SetLogin', name: stored, passwordRef },
      secrets: [
        { ref: nameRef, class: 'personal', plaintext: name },
        { ref: passwordRef, class: 'password', plaintext: hash },
      ],
    },
    {
      actor: { kind: 'cli', principal_id: null },
      action: 'CLI',
      target: 'set-password',
      requestId: randomUUID(),
      reason: null,
      breakGlass: breakGlass ?? null,
    },
  );
  if (isRefusal(outcome)) return outcome;
  const { events, state } = outcome;
  const happened = (type: RecordedEvent['type']): boolean =>
    events.some((event) => event.type === type);
  const [granted] = events.flatMap((event) =>
    event.type === 'PrincipalRoleGranted' ? [event.data.role_id] : [],
  );
  const principal = holderOfName(state, stored);
  assert.ok(principal !== undefined, 'a login that was set is there');
  return {
    id: principal.id,
    passwordSet: true,
    created: happened('PrincipalCreated'),
    roleGranted: granted === undefined ? null : (state.role.byId.get(granted)?.name ?? null),
    adminMended: happened('RolePermissionGranted'),
  };
}
