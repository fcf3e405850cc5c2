// Tests the answers of the built-in provider that a gateway relies on.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { startDemoProvider } from '../../src/cli/dev/demo-provider.ts';

async function demo(t: TestContext): Promise<string> {
  const provider = await startDemoProvider({ port: 0 });
  t.after(provider.close);
  return provider.apiBase;
}

const chat = (apiBase: string, body: unknown): Promise<Response> =>
  fetch(`${apiBase}/chat/completions`, { method: 'POST', body: JSON.stringify(body) });

const messages = [{ role: 'user', content: 'hi there' }];

test('the demo provider lists its model', async (t) => {
  const response = await fetch(`${await demo(t)}/models`);
  const body: unknown = await response.json();
  assert.deepEqual(body, {
    object: 'list',
    data: [{ id: 'demo', object: 'model', created: 1_767_225_600, owned_by: 'gw' }],
  });
});

test('equal requests get equal answers, with token counts', async (t) => {
  const apiBase = await demo(t);
  const [one, other] = await Promise.all([
    chat(apiBase, { messages }),
    chat(apiBase, { messages }),
  ]);
  const text = await one.text();
  assert.equal(text, await other.text());
  assert.match(text, /hi there/);
  assert.match(text, /"prompt_tokens":2,/);
});

test('ends a stream with its usage if requested, then [DONE]', async (t) => {
  const apiBase = await demo(t);
  const streamed = await chat(apiBase, {
    messages,
    stream: true,
    stream_options: { include_usage: true },
  });
  assert.equal(streamed.headers.get('content-type'), 'text/event-stream');
  const events = (await streamed.text()).trim().split('\n\n');
  assert.equal(events.at(-1), 'data: [DONE]');
  assert.match(events.at(-2) ?? '', /"choices":\[\],"usage":\{"prompt_tokens":2/);
  const plain = await chat(apiBase, { messages, stream: true });
  assert.doesNotMatch(await plain.text(), /usage/);
});

test('a body without messages is refused', async (t) => {
  const response = await chat(await demo(t), { model: 'demo' });
  assert.equal(response.status, 400);
});

test('reports a port in use with its own error code', async (t) => {
  const apiBase = await demo(t);
  const port = Number(new URL(apiBase).port);
  await assert.rejects(startDemoProvider({ port }), { code: 'EADDRINUSE' });
});
