// The client library that most callers use works against the gateway, streaming and not.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { OpenAI } from 'openai';

import { startTestGateway } from '../harness/gateway.ts';
import { answerJson, answerStream, startUpstream } from '../harness/upstream.ts';

const messages = [{ role: 'user', content: 'Hi' }] as const;

async function start(script: Parameters<typeof startUpstream>[0]) {
  const upstream = await startUpstream(script);
  const backends = [{ apiBase: upstream.apiBase, upstreamModel: 'org/m' }];
  const gateway = await startTestGateway({ models: { m: { backends } }, keys: { key: {} } });
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'key', maxRetries: 0 });
  return {
    client,
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

describe('the openai client', () => {
  it('gets a completion', async () => {
    await using session = await start(answerJson());
    const answer = await session.client.chat.completions.create({
      model: 'm',
      messages: [...messages],
    });
    assert.equal(answer.choices[0]?.message.content, 'Hello there');
  });

  it('gets a stream', async () => {
    await using session = await start(answerStream(['Hel', 'lo']));
    const stream = await session.client.chat.completions.create({
      model: 'm',
      messages: [...messages],
      stream: true,
    });
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    assert.equal(text, 'Hello');
  });

  it('lists models', async () => {
    await using session = await start(answerJson());
    const page = await session.client.models.list();
    assert.deepEqual(
      page.data.map(({ id }) => id),
      ['m'],
    );
  });

  it('understands a refusal', async () => {
    await using session = await start(answerJson());
    await assert.rejects(
      session.client.chat.completions.create({ model: 'absent', messages: [...messages] }),
      { status: 404, code: 'model_not_found', param: 'model' },
    );
  });
});
