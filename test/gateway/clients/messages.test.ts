// The Messages API over a backend that speaks chat, through real sockets: routed, limited, counted and
// cached as any other request (specification, "Data plane": /v1/messages).

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import {
  errorOf,
  messagesBody,
  native,
  post,
  startMessages,
} from '../../harness/gateway/messages.ts';
import { rowOf, sentRequest } from '../../harness/gateway/translated.ts';
import {
  answerJson,
  answerStream,
  completion,
  startUpstream,
} from '../../harness/upstream/upstream.ts';
import { answerEvents, startEvents, vendors } from '../../harness/upstream/vendors.ts';
import { until } from '../../harness/wait.ts';
import { callPiece, chunk, done, framesOf } from '../../protocols/messages/given.ts';

describe('a message over a chat backend', () => {
  it('is sent as a chat, without headers of the vendor', async () => {
    await using session = await startMessages(answerJson());
    const headers = { ...native, 'anthropic-beta': 'x-2026', 'user-agent': 'client/1' };
    const system = [{ type: 'text', text: 'Be brief.' }];
    const response = await post(session.gateway, messagesBody({ system, top_k: 4 }), { headers });
    assert.equal(response.status, 200);
    const seen = sentRequest(session.upstream);
    assert.equal(seen.path, '/v1/chat/completions');
    assert.equal(seen.headers.authorization, 'Bearer secret');
    assert.equal(seen.headers['user-agent'], 'client/1');
    for (const name of ['x-api-key', 'anthropic-version', 'anthropic-beta']) {
      assert.equal(seen.headers[name], undefined);
    }
    assert.deepEqual(JSON.parse(seen.body.toString()), {
      model: 'up',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
      max_tokens: 64,
      top_k: 4,
    });
  });

  it('is answered as a message and counted as any request', async () => {
    const usage = { ...completion.usage, cost: 0.000_025 };
    await using session = await startMessages(answerJson({ ...completion, usage }));
    const response = await post(session.gateway, messagesBody());
    assert.equal(response.headers.get('content-type'), 'application/json');
    assert.equal(response.headers.get('x-gw-served-model'), 'm');
    assert.equal(response.headers.get('request-id'), response.headers.get('x-request-id'));
    assert.equal(response.headers.get('x-gw-route'), 'concrete');
    const text = await response.text();
    assert.equal(response.headers.get('content-length'), String(Buffer.byteLength(text)));
    const { type, model, content, usage: told } = JSON.parse(text);
    assert.deepEqual([type, model], ['message', 'm']);
    assert.deepEqual(content, [{ type: 'text', text: 'Hello there' }]);
    assert.deepEqual([told.input_tokens, told.output_tokens], [11, 7]);
    const row = await rowOf(session.gateway);
    assert.deepEqual([row.prompt_tokens, row.completion_tokens], [11, 7]);
    assert.deepEqual([row.path, row.virtual_model, row.max_tokens], ['/v1/messages', 'm', 64]);
    assert.deepEqual([row.usage_reported, row.reported_cost_micros], [true, 25]);
  });

  it('is reached with and without the prefix, whatever the query, with either credential', async () => {
    await using session = await startMessages(answerJson());
    const bearer = { authorization: 'bearer key' };
    for (const path of ['/messages', '/v1/messages', '/v1/messages?beta=true']) {
      for (const headers of [native, bearer, { 'x-api-key': 'key' }]) {
        const response = await post(session.gateway, messagesBody(), { path, headers });
        assert.equal(response.status, 200, path);
        await response.text();
      }
    }
  });

  it('is accepted with either of two credentials, and refused with an unknown one', async () => {
    await using session = await startMessages(answerJson());
    const statuses: number[] = [];
    for (const [bearer, key] of [
      ['key', 'dummy'],
      ['dummy', 'key'],
      ['dummy', 'other'],
    ]) {
      const headers = { authorization: `Bearer ${bearer}`, 'x-api-key': key ?? '' };
      const response = await post(session.gateway, messagesBody(), { headers });
      statuses.push(response.status);
      await response.text();
    }
    assert.deepEqual(statuses, [200, 200, 401]);
  });

  it('is streamed event by event, and counted by its last chunk', async () => {
    await using session = await startMessages(answerStream(['Hel', 'lo']));
    const response = await post(session.gateway, messagesBody({ stream: true }));
    assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
    const text = await response.text();
    assert.deepEqual(
      [...text.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name),
      [
        'message_start',
        'ping',
        'content_block_start',
        'content_block_delta',
        'content_block_delta',
        'content_block_stop',
        'message_delta',
        'message_stop',
      ],
    );
    const row = await rowOf(session.gateway);
    assert.deepEqual([row.prompt_tokens, row.completion_tokens, row.stream], [11, 7, true]);
  });

  it('relays the first events before the rest arrives', async () => {
    const begun = framesOf(chunk({ content: 'Hel' }));
    await using session = await startMessages(startEvents(begun));
    const response = await post(session.gateway, messagesBody({ stream: true }));
    const reader = response.body?.getReader();
    let text = '';
    while (!text.includes('"text":"Hel"')) {
      const { value, done: isDone } = (await reader?.read()) ?? { done: true };
      assert.equal(isDone, false);
      text += Buffer.from(value ?? []).toString();
    }
    await reader?.cancel();
    await until(() => session.upstream.seen[0]?.isAborted, { what: 'an aborted upstream' });
    const row = await rowOf(session.gateway);
    assert.equal(row.usage_reported, false);
  });

  it('that breaks off reports an error, and is not counted', async () => {
    await using session = await startMessages(answerEvents(framesOf(chunk({ content: 'Hel' }))));
    const text = await (await post(session.gateway, messagesBody({ stream: true }))).text();
    assert.match(text, /event: error\ndata: \{"type":"error","error":\{"type":"api_error"/);
    assert.equal((await rowOf(session.gateway)).usage_reported, false);
  });

  it('moves on from an error that comes first in a stream', async () => {
    const failing = answerEvents(framesOf({ error: { message: 'busy', code: 503 } }));
    await using other = await startUpstream(answerStream(['Hello']));
    await using session = await startMessages(failing, {
      frontendModels: { both: { defaults: ['m', 'n'] } },
    });
    const { apiBase } = session.upstream;
    session.gateway.apply({
      models: { m: { backends: [{ apiBase }] }, n: { backends: [{ apiBase: other.apiBase }] } },
      frontendModels: { both: { defaults: ['m', 'n'] } },
      keys: { key: {} },
      version: 2,
    });
    const response = await post(session.gateway, messagesBody({ model: 'both', stream: true }));
    assert.equal(response.headers.get('x-gw-served-model'), 'n');
    assert.match(await response.text(), /"text":"Hello"/);
  });

  it('is answered from the cache as a message, apart from chats', async () => {
    await using session = await startMessages(answerJson(), { cacheTtlSeconds: 60 });
    const first = await post(session.gateway, messagesBody());
    const again = await post(session.gateway, messagesBody());
    assert.deepEqual(
      [first, again].map(({ headers }) => headers.get('x-gw-cache')),
      ['miss', 'hit'],
    );
    assert.equal(await again.text(), await first.text());
    const chat = await session.gateway.chat(messagesBody());
    assert.equal(chat.headers.get('x-gw-cache'), 'miss');
    assert.match(await chat.text(), /"object":"chat.completion"/);
  });

  it('counts against the limits of the caller', async () => {
    await using session = await startMessages(answerJson(), {
      keys: { key: { limits: { requests: 1 } } },
    });
    const first = await post(session.gateway, messagesBody());
    assert.equal(first.headers.get('x-ratelimit-remaining-requests'), '0');
    await first.text();
    const second = await post(session.gateway, messagesBody());
    assert.equal(second.status, 429);
    assert.ok(Number(second.headers.get('retry-after')) >= 1);
    assert.equal((await errorOf(second)).error.type, 'rate_limit_error');
  });

  it('that the backend cannot express gets 501 and is not retried', async () => {
    await using session = await startMessages(answerJson());
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }];
    const response = await post(session.gateway, messagesBody({ tools }));
    assert.equal(response.status, 501);
    assert.equal(response.headers.get('x-should-retry'), 'false');
    assert.match((await errorOf(response)).error.message, /tools of type web_search_20250305/);
    assert.equal(session.upstream.seen.length, 0);
  });
});

it('a message over a backend of protocol gemini is translated through a chat', async () => {
  const vendor = vendors.find(({ protocol }) => protocol === 'gemini');
  assert.ok(vendor !== undefined);
  const { message, begun, ended } = vendor;
  await using session = await startMessages(answerJson(message), { protocol: 'gemini' });
  const whole = await post(session.gateway, messagesBody());
  const { content, usage } = JSON.parse(await whole.text());
  assert.deepEqual(content, [{ type: 'text', text: 'Hello' }]);
  assert.deepEqual([usage.input_tokens, usage.cache_read_input_tokens], [3, 8]);
  session.upstream.play(answerEvents(begun, ended));
  const text = await (await post(session.gateway, messagesBody({ stream: true }))).text();
  assert.match(text, /"text":"Hel".*"text":"lo".*event: message_stop/s);
  assert.match(text, /"usage":\{"input_tokens":3,.*"output_tokens":7/);
  const rows = session.gateway.events;
  await until(() => rows.length === 2, { what: 'two usage rows' });
  assert.deepEqual(
    rows.map((row) => [row.prompt_tokens, row.completion_tokens]),
    [
      [11, 7],
      [11, 7],
    ],
  );
  const [, streamed] = session.upstream.seen;
  assert.match(streamed?.path ?? '', /streamGenerateContent\?alt=sse/);
});

it('a tool loop keeps the ids and arguments of each turn', async () => {
  const events = framesOf(
    chunk(callPiece(0, '{"city":"Zür', { id: 'call_1', name: 'weather' })),
    chunk(callPiece(0, 'ich 🏔"}')),
    chunk({}, 'tool_calls'),
    done,
  );
  await using session = await startMessages(answerEvents(events));
  const tools = [{ name: 'weather', input_schema: { type: 'object' } }];
  const streamed = await post(session.gateway, messagesBody({ tools, stream: true }));
  const pieces = [...(await streamed.text()).matchAll(/"partial_json":("(?:[^"\\]|\\.)*")/g)];
  const input: unknown = JSON.parse(pieces.map(([, piece]) => JSON.parse(piece ?? '')).join(''));
  assert.deepEqual(input, { city: 'Zürich 🏔' });
  session.upstream.play(answerJson());
  const messages = [
    { role: 'user', content: 'Weather?' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'weather', input }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'sun' }] },
  ];
  await (await post(session.gateway, messagesBody({ tools, messages }))).text();
  const { messages: sent } = JSON.parse(session.upstream.seen.at(-1)?.body.toString() ?? '');
  assert.equal(sent[1].tool_calls[0].function.arguments, '{"city":"Zürich 🏔"}');
  assert.deepEqual(sent[2], { role: 'tool', tool_call_id: 'call_1', content: 'sun' });
});

describe('counting', () => {
  it('is done by the gateway, free of charge, with and without the prefix', async () => {
    await using session = await startMessages(answerJson(), {
      keys: { key: { limits: { requests: 1 } } },
    });
    const body = JSON.stringify({
      model: 'm',
      messages: [{ role: 'user', content: 'x'.repeat(400) }],
    });
    for (const path of ['/v1/messages/count_tokens', '/messages/count_tokens?beta=true']) {
      const response = await post(session.gateway, body, { path });
      assert.equal(response.status, 200);
      assert.deepEqual(await response.json(), { input_tokens: Math.ceil(body.length / 4) });
    }
    assert.equal(session.upstream.seen.length, 0);
    assert.equal(session.gateway.events.length, 0);
    const served = await post(session.gateway, messagesBody());
    assert.equal(served.status, 200);
  });

  it('counts no images', async () => {
    await using session = await startMessages(answerJson());
    const data = 'iVBORw0KGgo/'.repeat(1000);
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: [image] }] });
    const response = await post(session.gateway, body, { path: '/v1/messages/count_tokens' });
    assert.deepEqual(await response.json(), {
      input_tokens: Math.ceil((body.length - data.length) / 4),
    });
  });

  type Refused = Readonly<{ what: string; status: number; type: string; words: RegExp }> &
    Readonly<{ body?: unknown; headers?: Readonly<Record<string, string>> }>;
  const messages = [{ role: 'user', content: 'Hi' }];
  const refused: readonly Refused[] = [
    { what: 'no key', status: 401, type: 'authentication_error', words: /key/, headers: {} },
    {
      what: 'no model',
      status: 400,
      type: 'invalid_request_error',
      words: /^model must be/,
      body: { messages },
    },
    {
      what: 'no messages',
      status: 400,
      type: 'invalid_request_error',
      words: /^messages must be an array of at least one message, not null$/,
      body: { model: 'm' },
    },
    {
      what: 'messages that are none',
      status: 400,
      type: 'invalid_request_error',
      words: /^messages must be an array of at least one message, not \["Hi"\]$/,
      body: { model: 'm', messages: ['Hi'] },
    },
    {
      what: 'a model that is not served',
      status: 404,
      type: 'not_found_error',
      words: /"x" does not exist/,
      body: { model: 'x', messages },
    },
    {
      what: 'a model without the grant',
      status: 403,
      type: 'permission_error',
      words: /"m"/,
      headers: { 'x-api-key': 'poor' },
    },
    {
      what: 'a frontend model of which nothing is granted',
      status: 403,
      type: 'permission_error',
      words: /"both"/,
      body: { model: 'both', messages },
      headers: { 'x-api-key': 'poor' },
    },
  ];
  for (const { what, status, type, words, body = messagesBody(), headers = native } of refused) {
    it(`refuses ${what}`, async () => {
      await using session = await startMessages(answerJson(), {
        keys: { key: {}, poor: { grants: [] } },
        frontendModels: { both: { defaults: ['m'] } },
      });
      const path = '/v1/messages/count_tokens';
      const response = await post(session.gateway, body, { path, headers });
      const { error } = await errorOf(response);
      assert.deepEqual([response.status, error.type], [status, type]);
      assert.match(error.message, words);
      assert.equal(session.gateway.events.length, 0);
    });
  }

  it('counts for a frontend model with at least one granted target', async () => {
    await using session = await startMessages(answerJson(), {
      frontendModels: { both: { defaults: ['m'] } },
    });
    const body = { model: 'both', messages };
    const response = await post(session.gateway, body, { path: '/v1/messages/count_tokens' });
    assert.equal(response.status, 200);
  });
});
