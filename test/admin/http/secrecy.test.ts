// Tests that secrets and prompts appear in no response, log line or table, because they are stored
// encrypted in the vault.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { Client } from 'pg';

import { testAdministrator } from '../../harness/admin/admin.ts';
import { everyRow } from '../../harness/postgres/every-row.ts';
import type { TableText } from '../../harness/postgres/every-row.ts';

const url = 'http://127.0.0.1:9/rpc';
const canary = (name: string): string => `canary-${name}`;

/** Each request with the text that must not appear. Some requests are refused. */
const requests: readonly (readonly [string, string, object])[] = [
  ['POST', '/admin/prompt-classes', { name: 'a', examples: [canary('one'), canary('two')] }],
  ['POST', '/admin/prompt-classes', { name: 'a', examples: [canary('name-taken')] }],
  ['POST', '/admin/prompt-classes', { name: 'b', examples: [canary('no-tier')], tier: 'x' }],
  ['POST', '/admin/prompt-classes', { name: 'b', examples: [canary('long').repeat(2_000)] }],
  ['POST', '/admin/prompt-classes/1/examples', { prompt: canary('three') }],
  ['POST', '/admin/prompt-classes/1/examples', { prompt: canary('three') }],
  ['POST', '/admin/prompt-classes/1/examples', { prompt: [canary('in-a-list')] }],
  ['POST', '/admin/prompt-classes/9/examples', { prompt: canary('nowhere') }],
  ['DELETE', '/admin/prompt-classes/1/examples/2', {}],
  ...['/admin/mcp-servers', '/admin/a2a-agents'].flatMap(
    (path) =>
      [
        ['POST', path, { name: 'a', url, upstream_api_key: canary('key') }],
        ['POST', path, { name: 'a', url, upstream_api_key: canary('taken') }],
        ['POST', path, { name: 'b', url, upstream_api_key: `${canary('bent')}\n` }],
        ['POST', path, { name: 'b', url, upstream_api_key: [canary('listed')] }],
        ['POST', path, { name: 'b', url: 'x', upstream_api_key: canary('lost') }],
        ['PATCH', `${path}/1`, { upstream_api_key: canary('other-key') }],
        ['PATCH', `${path}/1`, { url: 'http://127.0.0.2/', upstream_api_key: canary('moved') }],
        ['PATCH', `${path}/9`, { upstream_api_key: canary('absent') }],
      ] as const,
  ),
];

async function tablesOf(databaseUrl: string): Promise<readonly TableText[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await everyRow(client);
  } finally {
    await client.end();
  }
}

it('no answer, no log line and no table holds a prompt or a credential', async (t) => {
  const { send, ask, cookie, warnings, databaseUrl, plane } = await testAdministrator(t);
  const said: string[] = [];
  for (const [method, path, body] of requests) {
    const answer = await ask({
      method,
      path,
      cookie,
      body,
      headers: { 'idempotency-key': `${path} ${JSON.stringify(body)}`.slice(0, 255) },
    });
    said.push(JSON.stringify([answer.body, ...answer.headers]));
  }
  for (const path of [
    '/admin/prompt-classes',
    '/admin/prompt-classes/1',
    '/admin/prompt-classes/1/examples',
    '/admin/mcp-servers',
    '/admin/a2a-agents',
    '/admin/config',
    '/admin/audit',
  ]) {
    const { status, body } = await send('GET', path);
    assert.equal(status, 200, path);
    said.push(JSON.stringify(body));
  }
  said.push(...warnings, JSON.stringify(plane.publisher.current()?.snapshot));
  for (const text of said) assert.doesNotMatch(text, /canary/);

  const tables = await tablesOf(databaseUrl);
  const hex = Buffer.from('canary').toString('hex');
  for (const { table, text } of tables) {
    assert.doesNotMatch(text, /canary/, table);
    assert.ok(!text.includes(hex), table);
  }
  const refs = [...plane.store.state().prompt_class.byId.values()].flatMap(({ examples }) =>
    examples.map(({ ref }) => ref),
  );
  const kept = await plane.vault.reveal(plane.db, refs);
  assert.deepEqual([...kept.values()].toSorted(), [canary('one'), canary('three')]);
});
