// Starts and stops the parts of `gw dev`: a database, a demo provider, role all on loopback, a login and a key.

import { randomBytes, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { z } from 'zod';

import type { Principal } from '../../../projections/config/principal.ts';
import { verbsOf } from '../../../projections/config/grants.ts';
import { createPasswords } from '../../control/access/passwords.ts';
import type { Passwords } from '../../control/access/passwords.ts';
import type { ControlPlane } from '../../control/plane.ts';
import { createSignInLink } from '../../control/access/sign-in-link.ts';
import { holderOfName } from '../../deciders/callers/principal.ts';
import { isRefusal } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { loginToAdmin } from '../control-plane/admin-client.ts';
import { demoModel, startDemoProvider } from './demo-provider.ts';
import type { DemoProvider } from './demo-provider.ts';
import { seedDemo } from './dev-seed.ts';
import type { DevKey } from './dev-seed.ts';
import { devStateFile, makeDataDirectory } from './dev-state.ts';
import type { DevState } from './dev-state.ts';
import { startEmbeddedPostgres } from '../postgres/embedded-postgres.ts';
import { setLogin } from '../control-plane/login-principal.ts';
import { withControlPlane } from '../control-plane/offline-plane.ts';
import type { AllExtras, RunningAll } from '../roles/all.ts';
import type { Settings } from '../settings/settings.ts';

export type DevOptions = Readonly<{
  dataDirectory: string;
  /** Does not use the data directory. */
  ephemeral: boolean;
  log: (message: string) => void;
  /** For role all on loopback. This module adds database and secrets. */
  settings: Settings;
  runAll: (settings: Settings, extras: AllExtras) => Promise<RunningAll>;
}>;

/** The data that a person, or a script with --json, needs to use gw. */
export type DevReady = Readonly<{
  gateway_url: string;
  admin_url: string;
  login: Readonly<{ name: string; password: string }>;
  /** Opens the UI signed in. Valid once, within `signInLinkMinutes`. */
  sign_in_url: string;
  api_key: string;
  model: string;
  database_url: string;
}>;

export type Dev = Readonly<{ ready: DevReady; close: () => Promise<void> }>;

const loginName = 'admin';

export async function startDev(options: DevOptions): Promise<Dev> {
  const { ephemeral, log } = options;
  // Stops the started parts in reverse order, also if a later part fails to start.
  await using started = new AsyncDisposableStack();
  const directory = ephemeral
    ? path.join(os.tmpdir(), `gw-dev-${randomUUID()}`)
    : path.resolve(options.dataDirectory);
  await makeDataDirectory(directory);
  if (ephemeral) started.defer(() => rm(directory, { recursive: true, force: true }));

  const file = devStateFile(directory);
  const state = await file.read();
  await file.write(state);
  const database = await startEmbeddedPostgres({
    directory: path.join(directory, 'postgres'),
    log,
    ephemeral,
  });
  started.defer(database.stop);
  const demo = await startDemo(state.demo_port);
  started.defer(demo.close);
  await ensureLogin({ databaseUrl: database.url, state, log });
  const { token, link } = createSignInLink({ name: loginName, clock: Date.now, randomBytes });
  const settings = {
    ...options.settings,
    databaseUrl: database.url,
    encryptionKey: state.encryption_key,
    proxyToken: state.proxy_token,
    snapshotCache: path.join(directory, 'snapshot.json'),
    sources: { ...options.settings.sources, ...kept },
  };
  const running = await options.runAll(settings, { signInLink: link });
  started.defer(running.close);
  await running.ready;

  const login = { name: loginName, password: state.admin_password };
  const admin = await loginToAdmin(running.adminUrl, login);
  const key = await seedDemo(admin, { apiBase: demo.apiBase, known: state.api_key });
  await file.write({ ...state, demo_port: demo.port, api_key: key });
  await untilServed(running.gatewayUrl, key);
  const parts = started.move();
  return {
    ready: {
      gateway_url: running.gatewayUrl,
      admin_url: running.adminUrl,
      login,
      // In the fragment, which browsers do not send to servers.
      sign_in_url: `${running.adminUrl}/ui/#sign-in=${token}`,
      api_key: key.key,
      model: demoModel,
      database_url: database.url,
    },
    close: () => parts.disposeAsync(),
  };
}

/** Stored in the data directory. */
const kept = {
  databaseUrl: 'file',
  encryptionKey: 'file',
  proxyToken: 'file',
  snapshotCache: 'file',
} as const;

/** Prefers the previous port, with which the provider is registered. */
async function startDemo(port: number): Promise<DemoProvider> {
  try {
    return await startDemoProvider({ port });
  } catch (error) {
    if (port === 0) throw error;
    return startDemoProvider({ port: 0 });
  }
}

type LoginParts = Readonly<{
  databaseUrl: string;
  state: DevState;
  log: (message: string) => void;
}>;

/** Before listening, because creating a login through the API requires a login. */
async function ensureLogin({ databaseUrl, state, log }: LoginParts): Promise<void> {
  const opening = { databaseUrl, encryptionKey: state.encryption_key, warn: log };
  await withControlPlane(opening, async (plane) => {
    const fingerprint = plane.vault.fingerprint(loginName);
    const passwords = createPasswords();
    const found = holderOfName(plane.store.state(), { fingerprint });
    const isGood = await opens({ plane, passwords }, found, state.admin_password);
    if (isGood === true) return;
    if (isRefusal(isGood)) throw new Error(`checking the login ${loginName}: ${isGood.message}`);
    if (found !== undefined)
      log(`the login ${loginName} was changed; it is reset to the printed one`);
    const given = { name: loginName, password: state.admin_password };
    const set = await setLogin({ plane, passwords }, given);
    if (isRefusal(set)) throw new Error(`creating the login ${loginName}: ${set.message}`);
  });
}

type Checking = Readonly<{ plane: ControlPlane; passwords: Passwords }>;

/** True if the principal can log in with the password and set everything up. */
async function opens(
  { plane: { db, store, vault }, passwords }: Checking,
  principal: Principal | undefined,
  password: string,
): Promise<boolean | Refusal> {
  const ref = principal?.passwordRef ?? null;
  if (principal === undefined || ref === null) return false;
  const verbs = verbsOf(store.state(), principal.id);
  if (verbs === null || !setupVerbs.every((verb) => verbs.has(verb))) return false;
  return passwords.verify((await vault.reveal(db, [ref])).get(ref) ?? null, password);
}

const setupVerbs = ['usage:read', 'key:create', 'config:write'] as const;

const servedLimitMs = 10_000;
const servedPauseMs = 20;
const modelList = z.object({ data: z.array(z.object({ id: z.string() })) });

/** The key works once the gateway has the snapshot that contains it. */
async function untilServed(gatewayUrl: string, { key }: DevKey): Promise<void> {
  const deadline = performance.now() + servedLimitMs;
  while (performance.now() < deadline) {
    const response = await fetch(`${gatewayUrl}/v1/models`, {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(servedLimitMs),
    });
    const body: unknown = await response.json();
    const list = modelList.safeParse(body);
    if (list.success && list.data.data.some(({ id }) => id === demoModel)) return;
    await wait(servedPauseMs);
  }
  throw new Error(`the gateway does not list model ${demoModel} after ${servedLimitMs} ms`);
}
