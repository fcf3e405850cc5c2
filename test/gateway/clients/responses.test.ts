// Tests the Responses API apart from its translation: requests that are forwarded unchanged, signed content, and
// streams that fail.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { post, startMessages } from '../../harness/gateway/messages.ts';
import { errorOf, rowOf, sentRequest } from '../../harness/gateway/translated.ts';
import { answerJson, completion, startUpstream } from '../../harness/upstream/upstream.ts';
import type { Script } from '../../harness/upstream/upstream.ts';
import { answerEvents, breakEvents, vendors } from '../../harness/upstream/vendors.ts';
import { startTestGateway } from '../../harness/gateway/gateway.ts';
import type { TestGateway } from '../../harness/gateway/gateway.ts';
import * as anthropic from '../../protocols/anthropic/events.ts';
import * as gemini from '../../protocols/gemini/events.ts';
import { chunk, done, framesOf } from '../../protocols/messages/given.ts';
import { SseDecoder } from '../../../src/protocols/sse.ts';

const eventsIn = (text: string) => new SseDecoder().push(Buffer.from(text));

const headers = { authorization: 'Bearer key' };
const weather = { type: 'function', name: 'weather', parameters: { type: 'object' } };

const ask = (gateway: TestGateway, more: object = {}, path = '/v1/responses'): Promise<Response> =>
  post(gateway, { model: 'm', input: 'Hi', max_output_tokens: 4096, ...more }, { headers, path });

type Item = Readonly<{ type: string; encrypted_content?: string; call_id?: string }>;

async function outputOf(response: Response): Promise<readonly Item[]> {
  const answer: { output: readonly Item[] } = JSON.parse(await response.text());
  return answer.output;
}

const native = { id: 'resp_9', object: 'response', status: 'completed', output: [] };
const result = { type: 'function_call_output', call_id: 'call_1', output: 'sunny' };
const conversation = (output: readonly Item[]) => ({
  tools: [weather],
  input: [{ role: 'user', content: 'Hi' }, ...output, result],
});

describe('a backend that serves the Responses API itself', () => {
  it('gets the request byte for byte except for the name of the model', async () => {
    await using session = await startMessages(answerJson(native));
    const body = '{ "input":"Hi", "model" : "m","previous_response_id":"resp_1", "x":1.0 }';
    const response = await post(session.gateway, body, { headers, path: '/v1/responses' });
    assert.equal(await response.text(), JSON.stringify(native));
    const seen = sentRequest(session.upstream);
    assert.deepEqual(
      [seen.path, seen.body.toString()],
      ['/v1/responses', body.replace('"m"', '"up"')],
    );
  });

  it('does not get thinking that another vendor signed', async () => {
    await using signing = await startMessages(answerJson(thinking), { protocol: 'anthropic' });
    const output = await outputOf(await ask(signing.gateway, { tools: [weather] }));
    await using session = await startMessages(answerJson(native));
    const own = { type: 'reasoning', summary: [], encrypted_content: 'gAAAA' };
    await (await ask(session.gateway, conversation([...output, own]))).text();
    const { input, model } = JSON.parse(sentRequest(session.upstream).body.toString());
    assert.equal(model, 'up');
    assert.deepEqual(
      input.map((item: Item) => item.encrypted_content ?? item.type),
      [undefined, 'message', 'function_call', 'gAAAA', 'function_call_output'],
    );
  });

  it('has its 404 for an item or a model relayed', async () => {
    for (const error of [{ message: 'no item', param: 'input' }, { code: 'model_not_found' }]) {
      await using session = await startMessages(answerJson({ error }, 404));
      const response = await ask(session.gateway);
      assert.equal(response.status, 404);
      assert.equal(await response.text(), JSON.stringify({ error }));
      assert.equal(session.upstream.seen.length, 1);
    }
  });
});

/** An engine that answers the route of the Responses API with this status, and others by the script. */
const chatOnly =
  (other: Script, status = 404): Script =>
  (seen, response) =>
    (seen.path === '/v1/responses' ? answerJson({ detail: 'Not Found' }, status) : other)(
      seen,
      response,
    );

describe('a backend that speaks chat only', () => {
  it('gets chats at once after its first 404', async () => {
    await using session = await startMessages(chatOnly(answerJson()));
    for (let turn = 0; turn < 2; turn++) {
      const response = await ask(session.gateway, { instructions: 'Be brief.' });
      assert.deepEqual([response.status, (await outputOf(response)).length], [200, 1]);
    }
    assert.deepEqual(
      session.upstream.seen.map(({ path }) => path),
      ['/v1/responses', '/v1/chat/completions', '/v1/chat/completions'],
    );
    assert.deepEqual(JSON.parse(session.upstream.seen[1]?.body.toString() ?? ''), {
      model: 'up',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
      max_tokens: 4096,
    });
    assert.equal((await rowOf(session.gateway)).attempts, 1);
  });

  it('is tried by the route again while its 404 may refer to the model', async () => {
    await using session = await startMessages(answerJson({ detail: 'Not Found' }, 404));
    for (let turn = 0; turn < 2; turn++) assert.equal((await ask(session.gateway)).status, 404);
    assert.equal(session.upstream.seen.length, 4);
  });
});

const signature = 'EoQDCm0IDhgC';
const thought = { type: 'thinking', thinking: 'hm', signature };
const thinking = {
  ...vendors[0]?.message,
  content: [
    thought,
    { type: 'text', text: 'Let me see.' },
    { type: 'tool_use', id: 'call_1', name: 'weather', input: {} },
  ],
};
const thinkingStream = anthropic.bytesOf(
  anthropic.start(),
  ...anthropic.thought(0, 'h', 'm'),
  ...anthropic.textBlock(1, 'Let me see.'),
  ...anthropic.called(2, ['call_1', 'weather'], '{}'),
  ...anthropic.ended('tool_use', { output_tokens: 7 }),
);
const signedCall = gemini.signed(gemini.called('weather', {}, { id: 'call_1' }), 'c2ln');
const geminiAnswer = gemini.answer([gemini.thought('hm'), signedCall], gemini.stopped);

const signedToolCall = {
  index: 0,
  id: 'call_1',
  type: 'function',
  function: { name: 'weather', arguments: '{}' },
  extra_content: { google: { thought_signature: 'c2ln' } },
};
const toolCallCompletion = {
  ...completion,
  choices: [{ index: 0, message: { tool_calls: [signedToolCall] }, finish_reason: 'tool_calls' }],
};

describe('signed thinking is returned to its vendor:', () => {
  const cases = [
    { protocol: 'anthropic', whole: answerJson(thinking), stream: answerEvents(thinkingStream) },
    {
      protocol: 'gemini',
      whole: answerJson(geminiAnswer),
      stream: answerEvents(gemini.bytesOf(geminiAnswer)),
    },
    // The format of Google's chat API.
    {
      protocol: 'openai',
      whole: chatOnly(answerJson(toolCallCompletion)),
      stream: chatOnly(
        answerEvents(
          framesOf(chunk({ tool_calls: [signedToolCall] }), chunk({}, 'tool_calls'), done),
        ),
      ),
    },
  ] as const;
  const expected = {
    anthropic: `{"role":"assistant","content":[${JSON.stringify(thought)},`,
    openai: '"extra_content":{"google":{"thought_signature":"c2ln"}}',
    gemini: '"functionCall":{"id":"call_1","name":"weather","args":{}},"thoughtSignature":"c2ln"',
  };

  for (const { protocol, whole, stream } of cases) {
    for (const isStream of [false, true]) {
      it(`protocol ${protocol}, ${isStream ? 'streamed' : 'whole'}`, async () => {
        await using session = await startMessages(isStream ? stream : whole, { protocol });
        const reasoning = { effort: 'high' };
        const asked = { tools: [weather], reasoning, stream: isStream };
        const response = await ask(session.gateway, asked);
        const output = isStream ? completedIn(await response.text()) : await outputOf(response);
        await (await ask(session.gateway, { ...conversation(output), reasoning })).text();
        const sent = session.upstream.seen.at(-1)?.body.toString() ?? '';
        assert.ok(sent.includes(expected[protocol]), sent);
      });
    }

    it(`protocol ${protocol}, but not to a backend of another model`, async () => {
      await using upstream = await startUpstream(whole);
      const backend = (upstreamModel: string) => ({
        backends: [{ apiBase: upstream.apiBase, protocol, upstreamModel }],
      });
      await using gateway = await startTestGateway({
        models: { m: backend('up'), n: backend('other') },
        keys: { key: {} },
      });
      const output = await outputOf(await ask(gateway, { tools: [weather] }));
      await (await ask(gateway, { ...conversation(output), model: 'n' })).text();
      const sent = upstream.seen.at(-1)?.body.toString() ?? '';
      assert.ok(sent.includes('weather'));
      assert.ok(!sent.includes(signature) && !sent.includes('c2ln'));
    });
  }
});

function completedIn(text: string): readonly Item[] {
  const last: { response: { output: readonly Item[] } } = JSON.parse(
    eventsIn(text).at(-1)?.data ?? '',
  );
  return last.response.output;
}

/** The events of a stream over a chat backend. */
async function lastOf(script: Script) {
  await using session = await startMessages(chatOnly(script, 405));
  const response = await ask(session.gateway, { stream: true });
  const events = eventsIn(await response.text());
  const numbers = events.map(({ data }) => JSON.parse(data).sequence_number);
  assert.deepEqual(numbers, [...numbers.keys()]);
  return JSON.parse(events.at(-1)?.data ?? '');
}

describe('a stream of the Responses API', () => {
  it('that reached the token limit is incomplete', async () => {
    const frames = framesOf(chunk({ content: 'Hel' }), chunk({}, 'length'), done);
    const { type, response } = await lastOf(answerEvents(frames));
    assert.equal(type, 'response.incomplete');
    assert.deepEqual(response.incomplete_details, { reason: 'max_output_tokens' });
    assert.equal(response.output[0].content[0].text, 'Hel');
  });

  it('that the upstream ends with an error fails with its reason', async () => {
    const long = chunk({ content: 'x'.repeat(1_000_000) });
    const error = { error: { message: 'too busy', code: 429 } };
    const frames = framesOf(chunk({ content: 'Hel' }), long, error);
    const { type, response } = await lastOf(answerEvents(frames));
    assert.deepEqual([type, response.status], ['response.failed', 'failed']);
    assert.deepEqual(response.error, { code: 'rate_limit_exceeded', message: 'too busy' });
  });

  it('that breaks off fails', async () => {
    const { type, response } = await lastOf(breakEvents(framesOf(chunk({ content: 'Hel' }))));
    assert.deepEqual([type, response.error.code], ['response.failed', 'server_error']);
  });
});

describe('a request of the Responses API that one backend cannot express', () => {
  it('moves to the next backend in the chain', async () => {
    await using first = await startUpstream(answerJson(thinking));
    await using second = await startUpstream(answerJson(native));
    await using gateway = await startTestGateway({
      models: {
        a: { backends: [{ apiBase: first.apiBase, protocol: 'anthropic' }] },
        b: { backends: [{ apiBase: second.apiBase }] },
      },
      frontendModels: { m: { defaults: ['a', 'b'] } },
      keys: { key: {} },
    });
    const response = await ask(gateway, { tools: [{ type: 'web_search' }] });
    assert.deepEqual([response.status, response.headers.get('x-gw-served-model')], [200, 'b']);
    await response.text();
    assert.equal(first.seen.length, 0);
  });

  it('is served without the tools that only a vendor runs if the model drops them', async () => {
    await using upstream = await startUpstream(answerJson(thinking));
    const backends = [{ apiBase: upstream.apiBase, protocol: 'anthropic' }];
    await using gateway = await startTestGateway({
      models: { m: { backends, dropUnsupportedTools: true } },
      keys: { key: {} },
    });
    const response = await ask(gateway, { tools: [{ type: 'web_search' }, weather] });
    assert.equal(response.status, 200);
    await response.text();
    const tools = [{ type: 'code_execution_20260120', name: 'code_execution' }];
    const other = { max_tokens: 64, messages: [{ role: 'user', content: 'Hi' }], tools };
    await using chat = await startUpstream(answerJson());
    await using second = await startTestGateway({
      models: { m: { backends: [{ apiBase: chat.apiBase }], dropUnsupportedTools: true } },
      keys: { key: {} },
    });
    assert.equal((await post(second, { model: 'm', ...other }, { headers })).status, 200);
    const [sent, sentChat] = [upstream, chat].map(({ seen }) => JSON.parse(String(seen[0]?.body)));
    assert.deepEqual(
      [sent.tools.map((tool: { name: string }) => tool.name), sentChat.tools],
      [['weather'], undefined],
    );
  });

  it('is refused in the envelope of the API', async () => {
    await using session = await startMessages(answerJson(completion), { protocol: 'gemini' });
    const response = await ask(session.gateway, { background: true });
    assert.equal(response.status, 501);
    assert.match((await errorOf(response)).message, /protocol gemini does not support background/);
  });
});
