// Signs people in by password and by the sign-in link of gw dev (Authentication rules 1 and 2). All
// refusals of a password have the same text and take the same time.

import { setTimeout as wait } from 'node:timers/promises';

import type { Vault } from '../../db/vault.ts';
import { holderOfName } from '../../deciders/callers/principal.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { Configuration } from '../commands/configuration.ts';
import type { LoginTurns } from './login-turns.ts';
import type { Passwords } from './passwords.ts';
import type { Revealing } from './principal-names.ts';
import type { Login } from './sessions.ts';
import type { SignInLink } from './sign-in-link.ts';

export type LoginTools = Revealing &
  Readonly<{
    vault: Pick<Vault, 'fingerprint' | 'reveal'>;
    passwords: Passwords;
    loginTurns: LoginTurns;
    clock: Clock;
    log: Pick<Log, 'warn'>;
  }>;

export type LoginRequest = Readonly<{
  config: Configuration;
  address: string;
  requestId: string;
  method: string;
  path: string;
}>;

/** Only wrong credentials count as failures, not checks that could not run. */
export async function limitedLogin(
  { loginTurns, clock }: LoginTools,
  attempt: Readonly<{ name: string; address: string }>,
  check: () => Promise<Login | Refusal>,
): Promise<Login | Refusal> {
  const turnMs = await loginTurns.enter(attempt, clock);
  if (isRefusal(turnMs)) return turnMs;
  let failed = false;
  try {
    if (turnMs > 0) await wait(turnMs);
    const checked = await check();
    failed = isRefusal(checked) && checked.refused === 'unauthenticated';
    return checked;
  } finally {
    loginTurns.conclude(attempt, { failed });
  }
}

/** Checked if the principal has no password, so that the response time does not reveal that. */
const noRef = '00000000-0000-0000-0000-000000000000';

export async function checkPassword(
  { passwords, vault, db, log }: LoginTools,
  { config, address, requestId }: LoginRequest,
  { name, password }: Readonly<{ name: string; password: string }>,
): Promise<Login | Refusal> {
  // Another replica may just have changed the password.
  await config.refresh();
  const principal = holderOfName(config.state(), { fingerprint: vault.fingerprint(name) });
  const passwordRef = principal?.passwordRef ?? noRef;
  const stored = (await vault.reveal(db, [passwordRef])).get(passwordRef) ?? null;
  const matches = await passwords.verify(stored, password);
  if (isRefusal(matches)) return matches;
  if (principal !== undefined && matches) {
    return { principalId: principal.id, credentialRef: passwordRef };
  }
  const known = principal?.id ?? null;
  log.warn({ request_id: requestId, address, principal_id: known }, 'a login failed');
  return refuse('unauthenticated', 'invalid credentials');
}

/** The session is bound to the principal's current password: a new password ends it too. */
export async function redeemLink(
  { vault }: LoginTools,
  { config, method, path, requestId }: LoginRequest,
  { link, token }: Readonly<{ link: SignInLink; token: string }>,
): Promise<Login | Refusal> {
  // Before the token is used up, so that an unreachable database does not consume the link.
  await config.refresh();
  const principal = holderOfName(config.state(), { fingerprint: vault.fingerprint(link.name) });
  if (principal === undefined || principal.passwordRef === null) {
    return refuse(
      'absent',
      `the sign-in link of ${link.name} is invalid: the principal or its password was removed`,
    );
  }
  const refused = link.redeem(token);
  if (refused !== null) return refused;
  const { id, passwordRef } = principal;
  const made = await config.execute(
    { command: { type: 'SignInByLink', id } },
    {
      actor: { kind: 'session', principal_id: id },
      action: method,
      target: path,
      requestId,
      reason: null,
    },
  );
  return isRefusal(made) ? made : { principalId: id, credentialRef: passwordRef };
}
