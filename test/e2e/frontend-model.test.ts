// Tests role all as a process: a frontend model routes by its rules as soon as they are saved.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TestContext } from 'node:test';

import { z } from 'zod';

import { startDemoProvider } from '../../src/cli/dev/demo-provider.ts';
import { encryptionKey, login, prepareControl } from '../harness/program/control-program.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';
import { startProgram } from '../harness/program/program.ts';
import { labelledPrompts } from '../harness/classifier/labelled-prompts.ts';

/** Starts role all with two models, and a key that may call everything. */
async function startFrontendModel(test: TestContext) {
  const { url } = await testDatabase(test);
  await prepareControl(url);
  const demo = await startDemoProvider({ port: 0 });
  test.after(demo.close);
  const program = startProgram(test, {
    args: ['--role', 'all', '--port', '0', '--admin-port', '0'],
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
  for (const [index, name] of ['small', 'large'].entries()) {
    await send('POST', '/admin/provider-models', { name });
    const backend = { provider_id: 1, upstream_model: 'demo' };
    await send('POST', `/admin/provider-models/${index + 1}/backends`, backend);
  }
  const key = z
    .object({ key: z.string() })
    .parse(await send('POST', '/admin/keys', { name: 'a key', principal_id: 1 }));

  const ask = async (model: string, more: object = {}, tier = 'none') => {
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key.key}`,
        'content-type': 'application/json',
        'x-tier': tier,
      },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }], ...more }),
    });
    const { headers, status } = answer;
    await answer.arrayBuffer();
    return [status, headers.get('x-gw-route'), headers.get('x-gw-served-model')];
  };
  return { send, ask };
}

it('routes requests by rules, pools, jumps and defaults', async (test) => {
  const { send, ask } = await startFrontendModel(test);
  await send('POST', '/admin/model-pools', { name: 'pair', members: ['large'] });
  await send('POST', '/admin/frontend-models', {
    name: 'house',
    rules: [
      { action: 'deny', deny_status: 413, deny_message: 'too much', min_max_tokens: 5000 },
      { headers: { 'X-Tier': 'gold' }, targets: ['pair', 'small'] },
    ],
    default_targets: ['small'],
  });
  await send('POST', '/admin/virtual-models', {
    name: 'annex',
    rules: [{ action: 'jump', jump_to: 1 }],
  });
  assert.deepEqual(await ask('house'), [200, 'default', 'small']);
  assert.deepEqual(await ask('house', {}, 'gold'), [200, 'rule:1', 'large']);
  assert.deepEqual(await ask('annex', {}, 'gold'), [200, 'jump:house>rule:1', 'large']);
  assert.deepEqual((await ask('house', { max_tokens: 9000 }))[0], 413);

  await send('PUT', '/admin/frontend-models/1/rules', [{ id: 2 }, { id: 1 }]);
  assert.deepEqual(await ask('house', {}, 'gold'), [200, 'rule:0', 'large']);
  await send('DELETE', '/admin/provider-models/2', undefined);
  assert.deepEqual(await ask('house', {}, 'gold'), [200, 'rule:0', 'small']);
});

it('routes by the topic of the prompt with a rule on a class', async (test) => {
  const { send, ask } = await startFrontendModel(test);
  for (const { name, examples } of labelledPrompts()) {
    await send('POST', '/admin/prompt-classes', { name, examples });
  }
  await send('POST', '/admin/frontend-models', {
    name: 'kitchen',
    rules: [{ class: 'cooking', targets: ['large'] }],
    default_targets: ['small'],
  });
  const about = (content: string) => ask('kitchen', { messages: [{ role: 'user', content }] });
  assert.deepEqual(await about('how long does a chicken roast?'), [200, 'rule:0', 'large']);
  assert.deepEqual(await about('may the court refuse it?'), [200, 'default', 'small']);
  await send('DELETE', '/admin/prompt-classes/2', undefined);
  assert.deepEqual(await about('how long does a chicken roast?'), [200, 'default', 'small']);
});
