// Tests the routes that the gateway answers itself (models, health, readiness, metrics), and how it drains.

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';

import { chatBody, startTestGateway } from '../harness/gateway/gateway.ts';
import { answerJson, delta, startUpstream } from '../harness/upstream/upstream.ts';
import { until } from '../harness/wait.ts';

const backends = [{ apiBase: 'http://127.0.0.1:1/v1' }];

async function json(url: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(url, { headers });
  const body: unknown = await response.json();
  return { status: response.status, body };
}

const startedMs = Date.parse('2026-03-01T12:00:00.250Z');
const atStart = { now: () => startedMs };

const native = (id: string) => ({
  type: 'model',
  id,
  display_name: id,
  created_at: '2026-03-01T12:00:00.250Z',
});
const entry = (id: string) => ({ id, object: 'model', created: 1_772_366_400, owned_by: 'gw' });

describe('GET /v1/models', () => {
  it('lists what the key may invoke, with the window where it is known', async () => {
    await using gateway = await startTestGateway(
      {
        models: {
          zeta: { backends },
          alpha: { backends, contextLength: 4096 },
          hidden: { backends },
          unserved: { backends: [] },
        },
        keys: { key: { grants: ['model/alpha', 'model/zeta', 'model/unserved'] } },
      },
      atStart,
    );
    const headers = { authorization: 'Bearer key' };
    const data = [{ ...entry('alpha'), max_model_len: 4096, context_length: 4096 }, entry('zeta')];
    for (const path of ['/v1/models', '/models']) {
      assert.deepEqual(await json(gateway.url + path, headers), {
        status: 200,
        body: { object: 'list', data },
      });
    }
    assert.equal((await json(`${gateway.url}/v1/models`)).status, 401);
    assert.equal((await json(`${gateway.url}/v1/models`, { 'x-api-key': 'key' })).status, 401);
    const posted = await fetch(`${gateway.url}/v1/models`, { method: 'POST', headers });
    assert.equal(posted.status, 405);
    assert.equal(posted.headers.get('allow'), 'GET, HEAD');
  });

  it('dates each name from when the proxy first served it', async () => {
    let nowMs = startedMs;
    const one = { models: { first: { backends } }, keys: { key: {} } };
    await using gateway = await startTestGateway(one, { now: () => nowMs });
    nowMs += 60_000;
    gateway.apply({ ...one, models: { ...one.models, second: { backends } } });
    const { body } = await json(`${gateway.url}/v1/models`, { authorization: 'Bearer key' });
    const data = [entry('first'), { ...entry('second'), created: 1_772_366_460 }];
    assert.deepEqual(body, { object: 'list', data });
  });

  it("has the vendor's own shape for a request with the vendor's version header", async () => {
    const models = { b: { backends }, a: { backends, contextLength: 4096 } };
    await using gateway = await startTestGateway({ models, keys: { key: {} } }, atStart);
    const windows = { max_model_len: 4096, context_length: 4096, max_input_tokens: 4096 };
    const data = [{ ...native('a'), ...windows }, native('b')];
    const headers = { 'anthropic-version': '2023-06-01', 'x-api-key': 'key' };
    assert.deepEqual(await json(`${gateway.url}/v1/models`, headers), {
      status: 200,
      body: { data, has_more: false, first_id: 'a', last_id: 'b' },
    });
  });
});

describe('GET /v1/models/{model}', () => {
  const models = { 'a/b c': { backends, contextLength: 4096 }, hidden: { backends } };
  const keys = { key: { grants: ['model/a/b c'] } };
  const headers = { authorization: 'Bearer key' };

  it('is the entry of the list, by the name as it is or as it stands in an address', async () => {
    await using gateway = await startTestGateway({ models, keys }, atStart);
    const windows = { max_model_len: 4096, context_length: 4096 };
    for (const path of ['/v1/models/a%2Fb%20c', '/v1/models/a/b%20c', '/models/a%2fb%20c']) {
      assert.deepEqual(await json(gateway.url + path, headers), {
        status: 200,
        body: { ...entry('a/b c'), ...windows },
      });
    }
    const vendor = { 'anthropic-version': '2023-06-01', 'x-api-key': 'key' };
    assert.deepEqual(await json(`${gateway.url}/v1/models/a%2Fb%20c`, vendor), {
      status: 200,
      body: { ...native('a/b c'), ...windows, max_input_tokens: 4096 },
    });
  });

  it('says of what the list does not hold that it is not served', async () => {
    await using gateway = await startTestGateway({ models, keys });
    const shape = { type: 'not_found_error', param: 'model', code: 'model_not_found' };
    for (const [name, read] of [
      ['hidden', 'hidden'],
      ['absent', 'absent'],
      ['%E0', '%E0'],
    ]) {
      const { status, body } = await json(`${gateway.url}/v1/models/${name}`, headers);
      assert.equal(status, 404);
      assert.partialDeepStrictEqual(body, {
        error: {
          ...shape,
          message: `model "${read}" does not exist; GET /v1/models lists the available models`,
        },
      });
    }
    const vendor = { 'anthropic-version': '2023-06-01', 'x-api-key': 'key' };
    const { body } = await json(`${gateway.url}/v1/models/absent`, vendor);
    assert.partialDeepStrictEqual(body, { type: 'error', error: { type: 'not_found_error' } });
  });
});

describe('every route', () => {
  it('refuses a head that two readers could read differently', async () => {
    await using gateway = await startTestGateway({ models: {} });
    for (const path of ['/health', '/metrics', '/v1/models']) {
      const socket = connect(Number(new URL(gateway.url).port));
      let received = '';
      socket.on('data', (bytes: Buffer) => (received += bytes.toString()));
      socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n`);
      await until(() => received.includes('\r\n\r\n'), { what: 'an answer' });
      assert.match(received, /^HTTP\/1\.1 400 /, path);
      socket.destroy();
    }
  });
});

describe('health', () => {
  it('is 200 whatever the state, which it names', async () => {
    await using gateway = await startTestGateway(null);
    const empty = { status: 'no_snapshot', snapshot_version: 0, uptime_seconds: 0, keys: 0 };
    assert.deepEqual(await json(`${gateway.url}/health`), {
      status: 200,
      body: { ...empty, backends: [] },
    });
    gateway.apply({ version: 5, models: { m: { backends } }, keys: { key: {} } });
    const backend = { api_base: backends[0]?.apiBase, model: 'm', inflight: 0 };
    const fresh = { ...backend, healthy: true, requests_total: 0, errors_total: 0 };
    assert.deepEqual(await json(`${gateway.url}/health`), {
      status: 200,
      body: { ...empty, status: 'ok', snapshot_version: 5, keys: 1, backends: [fresh] },
    });
    for (let request = 0; request < 2; request++) await gateway.chat(chatBody('m'));
    const failed = { ...backend, healthy: false, requests_total: 2, errors_total: 2 };
    assert.deepEqual(await json(`${gateway.url}/health`), {
      status: 200,
      body: {
        ...empty,
        status: 'no_healthy_backends',
        snapshot_version: 5,
        keys: 1,
        backends: [failed],
      },
    });
  });

  it('is apart from readiness, which needs a snapshot', async () => {
    await using gateway = await startTestGateway(null);
    assert.equal((await json(`${gateway.url}/readyz`)).status, 503);
    assert.equal((await json(`${gateway.url}/healthz`)).status, 200);
    gateway.apply({ models: {} });
    assert.equal((await json(`${gateway.url}/readyz`)).status, 200);
  });
});

describe('GET /metrics', () => {
  it('counts who asks for models without a key, and for one that is not there', async () => {
    await using gateway = await startTestGateway({ models: {}, keys: { key: {} } });
    await json(`${gateway.url}/v1/models`, { authorization: 'Bearer guessed' });
    await json(`${gateway.url}/v1/models/m`);
    await json(`${gateway.url}/v1/models/m`, { authorization: 'Bearer key' });
    const text = await gateway.metrics();
    assert.match(text, /^gw_rejections_total\{reason="unauthenticated"\} 2$/m);
    assert.match(text, /^gw_rejections_total\{reason="model_not_found"\} 1$/m);
  });

  it('counts requests, answers and refusals', async () => {
    await using upstream = await startUpstream(answerJson());
    const { apiBase } = upstream;
    await using gateway = await startTestGateway({
      version: 42,
      models: { m: { backends: [{ apiBase, upstreamModel: 'up' }] } },
      keys: { key: {} },
    });
    await (await gateway.chat(chatBody('m'))).text();
    await (await gateway.chat(chatBody('absent'))).text();
    await (await gateway.chat(chatBody('m'), {})).text();
    const text = await gateway.metrics();
    const labels = `api_base="${apiBase}",model="up"`;
    for (const line of [
      'gw_requests_total 3',
      'gw_requests_failed_total 0',
      'gw_rejections_total{reason="unauthenticated"} 1',
      'gw_rejections_total{reason="model_not_found"} 1',
      'gw_upstream_status_total{class="success"} 1',
      'gw_upstream_status_total{class="rate_limited"} 0',
      'gw_request_outcomes_total{outcome="ok"} 1',
      'gw_snapshot_version 42',
      'gw_build_info{version="0.0.0-test"} 1',
      'gw_model_requests_total{model="m"} 1',
      `gw_backend_requests_total{${labels}} 1`,
      `gw_backend_errors_total{${labels}} 0`,
      `gw_backend_healthy{${labels}} 1`,
      `gw_backend_inflight{${labels}} 0`,
      `gw_backend_duration_seconds_count{${labels}} 1`,
      'gw_request_duration_seconds_count 3',
      'gw_time_to_first_token_seconds_bucket{le="+Inf"} 1',
    ]) {
      assert.ok(text.split('\n').includes(line), `${line} is missing in\n${text}`);
    }
  });

  it('shows an endpoint that two models share once', async () => {
    await using upstream = await startUpstream(answerJson());
    const shared = { backends: [{ apiBase: upstream.apiBase, upstreamModel: 'up' }] };
    await using gateway = await startTestGateway({ models: { a: shared, b: shared } });
    for (const model of ['a', 'b']) await (await gateway.chat(chatBody(model), {})).text();
    const text = await gateway.metrics();
    assert.equal(text.match(/^gw_backend_requests_total\{.*\} 2$/gm)?.length, 1);
    assert.equal(text.match(/^gw_backend_healthy\{/gm)?.length, 1);
    assert.equal(text.match(/^gw_backend_duration_seconds_count\{.*\} 2$/gm)?.length, 1);
  });
});

describe('draining', () => {
  it('lets a stream in flight end, and closes idle connections at once', async () => {
    const ending = Promise.withResolvers<void>();
    await using upstream = await startUpstream((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(delta('a'));
      void ending.promise.then(() => response.end('data: [DONE]\n\n'));
    });
    const gateway = await startTestGateway({
      models: { m: { backends: [{ apiBase: upstream.apiBase }] } },
    });
    await fetch(`${gateway.url}/healthz`);
    const response = await gateway.chat(chatBody('m', { stream: true }), {});
    const closed = gateway.gateway.close(5000);
    await assert.rejects(fetch(`${gateway.url}/healthz`, { headers: { connection: 'close' } }));
    ending.resolve();
    assert.match(await response.text(), /\[DONE\]/);
    await closed;
    assert.ok(!gateway.logLines.some(({ level }) => level === 'warn'));
  });

  it('cuts what is left at the end of the grace, and says how much that was', async () => {
    await using upstream = await startUpstream(() => {});
    const gateway = await startTestGateway({
      models: { m: { backends: [{ apiBase: upstream.apiBase }] } },
    });
    const request = gateway.chat(chatBody('m'), {});
    request.catch(() => {});
    await until(() => upstream.seen.length === 1, { what: 'the request to arrive' });
    await gateway.gateway.close(50);
    await assert.rejects(request);
    const warning = gateway.logLines.find(({ level }) => level === 'warn');
    assert.equal(warning?.fields['connections'], 1);
    await until(() => upstream.seen[0]?.isAborted, { what: 'the upstream to be left' });
  });
});
