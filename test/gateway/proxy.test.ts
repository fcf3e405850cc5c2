// The walk of a request, on real sockets: who may call what, what the upstream sees, what is
// recorded.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';

import { fileOfText } from '../harness/gateway/config-file.ts';
import { chatBody, startTestGateway } from '../harness/gateway/gateway.ts';
import type { GivenSnapshot } from '../harness/gateway/snapshot.ts';
import {
  answerJson,
  answerStream,
  completion,
  startUpstream,
  usage,
} from '../harness/upstream/upstream.ts';
import { until } from '../harness/wait.ts';

type ErrorBody = { error: { code: string; type: string; param: string | null; message: string } };

async function errorOf(response: Response): Promise<ErrorBody['error']> {
  const body: ErrorBody = JSON.parse(await response.text());
  return body.error;
}

const keyed = (apiBase: string, more: Partial<GivenSnapshot> = {}): GivenSnapshot => ({
  models: { small: { backends: [{ apiBase, credential: 'secret', upstreamModel: 'org/small' }] } },
  keys: { key: {} },
  ...more,
});

describe('a chat completion', () => {
  it('reaches the backend under its own name of the model, with its credential', async () => {
    await using upstream = await startUpstream(answerJson());
    await using gateway = await startTestGateway(keyed(upstream.apiBase));
    const response = await gateway.chat(chatBody('small'));
    assert.equal(response.status, 200);
    assert.deepEqual(await response.json(), completion);
    assert.equal(response.headers.get('x-gw-route'), 'concrete');
    assert.equal(response.headers.get('x-gw-served-model'), 'small');
    assert.match(response.headers.get('x-request-id') ?? '', /^[0-9A-Z]{26}$/);
    const [seen] = upstream.seen;
    assert.equal(seen?.path, '/v1/chat/completions');
    assert.equal(seen?.headers.authorization, 'Bearer secret');
    assert.equal(seen?.body.toString(), JSON.stringify(chatBody('org/small')));
  });

  it('is served without the /v1 prefix too', async () => {
    await using upstream = await startUpstream(answerJson());
    await using gateway = await startTestGateway(keyed(upstream.apiBase));
    const response = await fetch(`${gateway.url}/chat/completions?x=1`, {
      method: 'POST',
      headers: { authorization: 'bearer key' },
      body: JSON.stringify(chatBody('small')),
    });
    assert.equal(response.status, 200);
    assert.equal(upstream.seen[0]?.path, '/v1/chat/completions');
  });

  it('is recorded with the counts that the backend reported', async () => {
    await using upstream = await startUpstream(answerJson());
    await using gateway = await startTestGateway(keyed(upstream.apiBase));
    await (await gateway.chat(chatBody('small', { max_tokens: 9 }))).text();
    await until(() => gateway.events.length === 1, { what: 'a usage row' });
    const [event] = gateway.events;
    assert.equal(event?.principal_id, 1);
    assert.equal(event?.model, 'small');
    assert.equal(event?.status, 200);
    assert.equal(event?.usage_reported, true);
    assert.deepEqual([event?.prompt_tokens, event?.completion_tokens], [11, 7]);
    assert.equal(event?.max_tokens, 9);
    assert.equal(event?.attempts, 1);
    assert.equal(event?.route, 'concrete');
  });

  it('that is answered with text has no counts, whatever the text says', async () => {
    const said = JSON.stringify({ usage });
    await using upstream = await startUpstream((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' }).end(said);
    });
    await using gateway = await startTestGateway(keyed(upstream.apiBase));
    assert.equal(await (await gateway.chat(chatBody('small'))).text(), said);
    await until(() => gateway.events.length === 1, { what: 'a usage row' });
    assert.equal(gateway.events[0]?.usage_reported, false);
  });

  it('asks for usage on a stream, relays every frame and records the counts', async () => {
    await using upstream = await startUpstream(answerStream(['a', 'b', 'c']));
    await using gateway = await startTestGateway(keyed(upstream.apiBase));
    const response = await gateway.chat(chatBody('small', { stream: true }));
    const text = await response.text();
    assert.equal(text.match(/"delta"/g)?.length, 3);
    assert.ok(text.endsWith('data: [DONE]\n\n'));
    await until(() => gateway.events.length === 1, { what: 'a usage row' });
    assert.deepEqual(
      [gateway.events[0]?.prompt_tokens, gateway.events[0]?.completion_tokens],
      [11, 7],
    );
    assert.equal(gateway.events[0]?.stream, true);
  });

  it("never shows the client's key, cookie or hop-by-hop fields to the backend", async () => {
    await using upstream = await startUpstream(answerJson());
    await using gateway = await startTestGateway(keyed(upstream.apiBase));
    await gateway.chat(chatBody('small'), {
      authorization: 'Bearer key',
      'x-api-key': 'canary-1',
      cookie: 'gw_session=canary-2',
      'x-goog-api-key': 'canary-3',
      'proxy-authorization': 'canary-4',
      'x-forwarded-for': 'canary-5',
      'accept-encoding': 'gzip',
      'anthropic-beta': 'canary-6',
      'x-gw-route': 'canary-7',
      'openai-beta': 'kept',
      'x-title': 'my app',
      'http-referer': 'https://app.example',
    });
    const raw = upstream.seen[0]?.rawHeaders.join('\n').toLowerCase() ?? '';
    assert.doesNotMatch(raw, /canary|bearer key|gzip|cookie/);
    assert.match(raw, /openai-beta\nkept/);
    assert.match(raw, /x-title\nmy app/);
    assert.match(raw, /http-referer\nhttps:\/\/app\.example/);
    assert.match(raw, /accept-encoding\nidentity/);
  });

  it("never shows the backend's own control fields to the client", async () => {
    const headers = { 'set-cookie': 'a=b', 'x-gw-route': 'forged', 'x-ratelimit-limit': '9' };
    await using upstream = await startUpstream(answerJson(completion, 200, headers));
    await using gateway = await startTestGateway(keyed(upstream.apiBase));
    const response = await gateway.chat(chatBody('small'));
    assert.equal(response.headers.get('x-gw-route'), 'concrete');
    assert.equal(response.headers.get('set-cookie'), null);
    assert.equal(response.headers.get('x-ratelimit-limit'), null);
  });

  it("passes a backend's own refusal on, untouched", async () => {
    const refusal = { error: { message: 'bad temperature' } };
    await using upstream = await startUpstream(answerJson(refusal, 400));
    await using gateway = await startTestGateway(keyed(upstream.apiBase));
    const response = await gateway.chat(chatBody('small'));
    assert.equal(response.status, 400);
    assert.deepEqual(await response.json(), refusal);
    await until(() => gateway.events[0]?.status === 400, { what: 'a usage row' });
  });

  it('needs no key when the snapshot is open, and then records nothing', async () => {
    await using upstream = await startUpstream(answerStream(['a']));
    const { models } = keyed(upstream.apiBase);
    await using gateway = await startTestGateway({ models });
    const response = await gateway.chat(chatBody('small', { stream: true }), {});
    assert.doesNotMatch(await response.text(), /usage/);
    assert.equal(gateway.events.length, 0);
  });
});

describe('a request is refused', () => {
  it('with 401 for a missing, unknown or expired key, before its path is looked at', async () => {
    await using gateway = await startTestGateway({
      models: {},
      keys: { key: {}, old: { expiresAt: '2020-01-01T00:00:00Z' } },
    });
    for (const headers of [{}, { authorization: 'Bearer no' }, { authorization: 'Basic key' }]) {
      const response = await gateway.chat(chatBody('small'), headers);
      assert.equal(response.status, 401);
      assert.equal((await errorOf(response)).code, 'invalid_api_key');
    }
    const expired = await gateway.chat(chatBody('small'), { authorization: 'Bearer old' });
    assert.equal((await errorOf(expired)).code, 'expired_api_key');
    assert.equal((await fetch(`${gateway.url}/v1/nonsense`)).status, 401);
    const headers = { authorization: 'Bearer key' };
    const nowhere = await fetch(`${gateway.url}/v1/nonsense?q`, { headers });
    assert.equal(nowhere.status, 404);
    const { code, message } = await errorOf(nowhere);
    assert.equal(code, 'not_found');
    assert.equal(message, 'route GET "/v1/nonsense" does not exist; check the base URL and path');
    assert.equal(gateway.events.length, 0);
  });

  it('with 401 that says where the key belongs, when it came as on the Messages API', async () => {
    await using gateway = await startTestGateway({ models: {}, keys: { key: {} } });
    const response = await gateway.chat(chatBody('small'), { 'x-api-key': 'key' });
    assert.equal(response.status, 401);
    assert.match(
      (await errorOf(response)).message,
      /API key is missing.*x-api-key.*\/v1\/messages/,
    );
  });

  it('with 404 for an unknown model, which lists no other name', async () => {
    await using upstream = await startUpstream(answerJson());
    await using gateway = await startTestGateway(keyed(upstream.apiBase));
    const response = await gateway.chat(chatBody('large'));
    assert.equal(response.status, 404);
    const error = await errorOf(response);
    assert.equal(error.code, 'model_not_found');
    assert.equal(error.param, 'model');
    assert.doesNotMatch(error.message, /small/);
    assert.equal(gateway.events.length, 0);
  });

  it('with 403 without a grant, and that is recorded', async () => {
    await using upstream = await startUpstream(answerJson());
    const keys = { key: { grants: ['model/other'] } };
    await using gateway = await startTestGateway(keyed(upstream.apiBase, { keys }));
    const response = await gateway.chat(chatBody('small'));
    assert.equal(response.status, 403);
    assert.equal((await errorOf(response)).code, 'model_access_denied');
    assert.equal(upstream.seen.length, 0);
    assert.equal(gateway.events[0]?.refusal, 'authorisation');
    assert.equal(gateway.events[0]?.status, 403);
  });

  it('with 400 for a body that two readers could read differently', async () => {
    await using upstream = await startUpstream(answerJson());
    await using gateway = await startTestGateway(keyed(upstream.apiBase));
    const response = await gateway.chat('{"model":"small","model":"large"}');
    assert.equal(response.status, 400);
    assert.equal((await errorOf(response)).code, 'ambiguous_request');
    for (const body of ['', '{', '[]', '{"messages":[]}']) {
      assert.equal((await gateway.chat(body)).status, 400, body);
    }
    assert.equal(upstream.seen.length, 0);
  });

  it('with 415 for an encoded body', async () => {
    await using gateway = await startTestGateway(keyed('http://127.0.0.1:1'));
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer key', 'content-encoding': 'gzip' },
      body: gzipSync(JSON.stringify(chatBody('small'))),
    });
    assert.equal(response.status, 415);
  });

  it('with 405 for another method, and is told which is served', async () => {
    await using gateway = await startTestGateway(keyed('http://127.0.0.1:1'));
    const headers = { authorization: 'Bearer key' };
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'DELETE']) {
      const url = `${gateway.url}/v1/chat/completions`;
      const response = await fetch(url, { method, headers });
      assert.equal(response.status, 405, method);
      assert.equal(response.headers.get('allow'), 'POST');
      await response.text();
    }
  });

  it('with a message that does not grow with the name', async () => {
    await using gateway = await startTestGateway(keyed('http://127.0.0.1:1'));
    const response = await gateway.chat(chatBody('x'.repeat(100_000)));
    assert.equal(response.status, 404);
    assert.ok((await response.text()).length < 1000);
  });

  it('with 501 for what the protocol of its backend has no words for, which it names', async () => {
    const backends = [{ apiBase: 'http://127.0.0.1:1', protocol: 'anthropic' }];
    await using gateway = await startTestGateway({ models: { claude: { backends } } });
    const response = await gateway.chat(chatBody('claude', { n: 2 }));
    assert.equal(response.status, 501);
    assert.match((await errorOf(response)).message, /anthropic/);
  });

  it('with 503 and Retry-After before the first snapshot, never with 401', async () => {
    await using gateway = await startTestGateway(null);
    const response = await gateway.chat(chatBody('small'), {});
    assert.equal(response.status, 503);
    assert.equal((await errorOf(response)).code, 'no_snapshot');
    assert.equal(response.headers.get('retry-after'), '1');
    assert.equal((await fetch(`${gateway.url}/v1/models`)).status, 503);
  });
});

describe('a new snapshot', () => {
  it('keeps what each of two equal endpoints has counted', async () => {
    await using upstream = await startUpstream(answerJson());
    const { apiBase } = upstream;
    const entry = `{ model_name: m, litellm_params: { model: m, api_base: "${apiBase}" } }`;
    const read = fileOfText(`model_list: [${entry}, ${entry}]`);
    await using gateway = await startTestGateway(null);
    for (let request = 0; request < 4; request++) {
      if (request % 2 === 0) gateway.live.apply(read.snapshot);
      await (await gateway.chat(chatBody('m'), {})).text();
    }
    assert.match(await gateway.metrics(), /gw_backend_requests_total\{.*\} 4\n/);
  });

  it('that renumbers models keeps the counts of a model by name', async () => {
    await using upstream = await startUpstream(answerJson());
    const { apiBase } = upstream;
    const one = { one: { backends: [{ apiBase }] } };
    const two = { two: { backends: [{ apiBase }] } };
    await using gateway = await startTestGateway({ models: { ...one, ...two } });
    await (await gateway.chat(chatBody('one'), {})).text();
    gateway.apply({ version: 2, models: { ...two, ...one } });
    const metrics = await gateway.metrics();
    assert.match(metrics, /gw_model_requests_total\{model="one"\} 1\n/);
    assert.match(metrics, /gw_model_requests_total\{model="two"\} 0\n/);
  });

  it('ends a key that it no longer has', async () => {
    await using upstream = await startUpstream(answerJson());
    await using gateway = await startTestGateway(keyed(upstream.apiBase));
    assert.equal((await gateway.chat(chatBody('small'))).status, 200);
    gateway.apply(keyed(upstream.apiBase, { version: 2, keys: { another: {} } }));
    assert.equal((await gateway.chat(chatBody('small'))).status, 401);
  });

  it('leaves a request in flight to the version that it began with', async () => {
    await using upstream = await startUpstream(answerJson());
    await using gateway = await startTestGateway(keyed(upstream.apiBase));
    upstream.play((seen, response) => {
      gateway.apply({ version: 2, models: {}, keys: {} });
      answerJson()(seen, response);
    });
    const response = await gateway.chat(chatBody('small'));
    assert.equal(response.status, 200);
    await response.text();
    await until(() => gateway.events.length === 1, { what: 'a usage row' });
    assert.equal(gateway.events[0]?.snapshot_version, 1);
  });
});
