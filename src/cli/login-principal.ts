// Decides what `set-password` changes: the principal is made if absent, gets the password, and role `admin` unless it may
// already write the configuration (specification, "Commands of the binary"; Authentication rule 4).

import { randomUUID } from 'node:crypto';

import type { ConfigState } from '../../projections/config/state.ts';
import type { Execute, Mutation, Outcome } from '../control/execute.ts';
import { createPasswords } from '../control/passwords.ts';
import type { Passwords } from '../control/passwords.ts';
import type { ControlPlane } from '../control/plane.ts';
import { holderOfName } from '../deciders/principal.ts';
import type { PrincipalId } from '../lib/ids.ts';
import { isRefusal, refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import { withControlPlane } from './offline-plane.ts';
import type { Opening } from './offline-plane.ts';

/** As `set-password` does it: opens the control plane for this alone. */
export const setLoginIn = (opening: Opening, given: LoginGiven): Promise<LoginSet | Refusal> =>
  withControlPlane(opening, (plane) => setLogin({ plane, passwords: createPasswords() }, given));

type Dependencies = Readonly<{
  plane: Pick<ControlPlane, 'execute' | 'store' | 'vault'>;
  passwords: Pick<Passwords, 'hash'>;
}>;

export type LoginGiven = Readonly<{ name: string; password: string }>;
export type LoginSet = Readonly<{ id: PrincipalId; created: boolean; madeAdmin: boolean }>;

export async function setLogin(
  { plane, passwords }: Dependencies,
  { name, password }: LoginGiven,
): Promise<LoginSet | Refusal> {
  if (name.trim() === '') return refuse('invalid', 'name must not be empty', { param: 'name' });
  const hash = await passwords.hash(password);
  if (isRefusal(hash)) return hash;

  const fingerprint = plane.vault.fingerprint(name);
  const before = holderOfName(plane.store.state(), { fingerprint });
  if (before === undefined) {
    const made = await run(plane.execute, newUser(name, fingerprint));
    if (isRefusal(made)) return made;
  }
  const principal = before ?? holderOfName(plane.store.state(), { fingerprint });
  if (principal === undefined) return refuse('absent', 'the principal was deleted meanwhile');
  const { id } = principal;

  const passwordRef = randomUUID();
  const set = await run(plane.execute, {
    command: { type: 'SetPassword', id, passwordRef },
    secrets: [{ ref: passwordRef, class: 'password', plaintext: hash }],
  });
  if (isRefusal(set)) return set;

  const madeAdmin = !mayWriteConfig(set.state, id);
  if (madeAdmin) {
    const granted = await run(plane.execute, { command: { type: 'GrantRole', id, role: 'admin' } });
    if (isRefusal(granted)) return granted;
  }
  return { id, created: before === undefined, madeAdmin };
}

function newUser(name: string, fingerprint: string): Mutation {
  const ref = randomUUID();
  return {
    command: {
      type: 'CreatePrincipal',
      name: { text: null, ref, fingerprint },
      kind: 'user',
      emailRef: null,
    },
    secrets: [{ ref, class: 'personal', plaintext: name }],
  };
}

const run = (execute: Execute, mutation: Mutation): Promise<Outcome | Refusal> =>
  execute(mutation, {
    actor: { kind: 'cli', principal_id: null },
    action: 'CLI set-password',
    target: 'principals',
    requestId: randomUUID(),
    reason: null,
  });

const mayWriteConfig = (state: ConfigState, id: PrincipalId): boolean =>
  (state.principal.byId.get(id)?.roleIds ?? []).some((roleId) =>
    state.role.byId.get(roleId)?.permissions.some(({ verb }) => verb === 'config:write'),
  );
