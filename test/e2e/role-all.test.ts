// Tests role all as a process with a certificate on its admin listener: its usage arrives over its
// own admin API, although it does not call that by the certificate's host name.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';

import { z } from 'zod';

import { startDemoProvider } from '../../src/cli/dev/demo-provider.ts';
import { healthReport } from '../../src/snapshot/health-report.ts';
import { encryptionKey, login, prepareControl } from '../harness/program/control-program.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';
import { startProgram } from '../harness/program/program.ts';
import { until } from '../harness/wait.ts';

const certificate = path.join(import.meta.dirname, '../fixtures/tls/cert.pem');
const key = path.join(import.meta.dirname, '../fixtures/tls/key.pem');

type Call = Readonly<{ method?: string; path: string; cookie?: string; body?: unknown }>;
type Answer = Readonly<{ status: number; setCookie: string; body: unknown }>;

/** Calls like a client that trusts the certificate and uses its host name. */
function callAdmin(adminUrl: string, call: Call): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const headers = { cookie: call.cookie ?? '', 'content-type': 'application/json' };
  const asked = request(
    new URL(call.path, adminUrl),
    {
      method: call.method ?? 'GET',
      headers,
      ca: readFileSync(certificate),
      servername: 'localhost',
    },
    (response) => {
      const setCookie = response.headers['set-cookie']?.[0] ?? '';
      text(response).then(
        (body) => resolve({ status: response.statusCode ?? 0, setCookie, body: JSON.parse(body) }),
        reject,
      );
    },
  );
  asked.on('error', reject);
  asked.end(call.body === undefined ? undefined : JSON.stringify(call.body));
  return promise;
}

const usage = z.array(z.object({ key: z.string(), requests: z.int() }));
const healthOf = z.object({
  backends: z.array(z.object({ model: z.string(), healthy: z.boolean(), requests_total: z.int() })),
});
const fleetOf = z.array(healthReport);
const configOf = z.looseObject({
  role: z.string(),
  tls: z.boolean(),
  you: z.object({ name: z.string() }),
  settings: z.array(z.looseObject({ name: z.string(), source: z.string() })),
});

describe('role all with a certificate', () => {
  it('serves a new configuration at once, and records the usage', async (test) => {
    const { url } = await testDatabase(test);
    await prepareControl(url);
    const demo = await startDemoProvider({ port: 0 });
    test.after(demo.close);
    const program = startProgram(test, {
      args: ['--role', 'all', '--port', '0', '--admin-port', '0'].concat(
        ['--tls-cert', certificate],
        ['--tls-key', key],
      ),
      env: { GW_DATABASE_URL: url, GW_ENCRYPTION_KEY: encryptionKey },
    });
    const { admin } = z
      .object({ admin: z.url({ protocol: /^https$/ }) })
      .parse(await program.logged('control plane started'));
    const gateway = z.object({ url: z.string() }).parse(await program.logged('gateway started'));

    const session = await callAdmin(admin, { method: 'POST', path: '/login', body: login });
    assert.match(session.setCookie, /; Secure$/);
    const cookie = session.setCookie.split(';')[0] ?? '';
    const post = async (path: string, body: unknown): Promise<unknown> => {
      const answer = await callAdmin(admin, { method: 'POST', path, cookie, body });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body;
    };
    await post('/admin/providers', { name: 'demo', api_base: demo.apiBase });
    await post('/admin/provider-models', { name: 'demo' });
    await post('/admin/provider-models/1/backends', { provider_id: 1 });
    const made = z
      .object({ key: z.string() })
      .parse(await post('/admin/keys', { name: 'a key', principal_id: 1 }));

    const chat = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${made.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'hi' }] }),
    });
    assert.equal(chat.status, 200, 'the change is served as soon as it is answered');
    await chat.arrayBuffer();
    const rows = await until(
      async () => {
        const { body } = await callAdmin(admin, { path: '/admin/usage', cookie });
        const found = usage.parse(body);
        return found.length > 0 && found;
      },
      { what: 'the usage row' },
    );
    assert.deepEqual(rows, [{ key: 'demo', requests: 1 }]);

    const health = healthOf.parse((await callAdmin(admin, { path: '/admin/health', cookie })).body);
    assert.deepEqual(health.backends, [{ model: 'demo', healthy: true, requests_total: 1 }]);
    const fleet = fleetOf.parse((await callAdmin(admin, { path: '/admin/fleet', cookie })).body);
    assert.equal(fleet.length, 1, 'this process reports to itself as any replica');
    const config = configOf.parse((await callAdmin(admin, { path: '/admin/config', cookie })).body);
    assert.deepEqual([config.role, config.tls, config.you.name], ['all', true, login.name]);
    const sources = new Map(config.settings.map(({ name, source }) => [name, source]));
    assert.deepEqual(
      ['tlsCert', 'encryptionKey', 'host'].map((name) => sources.get(name)),
      ['flag', 'env', 'default'],
    );
    assert.doesNotMatch(JSON.stringify(config), new RegExp(encryptionKey));
    program.child.kill('SIGHUP');
    const ready = await fetch(`${gateway.url}/readyz`);
    assert.deepEqual(
      [ready.status, await ready.json()],
      [200, { status: 'ready' }],
      'a hang-up, of which it has no file to read again, ends nothing',
    );
    const unwritten = program.logs.filter(
      ({ message }) => message === 'writing the snapshot cache failed',
    );
    assert.equal(unwritten.length, 1, 'an unwritable cache is reported once');
    await program.end('SIGTERM');
    assert.equal(program.child.exitCode, 0);
  });
});
