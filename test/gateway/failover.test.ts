// Before the first byte a request moves on; when nothing is left, the last upstream's own answer
// counts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { chatBody, startTestGateway } from '../harness/gateway/gateway.ts';
import { answerJson, startUpstream, unusedApiBase } from '../harness/upstream/upstream.ts';
import type { TestGateway } from '../harness/gateway/gateway.ts';
import type { Script } from '../harness/upstream/upstream.ts';
import { until } from '../harness/wait.ts';

const hang: Script = () => {};
const hangUp: Script = (_, response) => void response.socket?.destroy();
const busy = answerJson({ error: { message: 'busy' } }, 503, { 'retry-after': '7' });
const limited = answerJson({ error: { message: 'slow down' } }, 429);

const pool = (...apiBases: readonly string[]) => ({
  backends: apiBases.map((apiBase) => ({ apiBase, timeoutSeconds: 1 })),
});
const keys = { key: {} };

describe('failover', () => {
  for (const [what, script] of [
    ['answers 5xx', busy],
    ['answers 429', limited],
    ['hangs up', hangUp],
    ['stays silent', hang],
  ] as const) {
    it(`moves to a sibling when a backend ${what}`, async () => {
      await using bad = await startUpstream(script);
      await using good = await startUpstream(answerJson());
      await using gateway = await startTestGateway({
        models: { m: pool(bad.apiBase, good.apiBase) },
        keys,
      });
      const response = await gateway.chat(chatBody('m'));
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('x-gw-route'), 'concrete');
      await response.text();
      await until(() => gateway.events.length === 1, { what: 'one usage row' });
      assert.equal(gateway.events[0]?.attempts, 2);
      assert.equal(bad.seen.length, 1);
      assert.equal(good.seen.length, 1);
    });
  }

  it('moves to a sibling when nothing listens at an address', async () => {
    await using good = await startUpstream(answerJson());
    const models = { m: pool(await unusedApiBase(), good.apiBase) };
    await using gateway = await startTestGateway({ models, keys });
    assert.equal((await gateway.chat(chatBody('m'))).status, 200);
  });

  it('moves to the fallback model and reports it', async () => {
    await using bad = await startUpstream(busy);
    await using good = await startUpstream(answerJson());
    await using gateway = await startTestGateway({
      models: { m: pool(bad.apiBase), last: pool(good.apiBase) },
      keys,
      fallback: 'last',
    });
    const response = await gateway.chat(chatBody('m'));
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('x-gw-route'), 'default');
    assert.equal(response.headers.get('x-gw-served-model'), 'last');
    assert.equal(JSON.parse(good.seen[0]?.body.toString() ?? '').model, 'last');
    await response.text();
    await until(() => gateway.events.length === 1, { what: 'a usage row' });
    assert.equal(gateway.events[0]?.model, 'last');
    assert.equal(gateway.events[0]?.virtual_model, 'm');
  });

  it('never reaches a model that the key has no grant for', async () => {
    await using bad = await startUpstream(busy);
    await using other = await startUpstream(answerJson());
    await using gateway = await startTestGateway({
      models: { m: pool(bad.apiBase), last: pool(other.apiBase) },
      keys: { key: { grants: ['model/m'] } },
      fallback: 'last',
    });
    assert.equal((await gateway.chat(chatBody('m'))).status, 503);
    assert.equal(other.seen.length, 0);
  });

  it("answers with the last upstream's own status, headers and body when the chain is exhausted", async () => {
    await using first = await startUpstream(limited);
    await using second = await startUpstream(busy);
    await using gateway = await startTestGateway({
      models: { m: pool(first.apiBase), last: pool(second.apiBase) },
      keys,
      fallback: 'last',
    });
    const response = await gateway.chat(chatBody('m'));
    assert.equal(response.status, 503);
    assert.equal(response.headers.get('retry-after'), '7');
    assert.deepEqual(await response.json(), { error: { message: 'busy' } });
    assert.equal(response.headers.get('x-gw-served-model'), 'last');
  });

  it('aborts an answer that it no longer needs, even if it never ends', async () => {
    await using first = await startUpstream((_, response) => {
      response.writeHead(503);
      response.write('x');
    });
    await using second = await startUpstream(answerJson());
    const models = { m: pool(first.apiBase, second.apiBase) };
    await using gateway = await startTestGateway({ models, keys });
    assert.equal((await gateway.chat(chatBody('m'))).status, 200);
    await until(() => first.seen[0]?.isAborted, { what: 'the first to be left' });
    assert.doesNotMatch(await gateway.metrics(), /gw_backend_inflight\{.*\} 1/);
  });

  it('returns the upstream’s response if later candidates were unreachable', async () => {
    await using first = await startUpstream(busy);
    await using gateway = await startTestGateway({
      models: { m: pool(first.apiBase), last: pool(await unusedApiBase()) },
      keys,
      fallback: 'last',
    });
    const response = await gateway.chat(chatBody('m'));
    assert.equal(response.status, 503);
    assert.deepEqual(await response.json(), { error: { message: 'busy' } });
    assert.equal(response.headers.get('x-gw-served-model'), 'm');
    await until(() => gateway.events.length === 1, { what: 'a usage row' });
    assert.equal(gateway.events[0]?.refusal, null);
  });

  it('returns 502 no_backend only if no backend was reached', async () => {
    const models = { m: pool(await unusedApiBase(), await unusedApiBase()) };
    await using gateway = await startTestGateway({ models, keys });
    const response = await gateway.chat(chatBody('m'));
    assert.equal(response.status, 502);
    assert.equal(JSON.parse(await response.text()).error.code, 'no_backend');
    assert.equal(gateway.events[0]?.refusal, 'no_backend');
    assert.equal(gateway.events[0]?.attempts, 2);
  });

  it("does not move on for what is the request's own fault", async () => {
    await using first = await startUpstream(answerJson({ error: {} }, 422));
    await using second = await startUpstream(answerJson());
    await using gateway = await startTestGateway({
      models: { m: pool(first.apiBase, second.apiBase) },
      keys,
    });
    assert.equal((await gateway.chat(chatBody('m'))).status, 422);
    assert.equal(second.seen.length, 0);
  });

  for (const [bound, tried] of [
    [{}, 8],
    [{ attemptsMax: 3 }, 3],
    [{ retriesMax: 1 }, 2],
    [{ attemptsMax: 1 }, 1],
  ] as const) {
    it(`makes ${tried} attempts at most with ${JSON.stringify(bound)}`, async () => {
      await using one = await startUpstream(busy);
      const apiBases = Array.from({ length: 10 }, (_, index) => `${one.apiBase}/${index}`);
      const models = { m: pool(...apiBases) };
      await using gateway = await startTestGateway({ models, keys }, bound);
      const response = await gateway.chat(chatBody('m'));
      assert.equal(response.status, 503);
      assert.deepEqual(await response.json(), { error: { message: 'busy' } });
      assert.equal(one.seen.length, tried);
      assert.equal(new Set(one.seen.map(({ path }) => path)).size, tried);
    });
  }

  it('alternates, and skips a backend that was unreachable twice', async () => {
    await using good = await startUpstream(answerJson());
    await using also = await startUpstream(answerJson());
    const models = { m: pool(good.apiBase, await unusedApiBase(), also.apiBase) };
    let skippedMs = 0;
    const now = (): number => Date.now() + skippedMs;
    await using gateway = await startTestGateway({ models, keys }, { now });
    for (let turn = 0; turn < 12; turn++) {
      assert.equal((await gateway.chat(chatBody('m'))).status, 200);
      if (turn === 5) skippedMs += 1001;
    }
    const metrics = await gateway.metrics();
    assert.match(metrics, /gw_backend_healthy\{.*\} 0/);
    assert.match(metrics, /gw_retries_total 2\n/);
    assert.ok(good.seen.length >= 4 && also.seen.length >= 4);
  });
});

const policies = ['round-robin', 'least-loaded', 'lowest-latency', 'cache-affinity'] as const;

/** Each conversation is another, so that no policy keeps all of them at one backend. */
async function statusesOf(gateway: TestGateway, requests: number): Promise<readonly number[]> {
  const statuses: number[] = [];
  const ask = async (): Promise<void> => {
    while (statuses.length < requests) {
      const index = statuses.push(0) - 1;
      const messages = [{ role: 'user', content: `question ${index}` }];
      const response = await gateway.chat({ model: 'm', messages });
      await response.text();
      statuses[index] = response.status;
    }
  };
  await Promise.all(Array.from({ length: 8 }, ask));
  return statuses;
}

describe('a healthy sibling', () => {
  const failures = { 'answers 429': limited, 'answers 503': busy } as const;
  for (const policy of policies) {
    for (const [what, script] of Object.entries(failures)) {
      it(`serves every request when the other backend always ${what}, with ${policy}`, async () => {
        await using bad = await startUpstream(script);
        await using good = await startUpstream(answerJson());
        const models = { m: pool(bad.apiBase, good.apiBase) };
        await using gateway = await startTestGateway({ models, keys }, { policy });
        assert.deepEqual(new Set(await statusesOf(gateway, 300)), new Set([200]));
        assert.ok(bad.seen.length < 100, 'the failing one is asked now and then only');
      });
    }
  }

  for (const policy of [undefined, ...policies]) {
    it(`in a pool serves every request when the other members fail, with ${policy ?? 'weights'}`, async () => {
      await using slow = await startUpstream(limited);
      await using down = await startUpstream(busy);
      await using good = await startUpstream(answerJson());
      const models = {
        a: pool(slow.apiBase),
        b: pool(down.apiBase),
        c: pool(await unusedApiBase()),
        d: pool(good.apiBase),
      };
      const pools = {
        p: { members: { a: 1, b: 1, c: 1, d: 1 }, ...(policy === undefined ? {} : { policy }) },
      };
      const frontendModels = { m: { defaults: ['p'] } };
      await using gateway = await startTestGateway({ models, pools, frontendModels, keys });
      assert.deepEqual(new Set(await statusesOf(gateway, 300)), new Set([200]));
    });
  }

  it('of weight 0 in a pool is used only if the others fail', async () => {
    await using serving = await startUpstream(answerJson());
    await using drained = await startUpstream(answerJson());
    const models = { a: pool(serving.apiBase), b: pool(drained.apiBase) };
    const given = {
      models,
      pools: { p: { members: { a: 1, b: 0 } } },
      frontendModels: { m: { defaults: ['p'] } },
      keys,
    };
    await using gateway = await startTestGateway(given);
    assert.deepEqual(new Set(await statusesOf(gateway, 50)), new Set([200]));
    assert.deepEqual([serving.seen.length, drained.seen.length], [50, 0]);
    gateway.apply({ ...given, models: { ...models, a: pool(await unusedApiBase()) } });
    assert.deepEqual(new Set(await statusesOf(gateway, 10)), new Set([200]));
    assert.equal(drained.seen.length, 10);
  });

  it('is visible in the usage rows: their attempts equal the upstream requests', async () => {
    await using slow = await startUpstream(limited);
    await using down = await startUpstream(busy);
    await using good = await startUpstream(answerJson());
    const models = { m: pool(slow.apiBase, down.apiBase, good.apiBase) };
    await using gateway = await startTestGateway({ models, keys });
    await statusesOf(gateway, 100);
    await until(() => gateway.events.length === 100, { what: 'all usage rows' });
    const attempts = gateway.events.reduce((sum, row) => sum + row.attempts, 0);
    assert.ok(slow.seen.length > 0 && down.seen.length > 0);
    assert.equal(good.seen.length, 100);
    assert.equal(attempts - 100, slow.seen.length + down.seen.length);
  });

  it('of four entries serves every request when the other three fail', async () => {
    await using slow = await startUpstream(limited);
    await using down = await startUpstream(busy);
    await using good = await startUpstream(answerJson());
    const models = {
      m: pool(slow.apiBase, down.apiBase, await unusedApiBase(), good.apiBase),
    };
    await using gateway = await startTestGateway({ models, keys });
    assert.deepEqual(new Set(await statusesOf(gateway, 300)), new Set([200]));
  });

  it('is preferred until the Retry-After of a 429 has passed', async () => {
    let nowMs = Date.now();
    await using slow = await startUpstream(answerJson({ error: {} }, 429, { 'retry-after': '20' }));
    await using good = await startUpstream(answerJson());
    const models = { m: pool(slow.apiBase, good.apiBase) };
    await using gateway = await startTestGateway({ models, keys }, { now: () => nowMs });
    const askedOf = async (): Promise<number> => {
      for (let turn = 0; turn < 4; turn++) {
        assert.equal((await gateway.chat(chatBody('m'))).status, 200);
      }
      return slow.seen.length;
    };
    assert.equal(await askedOf(), 1);
    nowMs += 19_900;
    assert.equal(await askedOf(), 1);
    assert.doesNotMatch(await gateway.metrics(), /gw_backend_healthy\{.*\} 0/);
    nowMs += 200;
    assert.equal(await askedOf(), 2);
  });

  it('that is out of rotation is still tried after everything else failed', async () => {
    await using bad = await startUpstream(busy);
    await using good = await startUpstream(hangUp);
    let nowMs = Date.now();
    await using gateway = await startTestGateway(
      { models: { m: pool(good.apiBase), last: pool(bad.apiBase) }, keys, fallback: 'last' },
      { now: () => nowMs },
    );
    await gateway.chat(chatBody('m'));
    nowMs += 1001;
    await gateway.chat(chatBody('m'));
    assert.match(await gateway.metrics(), /gw_backend_healthy\{.*\} 0/);
    good.play(answerJson());
    const response = await gateway.chat(chatBody('m'));
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('x-gw-served-model'), 'm');
  });
});
