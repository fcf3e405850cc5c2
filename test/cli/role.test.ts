// Tests the error when a role cannot start. It names the flag at fault, and no role runs without
// being able to serve.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { causes } from '../../src/cli/printing/failure.ts';
import { runRole } from '../../src/cli/role.ts';
import { readSettings } from '../../src/cli/settings/settings.ts';
import type { Settings } from '../../src/cli/settings/settings.ts';
import { encryptionKey, prepareControl } from '../harness/program/control-program.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';
import { startProgram } from '../harness/program/program.ts';

const fixture = (name: string): string => path.join(import.meta.dirname, '../fixtures/tls', name);

function settings(flags: Readonly<Partial<Record<keyof Settings, string>>>): Settings {
  const read = readSettings({
    flags: { adminPort: '0', port: '0', log: 'silent', ...flags },
    env: { GW_ENCRYPTION_KEY: encryptionKey },
    readFile: () => '',
  });
  assert.ok('settings' in read, JSON.stringify(read));
  return read.settings;
}

/** An address at which nothing listens. */
const away = 'postgres://gw@127.0.0.1:1/gw';

/** Returns the error that the operator sees if the role cannot serve. */
async function refusalToStart(given: Settings): Promise<string> {
  try {
    const running = await runRole(given);
    try {
      return await (running.failed ?? 'it started');
    } finally {
      await running.close();
    }
  } catch (error) {
    return causes(error).join('\n');
  }
}

async function takenPort(t: TestContext): Promise<string> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  t.after(() => void server.close());
  const address: string | AddressInfo | null = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return String(address.port);
}

async function textFile(t: TestContext, text: string): Promise<string> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'gw-role-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const file = path.join(directory, 'file');
  await writeFile(file, text);
  return file;
}

/** Writes a configuration file that a proxy can start with. */
const oneModel = (t: TestContext): Promise<string> =>
  textFile(
    t,
    'model_list: [{ model_name: m, litellm_params: { model: m, api_base: http://127.0.0.1:1 } }]\n',
  );

test('names the flag of a port that is in use', async (t) => {
  const { url: databaseUrl } = await testDatabase(t);
  const port = await takenPort(t);
  const config = await oneModel(t);
  for (const [flag, given] of [
    ['--admin-port', { role: 'control', databaseUrl, adminPort: port }],
    ['--admin-port', { role: 'control', databaseUrl: away, adminPort: port }],
    ['--port', { role: 'all', databaseUrl, port }],
    ['--port', { config, port }],
  ] as const) {
    assert.match(
      await refusalToStart(settings(given)),
      new RegExp(`^${flag} ${port} on --host 127\\.0\\.0\\.1 cannot be bound\n.*EADDRINUSE`),
    );
  }
});

test('names the flag of a missing file or invalid certificate before connecting to the database', async (t) => {
  const junk = await textFile(t, 'junk');
  const tlsKey = fixture('key.pem');
  for (const [message, given] of [
    [`--tls-cert /none cannot be read`, { tlsCert: '/none', tlsKey }],
    [`--tls-key /none cannot be read`, { tlsCert: fixture('cert.pem'), tlsKey: '/none' }],
    [`--tls-cert ${junk} and --tls-key ${tlsKey} are no`, { tlsCert: junk, tlsKey }],
    [`--ca-bundle /none cannot be read`, { caBundle: '/none' }],
    [`--ca-bundle ${junk} contains no certificate`, { caBundle: junk }],
  ] as const) {
    const role = { role: 'control', databaseUrl: away, ...given };
    const output = await refusalToStart(settings(role));
    assert.ok(output.startsWith(message), output);
  }
  const proxy = { role: 'proxy', config: await oneModel(t), caBundle: '/none' };
  assert.match(await refusalToStart(settings(proxy)), /^--ca-bundle \/none cannot be read/);
});

test('exits if a database that appears later was sealed with another key', async (t) => {
  const { url } = await testDatabase(t);
  await prepareControl(url);
  const gate = await openGate(t, url);
  const program = startProgram(t, {
    args: ['--role', 'control', '--admin-port', '0'],
    env: { GW_DATABASE_URL: gate.url, GW_ENCRYPTION_KEY: '43'.repeat(32) },
  });
  await program.logged('the database is unavailable; retrying');
  gate.open();
  await assert.rejects(
    program.logged('control plane started'),
    /GW_ENCRYPTION_KEY is key \w{8}, but .* was encrypted with key \w{8}/,
  );
  assert.equal(program.child.exitCode, 1);
});

test('names the setting of an invalid database URL', async () => {
  const databaseUrl = 'postgres://gw:se cret@@@:x/gw';
  const output = await refusalToStart(settings({ role: 'control', databaseUrl }));
  assert.match(output, /--database-url \(GW_DATABASE_URL\) is not a valid address/);
  assert.doesNotMatch(output, /cret/);
});

/** Returns a database URL that does not respond until the gate is opened. */
async function openGate(t: TestContext, databaseUrl: string) {
  const target = new URL(databaseUrl);
  const host = decodeURIComponent(target.hostname);
  let isOpen = false;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    if (!isOpen) return void client.destroy();
    const upstream = host.startsWith('/')
      ? connect(`${host}/.s.PGSQL.${target.port}`)
      : connect(Number(target.port), host);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    client.pipe(upstream).pipe(client);
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address: string | AddressInfo | null = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${address.port}`;
  return { url: url.href, open: () => void (isOpen = true) };
}
