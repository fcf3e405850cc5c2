// Clients of the Messages API are refused in its own envelope at every step of the walk (wire
// reference 1.7).

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { startTestGateway } from '../../harness/gateway/gateway.ts';
import {
  errorOf,
  messagesBody,
  native,
  post,
  startMessages,
} from '../../harness/gateway/messages.ts';
import { answerJson, unusedApiBase } from '../../harness/upstream/upstream.ts';
import { answerEvents, vendors } from '../../harness/upstream/vendors.ts';

describe('the error envelope of the API is used', () => {
  const frontendModels = {
    closed: { rules: [{ deny: { status: 418, message: 'not today' } }] },
  };
  type Case = Readonly<{
    what: string;
    status: number;
    type: string;
    body?: unknown;
    headers?: Readonly<Record<string, string>>;
    path?: string;
  }>;
  const cases: readonly Case[] = [
    { what: 'no key', status: 401, type: 'authentication_error', headers: {} },
    {
      what: 'an unknown key',
      status: 401,
      type: 'authentication_error',
      headers: { 'x-api-key': 'x' },
    },
    {
      what: 'a key without the grant',
      status: 403,
      type: 'permission_error',
      headers: { 'x-api-key': 'poor' },
    },
    {
      what: 'a spent budget',
      status: 402,
      type: 'billing_error',
      headers: { 'x-api-key': 'spent' },
    },
    { what: 'no JSON', status: 400, type: 'invalid_request_error', body: '{' },
    { what: 'no model', status: 400, type: 'invalid_request_error', body: { messages: [] } },
    {
      what: 'no cap',
      status: 400,
      type: 'invalid_request_error',
      body: messagesBody({ max_tokens: null }),
    },
    {
      what: 'an unknown model',
      status: 404,
      type: 'not_found_error',
      body: messagesBody({ model: 'x' }),
    },
    {
      what: 'a rule that denies',
      status: 418,
      type: 'invalid_request_error',
      body: messagesBody({ model: 'closed' }),
    },
    {
      what: 'another media type',
      status: 415,
      type: 'invalid_request_error',
      headers: { ...native, 'content-type': 'multipart/form-data; boundary=x' },
    },
    {
      what: 'a body that is too large',
      status: 413,
      type: 'request_too_large',
      body: messagesBody({ x: 'x'.repeat(1024 * 1024) }),
    },
  ];
  for (const { what, status, type, body = messagesBody(), headers = native } of cases) {
    it(`as is ${what}`, async () => {
      await using session = await startMessages(answerJson(), {
        frontendModels,
        keys: { key: {}, poor: { grants: [] }, spent: { budget: { tokens: [5, 5] } } },
      });
      const response = await post(session.gateway, body, { headers });
      assert.equal(response.status, status);
      const told = await errorOf(response);
      assert.deepEqual([told.type, told.error.type], ['error', type]);
      assert.equal(told.request_id, response.headers.get('request-id'));
      assert.equal(told.request_id, response.headers.get('x-request-id'));
    });
  }

  it('for a route of the API that is not served', async () => {
    await using session = await startMessages(answerJson());
    const response = await post(session.gateway, {}, { path: '/v1/messages/batches' });
    assert.equal(response.status, 404);
    assert.equal((await errorOf(response)).error.type, 'not_found_error');
  });

  it('for an error within the stream of another protocol', async () => {
    const vendor = vendors.find(({ protocol }) => protocol === 'gemini');
    assert.ok(vendor !== undefined);
    await using session = await startMessages(answerEvents(vendor.failure), { protocol: 'gemini' });
    const response = await post(session.gateway, messagesBody({ stream: true }));
    assert.equal(response.status, 503);
    assert.deepEqual((await errorOf(response)).error, {
      type: 'overloaded_error',
      message: vendor.failedMessage,
    });
  });

  it('for a method that is not allowed', async () => {
    await using session = await startMessages(answerJson());
    const response = await fetch(`${session.gateway.url}/v1/messages`, { headers: native });
    assert.deepEqual([response.status, response.headers.get('allow')], [405, 'POST']);
    assert.equal((await errorOf(response)).error.type, 'invalid_request_error');
  });

  it('for an unreachable backend, and for one that returns an error', async () => {
    await using session = await startMessages(
      answerJson({ error: { message: 'the key is wrong', type: 'x' } }, 401),
    );
    const refused = await post(session.gateway, messagesBody());
    assert.equal(refused.status, 401);
    assert.deepEqual((await errorOf(refused)).error, {
      type: 'authentication_error',
      message: 'the key is wrong',
    });
    session.upstream.play(answerJson({ detail: 'busy' }, 503, { 'retry-after': '7' }));
    const busy = await post(session.gateway, messagesBody());
    assert.deepEqual([busy.status, busy.headers.get('retry-after')], [503, '7']);
    assert.deepEqual((await errorOf(busy)).error, { type: 'overloaded_error', message: 'busy' });
    session.gateway.apply({
      models: { m: { backends: [{ apiBase: await unusedApiBase() }] } },
      keys: { key: {} },
      version: 2,
    });
    const unreached = await post(session.gateway, messagesBody());
    assert.equal(unreached.status, 502);
    assert.equal((await errorOf(unreached)).error.type, 'api_error');
  });

  it('without a configuration', async () => {
    await using gateway = await startTestGateway(null);
    const response = await post(gateway, messagesBody());
    assert.equal(response.status, 503);
    assert.equal((await errorOf(response)).error.type, 'overloaded_error');
  });
});

it('the model list refuses in the envelope where it is asked for in the shape of the API', async () => {
  await using session = await startMessages(answerJson());
  const { url } = session.gateway;
  const refused = await fetch(`${url}/v1/models`, { headers: { ...native, 'x-api-key': 'x' } });
  assert.equal((await errorOf(refused)).error.type, 'authentication_error');
  const list = await fetch(`${url}/v1/models?limit=1000`, { headers: native });
  const { data, has_more: hasMore, first_id: first } = JSON.parse(await list.text());
  assert.deepEqual([data[0].id, data[0].type, hasMore, first], ['m', 'model', false, 'm']);
});
