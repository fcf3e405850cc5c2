// Tests the effect of engine metrics on routing, flow control and the pages of a gateway.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { metricsPath } from '../../../src/gateway/engine-metrics/scrape.ts';
import { chatBody, startTestGateway } from '../../harness/gateway/gateway.ts';
import type { TestGateway } from '../../harness/gateway/gateway.ts';
import { readMetrics } from '../../harness/gateway/metrics-text.ts';
import { answerJson, startUpstream } from '../../harness/upstream/upstream.ts';
import type { Script, ScriptedUpstream } from '../../harness/upstream/upstream.ts';
import { until } from '../../harness/wait.ts';

const keys = { key: {} };
const engineMetrics = { intervalMs: 20 };

/** An engine whose page says what the test says. */
function engine(state: { running: number; waiting: number; tokens?: number }): Script {
  return (request, response) => {
    if (request.path !== '/metrics') return answerJson()(request, response);
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' });
    response.end(
      `vllm:num_requests_running{model_name="m"} ${state.running}\n` +
        `vllm:num_requests_waiting{model_name="m"} ${state.waiting}\n` +
        `vllm:generation_tokens_total{model_name="m"} ${state.tokens ?? 0}\n`,
    );
  };
}

const scrapes = ({ seen }: ScriptedUpstream) => seen.filter(({ path }) => path === '/metrics');

async function engineSeries(gateway: TestGateway) {
  const family = readMetrics(await gateway.metrics()).get('gw_backend_engine_requests');
  return family?.samples.map(({ labels, value }) => [labels['state'], value]) ?? null;
}

async function capacityOf(gateway: TestGateway): Promise<number> {
  return gateway.gateway.healthReport('r').backends[0]?.admission?.capacity ?? Number.NaN;
}

describe('an endpoint', () => {
  it('with engine metrics is scraped at every interval, with its credential, once for all its models', async () => {
    await using upstream = await startUpstream(engine({ running: 3, waiting: 1 }));
    const backend = { apiBase: upstream.apiBase, credential: 'secret' };
    // One provider each in this harness, and so one endpoint: they have one address and one credential.
    const models = { m: { backends: [backend] }, other: { backends: [backend] } };
    await using gateway = await startTestGateway({ models, keys }, { engineMetrics });
    await until(() => scrapes(upstream).length >= 3, { what: 'three scrapes' });
    const [first] = scrapes(upstream);
    assert.equal(first?.headers.authorization, 'Bearer secret');
    await until(async () => (await engineSeries(gateway)) !== null, { what: 'series' });
    assert.deepEqual(await engineSeries(gateway), [
      ['running', 3],
      ['waiting', 1],
      ['running', 3],
      ['waiting', 1],
    ]);
    assert.deepEqual(gateway.gateway.healthReport('r').backends[0]?.engine, {
      running: 3,
      waiting: 1,
    });
    assert.equal(
      gateway.logLines.filter(({ message }) => message.includes('engine metrics')).length,
      1,
    );
  });

  for (const [what, script] of [
    ['a 404', answerJson({ error: 'no' }, 404)],
    ['a page without a scheduler', answerJson({ ok: true })],
    ['a refusal', answerJson({ error: 'no' }, 401)],
  ] as const) {
    it(`that answers ${what} is asked a second time after five minutes and no more`, async () => {
      await using upstream = await startUpstream(script);
      // Shows that the clock has been seen to move.
      await using other = await startUpstream(engine({ running: 0, waiting: 0 }));
      let skippedMs = 0;
      const backends = [{ apiBase: upstream.apiBase }, { apiBase: other.apiBase }];
      const models = { m: { backends } };
      await using gateway = await startTestGateway(
        { models, keys },
        { engineMetrics, monotonic: () => performance.now() + skippedMs },
      );
      const skip = async (ms: number) => {
        skippedMs += ms;
        const before = scrapes(other).length;
        await until(() => scrapes(other).length > before + 2, { what: 'more scrapes' });
        return scrapes(upstream).length;
      };
      await until(() => scrapes(upstream).length === 1, { what: 'a question' });
      assert.equal(await skip(298_000), 1);
      assert.equal(await skip(3000), 2);
      for (let turn = 0; turn < 3; turn++) assert.equal(await skip(300_000), 2);
      const [backend] = gateway.gateway.healthReport('r').backends;
      assert.equal(backend?.engine, undefined);
    });
  }

  it('with a page per model is scraped by model name, without loading a model', async () => {
    const loaded = new Map<string | null, number>([['a/model', 3]]);
    await using upstream = await startUpstream((request, response) => {
      const { pathname, searchParams } = new URL(request.path, 'http://engine');
      if (pathname !== '/metrics') return answerJson()(request, response);
      const running = loaded.get(searchParams.get('model'));
      assert.ok(!searchParams.has('model') || searchParams.get('autoload') === 'false');
      if (running === undefined)
        return answerJson({ error: { code: 400 } }, 400)(request, response);
      response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' });
      response.end(`llamacpp:requests_processing ${running}\nllamacpp:requests_deferred 1\n`);
    });
    const { apiBase } = upstream;
    const models = {
      a: { backends: [{ apiBase, upstreamModel: 'a/model' }] },
      b: { backends: [{ apiBase, upstreamModel: 'b' }] },
    };
    await using gateway = await startTestGateway({ models, keys }, { engineMetrics });
    const engines = () =>
      gateway.gateway.healthReport('r').backends.map(({ engine: read }) => read?.running);
    await until(() => engines().every((running) => running !== undefined), { what: 'a reading' });
    assert.deepEqual(engines(), [3, 0]);
    loaded.set('b', 5);
    await until(() => engines()[1] === 5, { what: 'the other model' });
  });

  it('whose address is edited is scraped again', async () => {
    await using upstream = await startUpstream(answerJson({}, 404));
    const given = (suffix: string) => ({
      models: { m: { backends: [{ apiBase: upstream.apiBase + suffix }] } },
      keys,
    });
    await using gateway = await startTestGateway(given(''), { engineMetrics });
    await until(() => scrapes(upstream).length === 1, { what: 'a question' });
    gateway.apply({ ...given('/x'), version: 2 });
    await until(() => upstream.seen.some(({ path }) => path === '/v1/x/metrics'), {
      what: 'a question at the new address',
    });
  });

  it('of a protocol that engines do not use is never scraped', async () => {
    await using native = await startUpstream(answerJson());
    await using upstream = await startUpstream(engine({ running: 0, waiting: 0 }));
    const models = {
      n: { backends: [{ apiBase: native.apiBase, protocol: 'anthropic' }] },
      m: { backends: [{ apiBase: upstream.apiBase }] },
    };
    await using _gateway = await startTestGateway({ models, keys }, { engineMetrics });
    await until(() => scrapes(upstream).length >= 3, { what: 'scrapes' });
    assert.deepEqual(native.seen, []);
  });
});

it('a rule on max_inflight_per_backend uses the engine’s metrics, or the replica’s count without them', async () => {
  const state = { running: 5, waiting: 5 };
  await using busy = await startUpstream(engine(state));
  await using spill = await startUpstream(answerJson());
  let skippedMs = 0;
  const given = {
    models: {
      m: { backends: [{ apiBase: busy.apiBase }] },
      s: { backends: [{ apiBase: spill.apiBase }] },
    },
    frontendModels: {
      f: {
        rules: [{ when: { max_inflight_per_backend: 10 }, targets: ['m'] }],
        defaults: ['s'],
      },
    },
    keys,
  };
  await using gateway = await startTestGateway(given, {
    engineMetrics,
    now: () => Date.now() + skippedMs,
  });
  const served = async () => {
    const answer = await gateway.chat(chatBody('f'));
    await answer.text();
    return answer.headers.get('x-gw-served-model');
  };
  await until(async () => (await engineSeries(gateway))?.[0]?.[1] === 5, { what: 'a reading' });
  assert.equal(await served(), 's');
  state.running = 4;
  await until(async () => (await engineSeries(gateway))?.[0]?.[1] === 4, { what: 'a reading' });
  assert.equal(await served(), 'm');
  state.running = 90;
  await until(async () => (await engineSeries(gateway))?.[0]?.[1] === 90, { what: 'a reading' });
  busy.play((request, response) => {
    if (request.path !== '/metrics') answerJson()(request, response);
  });
  const before = scrapes(busy).length;
  await until(() => scrapes(busy).length > before, { what: 'a question without an answer' });
  assert.equal(await served(), 's');
  skippedMs += 10_500;
  assert.equal(await engineSeries(gateway), null, 'stale');
  assert.equal(await served(), 'm');
});

it('the limit halves while the engine has a deep queue, and rises by one per scrape', async () => {
  const state = { running: 8, waiting: 3 };
  await using upstream = await startUpstream(engine(state));
  const flow = { maxConcurrent: 8, highWater: 4 };
  const models = { m: { backends: [{ apiBase: upstream.apiBase, flow }] } };
  let skippedMs = 0;
  await using gateway = await startTestGateway(
    { models, keys },
    { engineMetrics, monotonic: () => performance.now() + skippedMs },
  );
  await until(() => scrapes(upstream).length >= 3, { what: 'scrapes' });
  assert.equal(await capacityOf(gateway), 8);
  state.waiting = 4;
  await until(async () => (await capacityOf(gateway)) === 1, { what: 'the lowest ceiling' });
  state.waiting = 1;
  const before = scrapes(upstream).length;
  await until(() => scrapes(upstream).length > before + 3, { what: 'scrapes' });
  assert.equal(await capacityOf(gateway), 1);
  state.waiting = 0;
  await until(async () => (await capacityOf(gateway)) === 8, { what: 'the whole ceiling' });
  state.waiting = 4;
  await until(async () => (await capacityOf(gateway)) === 1, { what: 'the lowest ceiling' });
  upstream.play(answerJson({}, 503));
  const silent = scrapes(upstream).length;
  await until(() => scrapes(upstream).length > silent, { what: 'a question without an answer' });
  skippedMs += 14 * 60_000;
  await until(() => scrapes(upstream).length > silent + 3, { what: 'more of them' });
  assert.equal(await capacityOf(gateway), 1, 'an engine that is silent is not less busy');
  skippedMs += 2 * 60_000;
  await until(async () => (await capacityOf(gateway)) === 8, { what: 'the configured ceiling' });
});

it('a stalled engine is taken out of rotation, but only if it ever made progress', async () => {
  const moving = { running: 1, waiting: 0, tokens: 1 };
  await using wedged = await startUpstream(engine(moving));
  await using still = await startUpstream(engine({ running: 1, waiting: 0, tokens: 9 }));
  const models = {
    m: { backends: [{ apiBase: wedged.apiBase }] },
    s: { backends: [{ apiBase: still.apiBase }] },
  };
  let skippedMs = 0;
  await using gateway = await startTestGateway(
    { models, keys },
    { engineMetrics: { intervalMs: 2000 }, monotonic: () => performance.now() + skippedMs },
  );
  const scrape = async () => {
    const before = [scrapes(wedged).length, scrapes(still).length];
    skippedMs += 2000;
    const isThere = () =>
      scrapes(wedged).length > (before[0] ?? 0) && scrapes(still).length > (before[1] ?? 0);
    await until(isThere, { what: 'the next scrape of both' });
  };
  const healthy = () => gateway.gateway.backends().map((backend) => backend.healthy);
  await scrape();
  await scrape();
  moving.tokens++;
  await scrape();
  for (let page = 0; page < 4; page++) await scrape();
  assert.deepEqual(healthy(), [true, true]);
  await scrape();
  await until(() => healthy()[0] === false, { what: 'the wedged one out' });
  await scrape();
  await scrape();
  assert.deepEqual(healthy(), [false, true]);
  const line = gateway.logLines.findLast(({ message }) => message.includes('out of rotation'));
  assert.deepEqual([line?.fields['reason'], line?.fields['seconds']], ['frozen counters', 30]);
});

it('metrics are at the root, outside the versioned API', () => {
  const paths = ['', '/v1', '/engine/v1', '/engine', '/v1beta'].map(metricsPath);
  assert.deepEqual(paths, [
    '/metrics',
    '/metrics',
    '/engine/metrics',
    '/engine/metrics',
    '/v1beta/metrics',
  ]);
});
