// Tests that a request that the backend's protocol cannot express is refused or moves on, without counting as an
// attempt (Gateway rule 14).

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { chatBody, startTestGateway } from '../../harness/gateway/gateway.ts';
import type { GivenSnapshot } from '../../harness/gateway/snapshot.ts';
import { answerJson, startUpstream, unusedApiBase } from '../../harness/upstream/upstream.ts';
import type { ScriptedUpstream } from '../../harness/upstream/upstream.ts';
import { answerFailed, vendors } from '../../harness/upstream/vendors.ts';
import type { Vendor } from '../../harness/upstream/vendors.ts';
import { until } from '../../harness/wait.ts';

const [anthropic, gemini] = vendors;
const busy = answerJson({ error: { message: 'busy' } }, 503);

const native = ({ apiBase }: ScriptedUpstream, vendor: Vendor | undefined) => {
  const { protocol, upstreamModel } = vendor ?? assert.fail();
  return { apiBase, protocol, upstreamModel };
};

const servedBy = (...backends: GivenSnapshot['models'][string]['backends']) => ({ backends });

/** One name for a chain of these models. */
const chainOf = (models: GivenSnapshot['models']): GivenSnapshot => ({
  models,
  frontendModels: { any: { defaults: Object.keys(models) } },
  keys: { key: {} },
});

async function refusalOf(response: Response) {
  type Told = Readonly<{ message: string; code: string; type: string; param: string | null }>;
  const body: { error: Told } = JSON.parse(await response.text());
  return body.error;
}

describe('a chat that the protocol of its backend has no words for', () => {
  for (const vendor of vendors) {
    it(`is 501 over protocol ${vendor.protocol}, naming what it is and not to be tried again`, async () => {
      await using upstream = await startUpstream(answerJson(vendor.message));
      await using gateway = await startTestGateway(
        chainOf({ m: servedBy(native(upstream, vendor)) }),
      );
      const response = await gateway.chat(chatBody('m', { max_tokens: 9, seed: 7 }));
      assert.equal(response.status, 501);
      assert.equal(response.headers.get('x-should-retry'), 'false');
      const { message, code, param } = await refusalOf(response);
      assert.match(message, new RegExp(`protocol ${vendor.protocol} does not support seed`));
      assert.deepEqual([code, param], ['unsupported_feature', 'seed']);
      assert.equal(upstream.seen.length, 0);
    });
  }

  it('moves on to a candidate that has, as its first attempt', async () => {
    await using upstream = await startUpstream(busy);
    await using other = await startUpstream(answerJson());
    const { apiBase } = other;
    await using gateway = await startTestGateway(
      chainOf({ m: servedBy(native(upstream, anthropic)), other: servedBy({ apiBase }) }),
    );
    const response = await gateway.chat(chatBody('any', { max_tokens: 9, n: 2 }));
    assert.equal(response.headers.get('x-gw-served-model'), 'other');
    await response.text();
    const row = await until(() => gateway.events[0], { what: 'a usage row' });
    assert.deepEqual([row.attempts, row.model], [1, 'other']);
    assert.equal(upstream.seen.length, 0);
  });

  it('moves on to an endpoint of the same model that has', async () => {
    await using upstream = await startUpstream(busy);
    await using other = await startUpstream(answerJson());
    const { apiBase } = other;
    const endpoints = [native(upstream, anthropic), native(upstream, gemini), { apiBase }];
    await using gateway = await startTestGateway(chainOf({ m: servedBy(...endpoints) }));
    for (let turn = 0; turn < endpoints.length; turn++) {
      const response = await gateway.chat(chatBody('m', { max_tokens: 9, n: 2 }));
      assert.equal(response.status, 200);
      await response.text();
    }
    assert.equal(upstream.seen.length, 0);
  });

  it('is refused by the first when none has', async () => {
    await using upstream = await startUpstream(busy);
    const endpoints = [native(upstream, gemini), native(upstream, anthropic)];
    await using gateway = await startTestGateway(
      chainOf({ m: servedBy(...endpoints), n: servedBy(...endpoints.toReversed()) }),
    );
    const response = await gateway.chat(chatBody('any', { max_tokens: 9, logprobs: true }));
    assert.equal(response.status, 501);
    assert.match((await refusalOf(response)).message, /gemini does not support logprobs/);
    assert.match(await gateway.metrics(), /gw_rejections_total\{reason="unsupported"\} 1\n/);
  });

  it('after an answer of another candidate leaves that the answer', async () => {
    await using upstream = await startUpstream(answerJson());
    await using other = await startUpstream(busy);
    const { apiBase } = other;
    await using gateway = await startTestGateway(
      chainOf({ other: servedBy({ apiBase }), m: servedBy(native(upstream, anthropic)) }),
    );
    for (const asked of [{ seed: 7, max_tokens: 9 }, {}]) {
      const response = await gateway.chat(chatBody('any', asked));
      assert.equal(response.status, 503);
      assert.equal((await refusalOf(response)).message, 'busy');
    }
    assert.equal(upstream.seen.length, 0);
  });

  it('after a candidate that was not reached is 502: it may be reached next time', async () => {
    await using upstream = await startUpstream(answerJson());
    const apiBase = await unusedApiBase();
    await using gateway = await startTestGateway(
      chainOf({ other: servedBy({ apiBase }), m: servedBy(native(upstream, anthropic)) }),
    );
    const response = await gateway.chat(chatBody('any', { seed: 7, max_tokens: 9 }));
    assert.equal(response.status, 502);
    assert.equal((await refusalOf(response)).code, 'no_backend');
  });
});

describe('a chat without a cap on its answer', () => {
  it('is 400 naming the field, where the protocol needs one', async () => {
    await using upstream = await startUpstream(busy);
    await using other = await startUpstream(answerJson());
    const { apiBase } = other;
    await using gateway = await startTestGateway(
      chainOf({ m: servedBy(native(upstream, anthropic)), other: servedBy({ apiBase }) }),
    );
    const response = await gateway.chat(chatBody('any'));
    assert.equal(response.status, 400);
    const { param, type } = await refusalOf(response);
    assert.deepEqual([param, type], ['max_tokens', 'invalid_request_error']);
    assert.equal(upstream.seen.length + other.seen.length, 0);
  });

  for (const vendor of vendors) {
    it(`has the default of a backend of protocol ${vendor.protocol}`, async () => {
      await using upstream = await startUpstream(answerJson(vendor.message));
      const backend = { ...native(upstream, vendor), defaultMaxTokens: 321 };
      await using gateway = await startTestGateway(chainOf({ m: servedBy(backend) }));
      assert.equal((await gateway.chat(chatBody('m'))).status, 200);
      assert.match(upstream.seen[0]?.body.toString() ?? '', /[tT]okens":321/);
    });
  }
});

describe('a malformed chat', () => {
  it('is 400 naming the place, and nothing is asked', async () => {
    await using upstream = await startUpstream(busy);
    await using gateway = await startTestGateway(
      chainOf({ m: servedBy(native(upstream, gemini)) }),
    );
    const response = await gateway.chat({ model: 'm', messages: [{ role: 'king', content: '' }] });
    assert.equal(response.status, 400);
    assert.match((await refusalOf(response)).message, /messages\[0\]\.role/);
    assert.equal(upstream.seen.length, 0);
  });
});

describe('a chain of several protocols', () => {
  it('asks each in its own words', async () => {
    const seen: ScriptedUpstream[] = [];
    const models: Record<string, GivenSnapshot['models'][string]> = {};
    await using disposed = new AsyncDisposableStack();
    for (const vendor of vendors) {
      const upstream = disposed.use(await startUpstream(answerFailed(vendor, 529)));
      seen.push(upstream);
      models[vendor.protocol] = servedBy(native(upstream, vendor));
    }
    const last = disposed.use(await startUpstream(busy));
    models['last'] = servedBy({ apiBase: last.apiBase });
    const gateway = disposed.use(await startTestGateway(chainOf(models)));
    const response = await gateway.chat(chatBody('any', { max_tokens: 9 }));
    assert.equal(response.status, 503);
    assert.equal((await refusalOf(response)).message, 'busy');
    assert.deepEqual(
      [...seen, last].map((upstream) => upstream.seen[0]?.path),
      [...vendors.map(({ path }) => path), '/v1/chat/completions'],
    );
    const row = await until(() => gateway.events[0], { what: 'a usage row' });
    assert.deepEqual([row.attempts, row.model, row.status], [3, 'last', 503]);
  });

  it('ends with the words of its last upstream, whatever protocol that speaks', async () => {
    const vendor = anthropic ?? assert.fail();
    await using first = await startUpstream(busy);
    await using second = await startUpstream(answerFailed(vendor, 529, { 'retry-after': '3' }));
    const { apiBase } = first;
    await using gateway = await startTestGateway(
      chainOf({ first: servedBy({ apiBase }), second: servedBy(native(second, vendor)) }),
    );
    const response = await gateway.chat(chatBody('any', { max_tokens: 9 }));
    assert.equal(response.status, 529);
    assert.equal(response.headers.get('retry-after'), '3');
    const { message, type } = await refusalOf(response);
    assert.deepEqual([message, type], ['the vendor says 529', 'overloaded_error']);
  });
});
