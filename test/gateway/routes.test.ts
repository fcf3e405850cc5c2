// Each of the twelve routes is authorised, routed and forwarded alike; only the model's name differs
// between what the client sent and what the upstream got.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { proxiedRoutes } from '../../src/gateway/routes.ts';
import { writeForm } from '../harness/bytes/forms.ts';
import { startTestGateway } from '../harness/gateway/gateway.ts';
import type { TestGateway } from '../harness/gateway/gateway.ts';
import { answerJson, answerStream, startUpstream } from '../harness/upstream/upstream.ts';

const keyed = (apiBase: string, protocol = 'openai') => ({
  models: { m: { backends: [{ apiBase, upstreamModel: 'org/m', protocol }] } },
  keys: { key: {} },
});

type Sent = Readonly<{ body: string | Buffer; type?: string; method?: string; key?: string }>;

const send = ({ url }: TestGateway, path: string, sent: Sent): Promise<Response> =>
  fetch(`${url}${path}`, {
    method: sent.method ?? 'POST',
    headers: {
      authorization: `Bearer ${sent.key ?? 'key'}`,
      'content-type': sent.type ?? 'application/json',
    },
    body: typeof sent.body === 'string' ? sent.body : new Uint8Array(sent.body),
  });

async function codeOf(response: Response): Promise<string> {
  const body: { error: { code: string } } = JSON.parse(await response.text());
  return body.error.code;
}

const uploads = proxiedRoutes.filter(({ takesForm }) => takesForm);
const formType = 'multipart/form-data; boundary=XX';
const form = writeForm('XX', [
  { head: 'Content-Disposition: form-data; name="file"; filename="a"', content: '\0\r\n\xff' },
  { head: 'Content-Disposition: form-data; name="model"', content: 'm' },
  { head: 'Content-Disposition: form-data; name="prompt"', content: 'm' },
]);

describe('a proxied route', () => {
  it('is reached with and without the prefix, and forwarded but for the name', async () => {
    await using upstream = await startUpstream(answerJson());
    await using gateway = await startTestGateway(keyed(upstream.apiBase));
    for (const { path } of proxiedRoutes) {
      for (const asked of [path, `/v1${path}`]) {
        const body = ` {"input":"m", "model":"m" ,"x":1.0}\n`;
        const response = await send(gateway, asked, { body });
        assert.equal(response.status, 200, asked);
        await response.text();
        const seen = upstream.seen.pop();
        assert.equal(seen?.path, `/v1${path}`);
        assert.equal(seen?.body.toString(), body.replace('"model":"m"', '"model":"org/m"'));
      }
    }
  });

  it('asks for usage only on the streams that know how to report it', async () => {
    await using upstream = await startUpstream(answerStream(['a']));
    await using gateway = await startTestGateway(keyed(upstream.apiBase));
    const asking: string[] = [];
    for (const { path } of proxiedRoutes) {
      await (await send(gateway, path, { body: '{"model":"m","stream":true}' })).text();
      if (upstream.seen.pop()?.body.includes('include_usage') === true) asking.push(path);
    }
    assert.deepEqual(asking, ['/chat/completions', '/completions']);
  });

  it('is refused with 501 by a backend of another protocol, which says what it is asked for', async () => {
    await using gateway = await startTestGateway(keyed('http://127.0.0.1:1', 'gemini'));
    const untranslated = proxiedRoutes.filter(({ isTranslated }) => !isTranslated);
    assert.equal(untranslated.length, 10);
    for (const { path } of untranslated) {
      const response = await send(gateway, path, { body: '{"model":"m"}' });
      assert.equal(response.status, 501, path);
      assert.equal(response.headers.get('x-should-retry'), 'false');
      assert.match(await response.text(), new RegExp(`gemini does not serve ${path}"`));
    }
  });

  it('passes such a backend by when another of the chain serves it', async () => {
    await using upstream = await startUpstream(answerJson());
    const { apiBase } = upstream;
    const native = { backends: [{ apiBase: 'http://127.0.0.1:1', protocol: 'gemini' }] };
    const models = { native, m: { backends: [{ apiBase }] } };
    const frontendModels = { any: { defaults: ['native', 'm'] } };
    await using gateway = await startTestGateway({ models, frontendModels, keys: { key: {} } });
    const response = await send(gateway, '/v1/embeddings', { body: '{"model":"any"}' });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('x-gw-served-model'), 'm');
  });
});

describe('an upload', () => {
  it('is forwarded with the name of the model changed and no other byte', async () => {
    await using upstream = await startUpstream(answerJson());
    await using gateway = await startTestGateway(keyed(upstream.apiBase));
    assert.equal(uploads.length, 3);
    for (const { path } of uploads) {
      const response = await send(gateway, `/v1${path}`, { body: form, type: formType });
      assert.equal(response.status, 200, path);
      await response.text();
      const seen = upstream.seen.pop();
      assert.equal(seen?.path, `/v1${path}`);
      assert.equal(seen?.headers['content-type'], formType);
      const text = form.toString('latin1').replace('\r\nm\r\n', '\r\norg/m\r\n');
      assert.equal(seen?.body.toString('latin1'), text);
    }
  });

  it('may be JSON, for upstreams that take it so', async () => {
    await using upstream = await startUpstream(answerJson());
    await using gateway = await startTestGateway(keyed(upstream.apiBase));
    const response = await send(gateway, '/v1/images/edits', { body: '{"model":"m"}' });
    assert.equal(response.status, 200);
  });

  it('is a usage row like any other', async () => {
    await using upstream = await startUpstream(answerStream(['a']));
    await using gateway = await startTestGateway(keyed(upstream.apiBase));
    const streamed = writeForm('XX', [
      { head: 'content-disposition: form-data; name="model"', content: 'm' },
      { head: 'content-disposition: form-data; name="stream"', content: 'true' },
    ]);
    const path = '/v1/audio/transcriptions';
    await (await send(gateway, path, { body: streamed, type: formType })).text();
    const [event] = gateway.events;
    assert.deepEqual([event?.path, event?.stream, event?.model], [path, true, 'm']);
  });

  it('is refused with 400 that says what is wrong with it', async () => {
    await using gateway = await startTestGateway(keyed('http://127.0.0.1:1'));
    const path = '/v1/audio/transcriptions';
    const cases: readonly (readonly [string, Buffer, string])[] = [
      ['malformed_request', form.subarray(0, -4), formType],
      ['malformed_request', form, 'multipart/form-data'],
      ['ambiguous_request', writeForm('XX', twoModels), formType],
    ];
    for (const [code, body, type] of cases) {
      const response = await send(gateway, path, { body, type });
      assert.equal(response.status, 400);
      assert.equal(await codeOf(response), code);
    }
  });

  it('is refused with 415 where nothing is uploaded, before its body is read', async () => {
    await using gateway = await startTestGateway(keyed('http://127.0.0.1:1'));
    const response = await send(gateway, '/v1/chat/completions', { body: form, type: formType });
    assert.equal(response.status, 415);
    assert.equal(await codeOf(response), 'unsupported_media_type');
  });
});

const twoModels = ['m', 'n'].map((content) => ({
  head: 'content-disposition: form-data; name="model"',
  content,
}));

describe('a route that is not proxied', () => {
  it('is 404 in the error envelope for a caller with a key, and 401 without', async () => {
    await using gateway = await startTestGateway(keyed('http://127.0.0.1:1'));
    for (const path of ['/v1/batches', '/v1/files', '/v1/fine_tuning/jobs', '/files', '/']) {
      const nobody = await send(gateway, path, { body: '{}', key: 'another' });
      assert.equal(nobody.status, 401, path);
      await nobody.text();
      const response = await send(gateway, path, { body: '{}' });
      assert.equal(response.status, 404, path);
      assert.equal(await codeOf(response), 'not_found');
    }
    assert.equal(gateway.events.length, 0);
  });
});
