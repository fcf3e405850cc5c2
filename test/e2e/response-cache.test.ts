// Tests role all as a process: a model with a time to live answers from the cache, until its
// configuration changes.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { z } from 'zod';

import { startDemoProvider } from '../../src/cli/dev/demo-provider.ts';
import { encryptionKey, login, prepareControl } from '../harness/program/control-program.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';
import { startProgram } from '../harness/program/program.ts';

it('a configuration change turns the response cache on, and clears it', async (test) => {
  const { url } = await testDatabase(test);
  await prepareControl(url);
  const demo = await startDemoProvider({ port: 0 });
  test.after(demo.close);
  const program = startProgram(test, {
    args: ['--role', 'all', '--port', '0', '--admin-port', '0', '--cache-max-entries', '1'],
    env: { GW_DATABASE_URL: url, GW_ENCRYPTION_KEY: encryptionKey },
  });
  const { admin } = z
    .object({ admin: z.url() })
    .parse(await program.logged('control plane started'));
  const gateway = z.object({ url: z.url() }).parse(await program.logged('gateway started'));

  let cookie = '';
  const send = async (method: string, path: string, body: unknown): Promise<unknown> => {
    const headers = { cookie, 'content-type': 'application/json' };
    const answer = await fetch(admin + path, { method, headers, body: JSON.stringify(body) });
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? cookie;
    return JSON.parse(text);
  };
  await send('POST', '/login', login);
  await send('POST', '/admin/providers', { name: 'demo', api_base: demo.apiBase });
  await send('POST', '/admin/provider-models', { name: 'small' });
  const backend = { provider_id: 1, upstream_model: 'demo' };
  await send('POST', '/admin/provider-models/1/backends', backend);
  const { key } = z
    .object({ key: z.string() })
    .parse(await send('POST', '/admin/keys', { name: 'a key', principal_id: 1 }));

  const ask = async (content: string): Promise<string | null> => {
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'small', messages: [{ role: 'user', content }] }),
    });
    await answer.arrayBuffer();
    assert.equal(answer.status, 200);
    return answer.headers.get('x-gw-cache');
  };
  assert.deepEqual([await ask('a'), await ask('a')], [null, null]);
  await send('PATCH', '/admin/provider-models/1', { cache_ttl_seconds: 60 });
  assert.deepEqual([await ask('a'), await ask('a')], ['miss', 'hit']);
  assert.deepEqual([await ask('b'), await ask('b'), await ask('a')], ['miss', 'hit', 'miss']);
  await send('PATCH', '/admin/provider-models/1', { input_price_per_mtok: 7 });
  assert.deepEqual([await ask('a'), await ask('a')], ['miss', 'hit']);
  await send('PATCH', '/admin/provider-models/1', { cache_ttl_seconds: null });
  assert.equal(await ask('a'), null);
});
