// Answers from the response cache on real sockets (Gateway rule 9).

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { entryBytesMax } from '../../../src/gateway/cache/cache.ts';
import { hashedBytesMax } from '../../../src/gateway/cache/cache-key.ts';
import { chatBody, startTestGateway } from '../../harness/gateway/gateway.ts';
import type { TestGateway } from '../../harness/gateway/gateway.ts';
import type { GivenSnapshot } from '../../harness/gateway/snapshot.ts';
import { givenSnapshot } from '../../harness/gateway/snapshot.ts';
import {
  answerJson,
  answerStream,
  completion,
  startUpstream,
} from '../../harness/upstream/upstream.ts';
import type { Script } from '../../harness/upstream/upstream.ts';
import { until } from '../../harness/wait.ts';

const caching = (apiBase: string, more: Partial<GivenSnapshot> = {}): GivenSnapshot => ({
  models: {
    m: { backends: [{ apiBase }], cacheTtlSeconds: 60 },
    plain: { backends: [{ apiBase }] },
  },
  keys: { key: {} },
  ...more,
});

/** An upstream whose answers differ, and a gateway before it. */
async function start(script: Script = numbered(), more: Partial<GivenSnapshot> = {}) {
  const upstream = await startUpstream(script);
  const gateway = await startTestGateway(caching(upstream.apiBase, more), {
    bodyBytesMax: 2 * hashedBytesMax,
  });
  const ask = (body: unknown = chatBody('m'), headers?: Record<string, string>) =>
    askOnce(gateway, body, headers);
  const asked = (): number => upstream.seen.length;
  return {
    upstream,
    gateway,
    ask,
    asked,
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

function numbered(): Script {
  let count = 0;
  return (seen, response) => answerJson({ ...completion, id: `c-${++count}` })(seen, response);
}

async function askOnce(gateway: TestGateway, body: unknown, headers?: Record<string, string>) {
  const response = await gateway.chat(body, headers);
  const text = await response.text();
  return { response, text, cache: response.headers.get('x-gw-cache') };
}

describe('an identical request', () => {
  it('is answered from memory, byte for byte, with a header that says so', async () => {
    await using session = await start();
    const first = await session.ask();
    const second = await session.ask();
    assert.deepEqual([first.cache, second.cache], ['miss', 'hit']);
    assert.equal(second.text, first.text);
    assert.equal(second.response.status, 200);
    assert.equal(session.asked(), 1);
    for (const name of ['content-type', 'x-gw-route', 'x-gw-served-model']) {
      assert.equal(second.response.headers.get(name), first.response.headers.get(name), name);
    }
    const ids = [first, second].map(({ response }) => response.headers.get('x-request-id'));
    assert.notEqual(ids[0], ids[1]);
  });

  it('adds a usage row with the counts of its answer, marked as cached', async () => {
    await using session = await start();
    await session.ask();
    await session.ask();
    await until(() => session.gateway.events.length === 2, { what: 'two usage rows' });
    const [miss, hit] = session.gateway.events;
    assert.deepEqual([miss?.cached, hit?.cached], [false, true]);
    assert.deepEqual(
      [hit?.prompt_tokens, hit?.completion_tokens, hit?.usage_reported],
      [11, 7, true],
    );
    assert.deepEqual([hit?.status, hit?.attempts, hit?.model], [200, 0, 'm']);
    assert.equal(hit?.provider_id, miss?.provider_id);
  });

  it('counts against the rate limit, and returns the remaining requests', async () => {
    const keys = { key: { limits: { requests: 2 } } };
    await using session = await start(numbered(), { keys });
    const answers = [await session.ask(), await session.ask(), await session.ask()];
    assert.deepEqual(
      answers.map(({ response }) => response.status),
      [200, 200, 429],
    );
    const left = answers.map(({ response }) =>
      response.headers.get('x-ratelimit-remaining-requests'),
    );
    assert.deepEqual(left, ['1', '0', '0']);
    assert.equal(answers[1]?.cache, 'hit');
  });

  it('is refused once the budget is spent, even if its answer is cached', async () => {
    await using session = await start();
    await session.ask();
    const spent = { tokens: [10, 10] } as const;
    const { live } = session.gateway;
    const given = caching(session.upstream.apiBase, { keys: { key: { budget: spent } } });
    live.apply(givenSnapshot(given));
    const { response } = await session.ask();
    assert.equal(response.status, 402);
  });

  it('of another caller gets the same answer, unless the caller has no grant', async () => {
    const keys = { key: {}, another: {}, stranger: { grants: ['model/plain'] } };
    await using session = await start(numbered(), { keys });
    const first = await session.ask();
    const other = await session.ask(chatBody('m'), { authorization: 'Bearer another' });
    assert.deepEqual([other.cache, other.text], ['hit', first.text]);
    const stranger = await session.ask(chatBody('m'), { authorization: 'Bearer stranger' });
    assert.equal(stranger.response.status, 403);
  });

  it('by another name of the model is a different request', async () => {
    const frontendModels = { alias: { defaults: ['m'] } };
    await using session = await start(numbered(), { frontendModels });
    await session.ask();
    const byAlias = await session.ask(chatBody('alias'));
    assert.equal(byAlias.cache, 'miss');
    const again = await session.ask(chatBody('alias'));
    assert.deepEqual([again.cache, again.response.headers.get('x-gw-route')], ['hit', 'default']);
  });

  it('that arrives while the first is in progress goes upstream too', async () => {
    await using session = await start();
    const answers = await Promise.all([session.ask(), session.ask()]);
    assert.deepEqual(
      answers.map(({ cache }) => cache),
      ['miss', 'miss'],
    );
    assert.equal(session.asked(), 2);
  });
});

describe('nothing is stored', () => {
  const never: Readonly<Record<string, Script>> = {
    'of an error': answerJson({ error: { message: 'no' } }, 400),
    'of a 200 that is an error': answerJson({ id: 'r', status: 'failed', error: { code: 'x' } }),
    'of a stream that was not requested': answerStream(['a']),
    'that is too large': answerJson({ x: 'y'.repeat(entryBytesMax) }),
    'that broke off': (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '9' });
      response.write('{"a"');
      setImmediate(() => response.destroy());
    },
  };
  for (const [what, script] of Object.entries(never)) {
    it(what, async () => {
      await using session = await start(script);
      for (let count = 0; count < 2; count++) await session.ask().catch(() => null);
      assert.equal(session.asked(), 2);
      assert.match(await session.gateway.metrics(), /gw_cache_entries 0\n/);
    });
  }

  it('for a stream, a long body, or a model without a time to live', async () => {
    await using session = await start();
    const bodies = [
      chatBody('m', { stream: true }),
      chatBody('plain'),
      chatBody('m', { x: 'y'.repeat(hashedBytesMax) }),
    ];
    for (const body of bodies) {
      for (let count = 0; count < 2; count++) assert.equal((await session.ask(body)).cache, null);
    }
    assert.equal(session.asked(), 6);
  });

  it('for a model that was replaced by another one in the chain', async () => {
    await using failing = await startUpstream(answerJson({}, 503));
    const { apiBase } = failing;
    await using upstream = await startUpstream(numbered());
    const models = {
      first: { backends: [{ apiBase }], cacheTtlSeconds: 60 },
      second: { backends: [{ apiBase: upstream.apiBase }], cacheTtlSeconds: 60 },
    };
    const frontendModels = { both: { defaults: ['first', 'second'] } };
    await using gateway = await startTestGateway({ models, frontendModels, keys: { key: {} } });
    for (let count = 0; count < 2; count++) {
      const { response, cache } = await askOnce(gateway, chatBody('both'));
      assert.equal(response.headers.get('x-gw-served-model'), 'second');
      assert.equal(cache, null);
    }
    assert.equal(upstream.seen.length, 2);
  });
});

describe('what is stored', () => {
  it('is dropped with a new configuration version, and kept with a new overlay', async () => {
    await using session = await start();
    const { live } = session.gateway;
    const given = givenSnapshot(caching(session.upstream.apiBase));
    await session.ask();
    live.apply({ ...given, overlay: { ...given.overlay, seq: 7 } });
    assert.equal((await session.ask()).cache, 'hit');
    live.apply({ ...given, version: 2 });
    assert.equal((await session.ask()).cache, 'miss');
    assert.equal((await session.ask()).cache, 'hit');
  });

  it('excludes requests sent before the current version', async () => {
    await using session = await start((seen, response) => {
      session.gateway.apply(caching(session.upstream.apiBase, { version: 2 }));
      answerJson()(seen, response);
    });
    await session.ask();
    assert.match(await session.gateway.metrics(), /gw_cache_entries 0\n/);
  });

  it('is sound too', async () => {
    const sound = Buffer.from([0x49, 0x44, 0x33, 0, 0xff, 0x7b]);
    await using session = await start((_, response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' });
      response.end(sound);
    });
    for (const cache of ['miss', 'hit']) {
      const response = await fetch(`${session.gateway.url}/v1/audio/speech`, {
        method: 'POST',
        headers: { authorization: 'Bearer key', 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', input: 'Hi', voice: 'a' }),
      });
      assert.deepEqual(Buffer.from(await response.arrayBuffer()), sound);
      assert.equal(response.headers.get('x-gw-cache'), cache);
      assert.equal(response.headers.get('content-type'), 'audio/mpeg');
    }
  });

  it('holds no cookie', async () => {
    await using session = await start(answerJson(completion, 200, { 'set-cookie': 'a=b' }));
    await session.ask();
    const { response, cache } = await session.ask();
    assert.deepEqual([cache, response.headers.get('set-cookie')], ['hit', null]);
  });

  it('is counted', async () => {
    await using session = await start();
    for (let count = 0; count < 3; count++) await session.ask();
    const metrics = await session.gateway.metrics();
    assert.match(metrics, /gw_cache_total\{kind="hit"\} 2\n/);
    assert.match(metrics, /gw_cache_total\{kind="miss"\} 1\n/);
    assert.match(metrics, /gw_cache_total\{kind="store"\} 1\n/);
    assert.match(metrics, /gw_cache_entries 1\n/);
    assert.match(metrics, /gw_cache_bytes [1-9]/);
    assert.match(metrics, /gw_request_outcomes_total\{outcome="ok"\} 3\n/);
  });
});
