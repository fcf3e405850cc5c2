// The Messages API over a backend that speaks it: the request and the answer go through as they are.

import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, it } from 'node:test';

import {
  errorOf,
  messagesBody,
  native,
  post,
  startMessages,
} from '../../harness/gateway/messages.ts';
import { rowOf, sentRequest } from '../../harness/gateway/translated.ts';
import { answerJson, startUpstream } from '../../harness/upstream/upstream.ts';
import { answerEvents, answerFailed, vendors } from '../../harness/upstream/vendors.ts';
import * as anthropic from '../../protocols/anthropic/events.ts';

const vendor = vendors.find(({ protocol }) => protocol === 'anthropic');
assert.ok(vendor !== undefined);
const { message, begun, ended, failure } = vendor;
const protocol = 'anthropic';
const turn = (...content: readonly object[]) => ({ role: 'assistant', content });
const chain = (first: string, second: string, firstProtocol: string, secondProtocol: string) => ({
  models: {
    m: { backends: [{ apiBase: first, protocol: firstProtocol }] },
    n: { backends: [{ apiBase: second, protocol: secondProtocol }] },
  },
  frontendModels: { both: { defaults: ['m', 'n'] } },
  keys: { key: {} },
  version: 2,
});

describe('a message over a backend of the Messages API', () => {
  it('is sent byte for byte except for the name of the model', async () => {
    await using session = await startMessages(answerJson(message), { protocol });
    const body =
      '{ "messages":[{"role":"user","content":"Hi"}],"max_tokens":64,\n "model": "m", "x":1.0,' +
      '"tools":[{"type":"web_search_20250305","name":"web_search"}] }';
    const headers = { ...native, 'anthropic-version': '2026-10-21', 'anthropic-beta': 'a,b' };
    const response = await post(session.gateway, body, { headers, path: '/v1/messages?beta=true' });
    assert.equal(response.status, 200);
    const seen = sentRequest(session.upstream);
    assert.equal(seen.path, '/v1/messages');
    assert.equal(seen.body.toString(), body.replace('"m"', '"up"'));
    assert.equal(seen.headers['x-api-key'], 'secret');
    assert.equal(seen.headers.authorization, undefined);
    assert.equal(seen.headers['anthropic-version'], '2026-10-21');
    assert.equal(seen.headers['anthropic-beta'], 'a,b');
  });

  it('gets a version if the client gave none', async () => {
    await using session = await startMessages(answerJson(message), { protocol });
    const headers = { authorization: 'Bearer key' };
    await (await post(session.gateway, messagesBody(), { headers })).text();
    assert.equal(sentRequest(session.upstream).headers['anthropic-version'], '2023-06-01');
  });

  it('is answered byte for byte, and counted with its cache', async () => {
    await using session = await startMessages(answerJson(message), { protocol });
    const response = await post(session.gateway, messagesBody());
    assert.equal(await response.text(), JSON.stringify(message));
    const row = await rowOf(session.gateway);
    assert.deepEqual([row.prompt_tokens, row.completion_tokens], [11, 7]);
  });

  it('is streamed byte for byte, and counted by its first event and its last', async () => {
    await using session = await startMessages(answerEvents(begun, ended), { protocol });
    const response = await post(session.gateway, messagesBody({ stream: true }));
    assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
    assert.equal(await response.text(), Buffer.concat([begun, ended]).toString());
    const row = await rowOf(session.gateway);
    assert.deepEqual([row.prompt_tokens, row.completion_tokens], [11, 7]);
  });

  it('keeps the message and status of an error', async () => {
    await using session = await startMessages(answerFailed(vendor, 400), { protocol });
    const response = await post(session.gateway, messagesBody());
    assert.equal(response.status, 400);
    assert.deepEqual(await errorOf(response), vendor.errorOf(400, 'the vendor says 400'));
  });

  it('that breaks off reports an error', async () => {
    await using session = await startMessages(answerEvents(begun), { protocol });
    const text = await (await post(session.gateway, messagesBody({ stream: true }))).text();
    assert.ok(text.startsWith(begun.toString()));
    assert.match(text.slice(begun.length), /^event: error\n/);
    assert.equal((await rowOf(session.gateway)).usage_reported, false);
  });

  it('is sent without thinking that the vendor did not sign', async () => {
    await using session = await startMessages(answerJson(message), { protocol });
    const thinking = { type: 'thinking', thinking: 'hm', signature: '' };
    const text = { type: 'text', text: 'Ho' };
    const user = { role: 'user', content: 'Hi' };
    const messages = [user, turn(thinking, text), user];
    await (await post(session.gateway, messagesBody({ messages }))).text();
    const sent: unknown = JSON.parse(sentRequest(session.upstream).body.toString());
    assert.deepEqual(sent, {
      ...messagesBody({ messages: [user, turn(text), user] }),
      model: 'up',
    });
  });
});

describe('a chain of backends of both kinds', () => {
  it('moves on from a stream whose first event is an error', async () => {
    await using session = await startMessages(answerEvents(failure), { protocol });
    await using other = await startUpstream(answerJson());
    const { gateway, upstream } = session;
    gateway.apply(chain(upstream.apiBase, other.apiBase, protocol, 'openai'));
    other.play(
      answerEvents(
        Buffer.from('data: {"choices":[{"delta":{"content":"Ho"}}]}\n\ndata: [DONE]\n\n'),
      ),
    );
    const response = await post(gateway, messagesBody({ model: 'both', stream: true }));
    assert.equal(response.headers.get('x-gw-served-model'), 'n');
    assert.match(await response.text(), /"text":"Ho"/);
  });

  it('is served by the backend that supports the request', async () => {
    await using session = await startMessages(answerJson(), { protocol: 'openai' });
    await using other = await startUpstream(answerJson(message));
    const { gateway, upstream } = session;
    gateway.apply(chain(upstream.apiBase, other.apiBase, 'openai', protocol));
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }];
    const response = await post(gateway, messagesBody({ model: 'both', tools }));
    assert.equal(response.headers.get('x-gw-served-model'), 'n');
    assert.equal(await response.text(), JSON.stringify(message));
    assert.equal(upstream.seen.length, 0);
  });

  it('relays an error of the last backend unchanged', async () => {
    await using session = await startMessages(answerFailed(vendor, 529), { protocol });
    const response = await post(session.gateway, messagesBody({ stream: true }));
    assert.equal(response.status, 529);
    assert.equal((await errorOf(response)).error.type, 'overloaded_error');
  });
});

it('an error within a stream is its last event', async () => {
  const late = anthropic.bytesOf({
    type: 'error',
    error: { type: 'overloaded_error', message: 'Overloaded' },
  });
  const open: ServerResponse[] = [];
  await using session = await startMessages(
    (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(begun);
      open.push(response);
    },
    { protocol },
  );
  const response = await post(session.gateway, messagesBody({ stream: true }));
  const told: Uint8Array[] = [];
  for await (const piece of response.body ?? []) {
    open.pop()?.end(late);
    told.push(piece);
  }
  assert.equal(Buffer.concat(told).toString(), Buffer.concat([begun, late]).toString());
});
