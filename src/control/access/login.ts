// Logins by password and by the sign-in link of gw dev (Authentication rules 1 and 2). Every refusal of a password is the same, in words
// and in time.

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

/** The request that asks for a session. */
export type LoginRequest = Readonly<{
  config: Configuration;
  address: string;
  requestId: string;
  method: string;
  path: string;
}>;

/** Only a wrong credential is counted; a check that could not be made is not. */
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

/** Asked for in the place of a password that is not there, so that the time is that of one that is. */
const noRef = '00000000-0000-0000-0000-000000000000';

export async function checkPassword(
  { passwords, vault, db, log }: LoginTools,
  { config, address, requestId }: LoginRequest,
  { name, password }: Readonly<{ name: string; password: string }>,
): Promise<Login | Refusal> {
  // A password that was just set elsewhere opens here at once, and the one before it no more.
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

/** The link stands for the principal's password, as it is now: a new password ends this session too. */
export async function redeemLink(
  { vault }: LoginTools,
  { config, method, path, requestId }: LoginRequest,
  { link, token }: Readonly<{ link: SignInLink; token: string }>,
): Promise<Login | Refusal> {
  // Before the token is used up: a database that is away must not cost it.
  await config.refresh();
  const principal = holderOfName(config.state(), { fingerprint: vault.fingerprint(link.name) });
  if (principal === undefined || principal.passwordRef === null) {
    return refuse('absent', `${link.name}, whom the sign-in link is for, cannot sign in any more`);
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
