// Starts an admin listener with its own database and sends it requests like those of a browser, a
// script or a proxy. Each 200 response is checked against its route's schema.

import assert from 'node:assert/strict';
import path from 'node:path';
import type { TestContext } from 'node:test';

import { openAdmin } from '../../../src/admin/open.ts';
import type { Admin, AdminOptions } from '../../../src/admin/open.ts';
import type { Program } from '../../../src/admin/operations/program.ts';
import { adminRoutes } from '../../../src/admin/routes.ts';
import { errorBody } from '../../../src/admin/http/status.ts';
import { createEgress } from '../../../src/egress/egress.ts';
import type { EgressLists, Resolve } from '../../../src/egress/egress.ts';
import type { Passwords } from '../../../src/control/access/passwords.ts';
import { noNotifier } from '../../../src/control/webhooks/notify.ts';
import type { Notifier } from '../../../src/control/webhooks/notify.ts';
import { openControlPlane } from '../../../src/control/plane.ts';
import type { ControlPlane } from '../../../src/control/plane.ts';
import { testKey } from '../control/plane.ts';
import { builtInEncoders } from '../classifier/prompt-classes.ts';
import { testDatabase } from '../postgres/postgres.ts';
import type { TestDatabase } from '../postgres/postgres.ts';

export const proxyToken = 'proxy-token-of-the-tests';
export const adminPassword = 'a test password';

export type TestRequest = Readonly<{
  method?: string;
  path: string;
  cookie?: string;
  /** Sent as the bearer token. */
  token?: string;
  /** Sent as JSON. */
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
}>;

export type TestAnswer = Readonly<{
  status: number;
  headers: Headers;
  /** The parsed JSON body; null if the response has none. */
  body: unknown;
}>;

export type TestAdmin = Readonly<{
  url: string;
  databaseUrl: string;
  plane: ControlPlane;
  admin: Admin;
  warnings: readonly string[];
  ask: (request: TestRequest) => Promise<TestAnswer>;
  /** Returns the session cookie of a principal with these roles. */
  login: (name: string, roles: readonly string[]) => Promise<string>;
}>;

const testProgram: Program = {
  role: 'control',
  version: 'test',
  settings: [],
  uptimeSeconds: () => 1,
  isLeaving: () => false,
  backends: () => [],
};

type Options = Readonly<
  Partial<
    Pick<
      AdminOptions,
      | 'moreRoutes'
      | 'tls'
      | 'clock'
      | 'program'
      | 'pricePlaces'
      | 'strictKeyMint'
      | 'settings'
      | 'signInLink'
      | 'dynamicProvidersMax'
      | 'needsPermissionToRegister'
      | 'ui'
      | 'help'
      | 'connectionsPerAddress'
      | 'managed'
    >
  > & {
    egress?: EgressLists;
    /** Replaces the system resolver. */
    resolve?: Resolve;
    notifier?: Notifier;
    /** Uses this database instead of a new one. */
    database?: TestDatabase;
    databaseReadUrl?: string;
  }
>;

const fixture = (name: string): string =>
  path.join(import.meta.dirname, '../../fixtures/prices', `${name}.json`);
const testPricePlaces = { aggregator: fixture('aggregator'), catalogue: fixture('catalogue') };

export async function testAdmin(
  test: Pick<TestContext, 'after'>,
  options: Options = {},
): Promise<TestAdmin> {
  const database = options.database ?? (await testDatabase());
  const clock = options.clock ?? Date.now;
  const egress = createEgress(
    options.egress ?? { allow: [], deny: [] },
    options.resolve === undefined ? {} : { resolve: options.resolve },
  );
  const warnings: string[] = [];
  const plane = await openControlPlane({
    databaseUrl: database.url,
    databaseReadUrl: options.databaseReadUrl ?? null,
    encryptionKey: testKey,
    connectionsMax: 4,
    appVersion: 'test',
    clock,
    egress,
    encoders: await builtInEncoders(),
    onFailure: (what, error) => void warnings.push(`${what}: ${String(error)}`),
  });
  const admin = openAdmin({
    plane,
    proxyTokens: [proxyToken, ''],
    tls: options.tls ?? null,
    egress,
    notifier: options.notifier ?? noNotifier,
    pricePlaces: options.pricePlaces ?? testPricePlaces,
    clock,
    log: {
      warn: (_fields, message) => void warnings.push(message),
      error: (fields, message) => void warnings.push(`${message}: ${String(fields['error'])}`),
    },
    program: options.program ?? testProgram,
    strictKeyMint: options.strictKeyMint ?? false,
    settings: options.settings ?? {},
    signInLink: options.signInLink ?? null,
    dynamicProvidersMax: options.dynamicProvidersMax ?? 256,
    needsPermissionToRegister: options.needsPermissionToRegister ?? false,
    ui: options.ui ?? null,
    help: options.help ?? null,
    ...(options.connectionsPerAddress === undefined
      ? {}
      : { connectionsPerAddress: options.connectionsPerAddress }),
    managed: options.managed ?? null,
    ...(options.moreRoutes === undefined ? {} : { moreRoutes: options.moreRoutes }),
  });
  const url = await admin.listen({ host: '127.0.0.1', port: 0 });
  test.after(async () => {
    await admin.close(1_000);
    await plane.close();
    await egress.dispatcher.destroy();
    await database.drop();
  });
  const ask = (request: TestRequest): Promise<TestAnswer> => askAt(url, request);
  return {
    url,
    databaseUrl: database.url,
    plane,
    admin,
    warnings,
    ask,
    login: (name, roles) => loginAs({ plane, admin }, { name, roles }),
  };
}

/** Starts the same listener with an administrator signed in. */
export async function testAdministrator(test: Pick<TestContext, 'after'>, options: Options = {}) {
  const started = await testAdmin(test, options);
  const cookie = await started.login('boss', ['admin']);
  const send = (method: string, path: string, body?: unknown): Promise<TestAnswer> =>
    started.ask({ method, path, cookie, body });
  return { ...started, cookie, send };
}

async function askAt(url: string, request: TestRequest): Promise<TestAnswer> {
  const method = request.method ?? 'GET';
  const headers: Record<string, string> = { ...request.headers };
  if (request.cookie !== undefined) headers['cookie'] = `gw_session=${request.cookie}`;
  if (request.token !== undefined) headers['authorization'] = `Bearer ${request.token}`;
  if (request.body !== undefined) headers['content-type'] ??= 'application/json';
  const response = await fetch(url + request.path, {
    method,
    headers,
    redirect: 'manual',
    ...(request.body === undefined ? {} : { body: bodyText(request.body) }),
  });
  const text = await wholeText(response);
  const body = parsed(text, response.headers.get('content-type'));
  assert.ok(response.headers.get('x-request-id'), 'every answer has a request id');
  if (response.status === 200 && body !== null) checkShape(method, request.path, body);
  if (response.status >= 400 && method !== 'HEAD') errorBody.parse(body);
  return { status: response.status, headers: response.headers, body };
}

/** Leaves JSON lines and CSV as text; an empty body is null. */
function parsed(text: string, contentType: string | null): unknown {
  if (text === '') return null;
  const isText =
    contentType === 'application/x-ndjson' || contentType?.startsWith('text/csv') === true;
  return isText ? text : JSON.parse(text);
}

/** Returns an empty text for an event stream, which does not end. */
async function wholeText(response: Response): Promise<string> {
  if (response.headers.get('content-type') !== 'text/event-stream') return response.text();
  await response.body?.cancel();
  return '';
}

/** Sends a string unchanged, so that tests can send invalid JSON. */
const bodyText = (body: unknown): string =>
  typeof body === 'string' ? body : JSON.stringify(body);

function checkShape(method: string, path: string, body: unknown): void {
  const [bare = ''] = path.split('?', 1);
  const fitting = adminRoutes.filter(
    (route) =>
      route.method === method &&
      new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(bare),
  );
  // Like the server, prefers a path without parameters.
  const found = fitting.find((route) => route.path === bare) ?? fitting[0];
  found?.response.parse(body);
}

type Started = Pick<TestAdmin, 'plane' | 'admin'>;

/** Computed once because a hash takes about 30 ms of CPU. */
let passwordHash: ReturnType<Passwords['hash']> | null = null;

/** Creates the session directly. The sign-in route would verify the hash again in every test. */
async function loginAs(
  { plane, admin: { needs } }: Started,
  { name, roles }: Readonly<{ name: string; roles: readonly string[] }>,
): Promise<string> {
  const context = {
    actor: { kind: 'cli', principal_id: null },
    action: 'CLI',
    target: 'test',
    requestId: 'test',
    reason: null,
  } as const;
  const text = { text: name, ref: null, fingerprint: plane.vault.fingerprint(name) };
  const command = { type: 'CreatePrincipal', name: text, kind: 'user', emailRef: null } as const;
  await plane.execute({ command }, context);
  const id = [...plane.store.state().principal.byId.values()].find(
    (principal) => principal.name.fingerprint === text.fingerprint,
  )?.id;
  assert.ok(id !== undefined);
  for (const role of roles)
    await plane.execute({ command: { type: 'GrantRole', id, role } }, context);
  const plaintext = await (passwordHash ??= needs.access.passwords.hash(adminPassword));
  assert.ok(typeof plaintext === 'string');
  const secret = { ref: needs.access.newId(), class: 'password', plaintext } as const;
  const set = { type: 'SetPassword', id, passwordRef: secret.ref } as const;
  await plane.execute({ command: set, secrets: [secret] }, context);
  return needs.access.sessions.start({ principalId: id, credentialRef: secret.ref });
}

/** The value of the session cookie that the response sets. */
export function cookieOf({ headers }: TestAnswer): string {
  const [, value] = /^gw_session=([^;]*);/.exec(headers.getSetCookie()[0] ?? '') ?? [];
  assert.ok(value !== undefined, 'the answer sets the session cookie');
  return value;
}

/** Returns a member of a response body; fails if it is missing. */
export function member(body: unknown, name: string): unknown {
  assert.ok(typeof body === 'object' && body !== null && name in body, `the body has ${name}`);
  return Object.entries(body).find(([key]) => key === name)?.[1];
}

/** The parts of an error that clients depend on. */
export function errorOf({ status, body }: TestAnswer): readonly unknown[] {
  const { code, param } = errorBody.parse(body).error;
  return [status, code, param];
}
