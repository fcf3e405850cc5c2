// The client library of the Messages API works against the gateway as it does against its own vendor, over
// a backend that speaks chat and over one that speaks the API itself.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import Anthropic, { APIError, NotFoundError, RateLimitError } from '@anthropic-ai/sdk';

import { startMessages } from '../harness/messages.ts';
import { answerJson } from '../harness/upstream.ts';
import type { Script } from '../harness/upstream.ts';
import { answerEvents, vendors } from '../harness/vendors.ts';
import { callPiece, chunk, done, framesOf } from '../protocols/messages/given.ts';

const vendor = vendors.find(({ protocol }) => protocol === 'anthropic');
assert.ok(vendor !== undefined);
const messages = [{ role: 'user', content: 'Hi' }] as const;
const asked = { model: 'm', max_tokens: 64, messages: [...messages] };

async function start(script: Script, protocol: 'openai' | 'anthropic' = 'openai') {
  const session = await startMessages(script, { protocol });
  const { url } = session.gateway;
  return { ...session, client: new Anthropic({ baseURL: url, apiKey: 'key', maxRetries: 0 }) };
}

const calling = framesOf(
  chunk({ reasoning: 'hm' }),
  chunk({ content: 'Let me see.' }),
  chunk(callPiece(0, '{"city":', { id: 'call_1', name: 'weather' })),
  chunk(callPiece(0, '"Zürich 🏔"}')),
  chunk(callPiece(1, '{}', { id: 'call_2', name: 'time' })),
  { ...chunk({}, 'tool_calls'), usage: { prompt_tokens: 9, completion_tokens: 2 } },
  done,
);

describe('the client library', () => {
  it('gets a message, and knows its request', async () => {
    await using session = await start(answerJson());
    const { data, request_id: requestId } = await session.client.messages
      .create(asked)
      .withResponse();
    assert.deepEqual(data.content, [{ type: 'text', text: 'Hello there' }]);
    assert.match(requestId ?? '', /^\w{26}$/);
  });

  it('adds up a stream of thinking, text and calls', async () => {
    await using session = await start(answerEvents(calling));
    const told: unknown[] = [];
    const stream = session.client.messages
      .stream(asked)
      .on('contentBlock', ({ type }) => void told.push(type));
    const { content, stop_reason: reason, usage } = await stream.finalMessage();
    assert.deepEqual(content, [
      { type: 'thinking', thinking: 'hm', signature: '' },
      { type: 'text', text: 'Let me see.' },
      { type: 'tool_use', id: 'call_1', name: 'weather', input: { city: 'Zürich 🏔' } },
      { type: 'tool_use', id: 'call_2', name: 'time', input: {} },
    ]);
    assert.deepEqual(told, ['thinking', 'text', 'tool_use', 'tool_use']);
    assert.deepEqual([reason, usage.input_tokens, usage.output_tokens], ['tool_use', 9, 2]);
  });

  it('sends back what it was told', async () => {
    await using session = await start(answerEvents(calling));
    const { content } = await session.client.messages.stream(asked).finalMessage();
    session.upstream.play(answerJson());
    const result = { type: 'tool_result', tool_use_id: 'call_1', content: 'sun' } as const;
    await session.client.messages.create({
      ...asked,
      messages: [...messages, { role: 'assistant', content }, { role: 'user', content: [result] }],
    });
    const { messages: sent } = JSON.parse(session.upstream.seen.at(-1)?.body.toString() ?? '');
    assert.equal(sent[1].content, 'Let me see.');
    assert.equal(sent[1].tool_calls[0].function.arguments, '{"city":"Zürich 🏔"}');
    assert.deepEqual(sent[2], { role: 'tool', tool_call_id: 'call_1', content: 'sun' });
  });

  it('streams from a backend of its own API, beta or not', async () => {
    await using session = await start(answerEvents(vendor.begun, vendor.ended), 'anthropic');
    const { messages: stable, beta } = session.client;
    assert.equal(await stable.stream(asked).finalText(), 'Hello');
    assert.equal(await beta.messages.stream({ ...asked, betas: ['b'] }).finalText(), 'Hello');
    assert.deepEqual(
      session.upstream.seen.map(({ headers }) => headers['anthropic-beta']),
      [undefined, 'b'],
    );
  });

  it('counts tokens and lists models', async () => {
    await using session = await start(answerJson());
    const { client } = session;
    const { input_tokens: counted } = await client.messages.countTokens({
      model: 'm',
      messages: [...messages],
    });
    assert.ok(counted > 0);
    const listed: string[] = [];
    for await (const { id } of client.models.list()) listed.push(id);
    assert.deepEqual(listed, ['m']);
  });

  it('knows each error by its class', async () => {
    await using session = await start(answerJson({ error: { message: 'slow down' } }, 429));
    const { client } = session;
    await assert.rejects(client.messages.create({ ...asked, model: 'x' }), NotFoundError);
    await assert.rejects(client.messages.create(asked), (error) => {
      assert.ok(error instanceof RateLimitError);
      assert.match(error.message, /slow down/);
      return true;
    });
    session.upstream.play(answerEvents(framesOf(chunk({ content: 'Hel' }))));
    await assert.rejects(client.messages.stream(asked).finalMessage(), APIError);
  });
});
