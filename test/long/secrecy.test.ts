// Gives forty secrets to a control plane through every route that takes one. Tests that no answer,
// log line, event or table contains any of them, in clear or in any common encoding. The rows of a
// table are searched as pg_dump would write them.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import type { TestContext } from 'node:test';

import { Client } from 'pg';

import { adminRoutes } from '../../src/admin/routes.ts';
import { prepareControl, startControlProgram } from '../harness/program/control-program.ts';
import type { ControlProgram } from '../harness/program/control-program.ts';
import { everyRow } from '../harness/postgres/every-row.ts';
import { listedProvider } from '../harness/upstream/model-list.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';

/** Contains characters that each encoding writes differently. */
const secretText = (what: string, number: number): string =>
  `${what}/${number}+"\\${randomBytes(12).toString('base64')}<%&'é`;
/** The same, but valid in a header. */
const credentialText = (what: string, number: number): string =>
  secretText(what, number).replace('é', '~');

const numbered = (count: number, make: (number: number) => string): string[] =>
  Array.from({ length: count }, (_, index) => make(index + 1));

const secrets = {
  providers: numbered(8, (at) => credentialText('provider', at)),
  backends: numbered(4, (at) => credentialText('backend', at)),
  servers: numbered(6, (at) => credentialText('mcp', at)),
  agents: numbered(6, (at) => credentialText('agent', at)),
  passwords: numbered(6, (at) => secretText('password', at)),
  examples: numbered(6, (at) => secretText('example', at)),
  reasons: numbered(4, (at) => secretText('reason', at)),
};
const all: readonly string[] = Object.values(secrets).flat();

/** The parts of a text's base64 form that do not depend on its offset within other bytes. */
function base64Cores(text: string): string[] {
  return [0, 1, 2].map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), Buffer.from(text)]).toString('base64');
    return encoded.slice(shift === 0 ? 0 : 4, -4);
  });
}

const forms: readonly ((text: string) => readonly string[])[] = [
  (text) => [text],
  (text) => [JSON.stringify(text).slice(1, -1)],
  (text) => [Buffer.from(text).toString('hex')],
  base64Cores,
  (text) => base64Cores(text).map((core) => core.replaceAll('+', '-').replaceAll('/', '_')),
  (text) => [encodeURIComponent(text)],
];

function assertSecret(place: string, text: string): void {
  const lower = text.toLowerCase();
  for (const secret of all) {
    for (const [index, form] of forms.entries()) {
      for (const written of form(secret)) {
        const found = text.includes(written) || lower.includes(written.toLowerCase());
        assert.ok(!found, `${place} holds ${secret.slice(0, 12)}… in form ${index}`);
      }
    }
  }
}

type Sent = Readonly<{ method: string; path: string; body?: object; reason?: string }>;

/**
 * Collects every response. `ask` sends each request twice: with an idempotency key of its own and
 * without one.
 */
function asker({ adminUrl, cookie }: ControlProgram) {
  const answers: string[] = [];
  const once = async ({ method, path, body, reason }: Sent, key: string | null) => {
    const answer = await fetch(new URL(path, adminUrl), {
      method,
      headers: {
        cookie,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === null ? {} : { 'idempotency-key': key }),
        ...(reason === undefined ? {} : { 'x-gw-reason': Buffer.from(reason).toString('latin1') }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    answers.push(text, JSON.stringify([...answer.headers]));
    return { status: answer.status, text };
  };
  let count = 0;
  const ask = async (sent: Sent): Promise<void> => {
    const first = await once(sent, `key ${(count += 1)}`);
    assert.ok(first.status < 300, `${sent.method} ${sent.path}: ${first.text}`);
    // The repetition is refused or creates another record.
    await once(sent, null);
  };
  return { answers, ask, once };
}

async function handOver(test: TestContext, ask: (sent: Sent) => Promise<void>): Promise<void> {
  const { apiBase } = await listedProvider(test);
  const post = (path: string, body: object): Promise<void> => ask({ method: 'POST', path, body });
  const patch = (path: string, body: object): Promise<void> => ask({ method: 'PATCH', path, body });
  for (const [index, key] of secrets.providers.entries()) {
    const body = { upstream_api_key: key };
    if (index < 4)
      await post('/admin/providers', { name: `p${index}`, api_base: apiBase, ...body });
    else await patch(`/admin/providers/${index - 3}`, body);
  }
  for (const [index, key] of secrets.backends.entries()) {
    await post('/admin/provider-models', { name: `m${index}` });
    const body = { api_base: apiBase, upstream_api_key: key };
    await post(`/admin/provider-models/${index + 1}/backends`, body);
  }
  for (const [path, keys] of [
    ['/admin/mcp-servers', secrets.servers],
    ['/admin/a2a-agents', secrets.agents],
  ] as const) {
    for (const [index, key] of keys.entries()) {
      const body = { upstream_api_key: key };
      if (index < 3) await post(path, { name: `r${index}`, url: 'http://127.0.0.1:9/', ...body });
      else await patch(`${path}/${index - 2}`, body);
    }
  }
  for (const [index, password] of secrets.passwords.entries()) {
    await post('/admin/principals', { name: `u${index}`, kind: 'user' });
    await ask({
      method: 'PUT',
      path: `/admin/principals/${index + 3}/password`,
      body: { password },
    });
  }
  await post('/admin/prompt-classes', { name: 'c', examples: secrets.examples.slice(0, 3) });
  for (const prompt of secrets.examples.slice(3)) {
    await post('/admin/prompt-classes/1/examples', { prompt });
  }
  for (const [index, reason] of secrets.reasons.entries()) {
    const body = { name: `k${index}`, principal_id: 1 };
    await ask({ method: 'POST', path: '/admin/keys', body, reason });
  }
}

/**
 * Routes that need only a session. `/snapshot` returns credentials by design and needs another
 * right. The event stream never ends; /admin/history/events returns the same records.
 */
const readable = adminRoutes.filter(
  ({ method, path, permission, mediaType }) =>
    method === 'GET' &&
    !path.includes('{') &&
    permission !== 'proxy_token' &&
    mediaType !== 'text/event-stream',
);

it('no stored secret is in any answer, log line, event or table, in any of six forms', async (t) => {
  assert.equal(new Set(all).size, 40);
  assert.equal(forms.length, 6);
  const { url } = await testDatabase(t);
  await prepareControl(url);
  const program = await startControlProgram(t, url, { GW_LOG_LEVEL: 'debug' });
  const { answers, ask, once } = asker(program);
  await handOver(t, ask);
  for (const [index, password] of secrets.passwords.entries()) {
    // These users have no role, so the sign-in is refused. Each tries the right password and a
    // wrong one.
    const body = { name: `u${index}`, password };
    await once({ method: 'POST', path: '/login', body }, null);
    await once(
      { method: 'POST', path: '/login', body: { ...body, password: `${password}x` } },
      null,
    );
  }
  for (const { path } of readable) await once({ method: 'GET', path }, null);
  for (const answer of answers) assertSecret('an answer', answer);

  const client = new Client({ connectionString: url });
  await client.connect();
  const tables = await everyRow(client);
  await client.end();
  const kinds = ['es.', 'rm_', 'vault.', 'op.'];
  for (const kind of kinds)
    assert.ok(
      tables.some(({ table }) => table.startsWith(kind)),
      kind,
    );
  for (const { table, text } of tables) assertSecret(table, text);

  await program.end('SIGTERM');
  assert.ok(program.logs.length > 0);
  assertSecret('the log', program.logs.map((line) => JSON.stringify(line)).join('\n'));
});

it('the search itself finds a secret in every form', () => {
  const [secret = ''] = all;
  for (const form of forms) {
    for (const written of form(secret)) {
      assert.throws(() => assertSecret('here', `before ${written} behind`), /here holds/);
    }
  }
  for (const shift of ['', 'a', 'ab']) {
    const encoded = Buffer.from(`${shift}${secret} and so on`).toString('base64');
    assert.throws(() => assertSecret('here', encoded), /here holds/);
  }
});
