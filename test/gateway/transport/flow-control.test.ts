// Flow control on real sockets: what is sent to a backend at once, who waits, who goes elsewhere, who is refused and what they are told
// (specification, "Flow-control fields on a backend"; "Errors", 503).

import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, it } from 'node:test';

import { chatBody, startTestGateway } from '../../harness/gateway/gateway.ts';
import type { TestGateway } from '../../harness/gateway/gateway.ts';
import { readMetrics } from '../../harness/gateway/metrics-text.ts';
import { answerJson, startUpstream, unusedApiBase } from '../../harness/upstream/upstream.ts';
import type { Script } from '../../harness/upstream/upstream.ts';
import { until } from '../../harness/wait.ts';

/** Holds every request until it is let go, in the order in which they came. */
function holding() {
  const held: (() => void)[] = [];
  const script: Script = (request, response) =>
    void held.push(() => answerJson()(request, response));
  return { held, script, letGo: () => held.shift()?.() };
}

const keys = { key: {} };

/** The series of the backend with flow control, by their names without the prefix, refusals by their reason. */
async function admissionOf(gateway: TestGateway, apiBase?: string) {
  const all: Record<string, number> = {};
  for (const [name, { samples }] of readMetrics(await gateway.metrics())) {
    if (!name.startsWith('gw_admission_')) continue;
    for (const { labels, value } of samples) {
      if (apiBase !== undefined && labels['api_base'] !== apiBase) continue;
      all[labels['reason'] ?? name.slice('gw_admission_'.length)] = value;
    }
  }
  return all;
}

const reaches = (gateway: TestGateway, name: string, value: number) =>
  until(async () => (await admissionOf(gateway))[name] === value, { what: `${name} ${value}` });

describe('a backend with flow control', () => {
  it('gets at most its limit of concurrent requests; the rest follow in order', async () => {
    const { held, script, letGo } = holding();
    await using upstream = await startUpstream(script);
    const flow = { maxConcurrent: 2 };
    const models = { m: { backends: [{ apiBase: upstream.apiBase, flow }] } };
    await using gateway = await startTestGateway({ models, keys });
    const answers = [];
    for (let index = 0; index < 5; index++) {
      answers.push(gateway.chat(chatBody('m', { user: String(index) })));
      const counted = index < 2 ? 'in_use' : 'queued';
      await reaches(gateway, counted, index < 2 ? index + 1 : index - 1);
    }
    assert.equal(held.length, 2);
    for (let sent = 3; sent <= 5; sent++) {
      letGo();
      await until(() => upstream.seen.length === sent, { what: `${sent} requests` });
      assert.equal(held.length, 2);
    }
    letGo();
    letGo();
    for (const answer of await Promise.all(answers)) assert.equal(answer.status, 200);
    const order = upstream.seen.map(({ body }) => JSON.parse(body.toString()).user);
    assert.deepEqual(order.slice(2), ['2', '3', '4']);
    await reaches(gateway, 'in_use', 0);
    assert.deepEqual(await admissionOf(gateway), {
      max_concurrent: 2,
      capacity: 2,
      in_use: 0,
      queued: 0,
      admitted_total: 5,
      full: 0,
      timed_out: 0,
    });
  });

  it('holds a slot until the last byte of the response', async () => {
    const open: ServerResponse[] = [];
    await using upstream = await startUpstream((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {}\n\n');
      open.push(response);
    });
    const flow = { maxConcurrent: 1, maxQueued: 0 };
    const models = { m: { backends: [{ apiBase: upstream.apiBase, flow }] } };
    await using gateway = await startTestGateway({ models, keys });
    const stream = await gateway.chat(chatBody('m', { stream: true }));
    assert.equal(stream.status, 200);
    assert.equal((await gateway.chat(chatBody('m'))).status, 503);
    open[0]?.end('data: [DONE]\n\n');
    await stream.text();
    await reaches(gateway, 'in_use', 0);
  });

  it('whose queue is full refuses with 503 backend_overloaded and Retry-After', async () => {
    const { script, letGo } = holding();
    await using upstream = await startUpstream(script);
    const flow = { maxConcurrent: 1, maxQueued: 0 };
    const models = { m: { backends: [{ apiBase: upstream.apiBase, flow }] } };
    await using gateway = await startTestGateway({ models, keys });
    const first = gateway.chat(chatBody('m'));
    await reaches(gateway, 'in_use', 1);
    const refused = await gateway.chat(chatBody('m'));
    assert.equal(refused.status, 503);
    assert.equal(refused.headers.get('retry-after'), '5');
    const { error } = JSON.parse(await refused.text());
    assert.deepEqual([error.type, error.code], ['backend_overloaded', 'backend_overloaded']);
    assert.equal(upstream.seen.length, 1);
    letGo();
    assert.equal((await first).status, 200);
    const { full, timed_out } = await admissionOf(gateway);
    assert.deepEqual([full, timed_out], [1, 0]);
    await until(() => gateway.events.length === 2, { what: 'two usage rows' });
    const row = gateway.events.find(({ status }) => status === 503);
    assert.deepEqual([row?.refusal, row?.attempts, row?.model], ['backend_overloaded', 0, 'm']);
  });

  it('reports an overload to Messages API clients in their format', async () => {
    const { script, letGo } = holding();
    await using upstream = await startUpstream(script);
    const flow = { maxConcurrent: 1, maxQueued: 0 };
    const models = { m: { backends: [{ apiBase: upstream.apiBase, flow }] } };
    await using gateway = await startTestGateway({ models, keys });
    const first = gateway.chat(chatBody('m'));
    await reaches(gateway, 'in_use', 1);
    const refused = await fetch(`${gateway.url}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'key' },
      body: JSON.stringify(chatBody('m', { max_tokens: 5 })),
    });
    assert.equal(refused.status, 503);
    assert.equal(JSON.parse(await refused.text()).error.type, 'overloaded_error');
    letGo();
    await first;
  });

  it('returns 503 after the maximum wait', async () => {
    const { script, letGo } = holding();
    await using upstream = await startUpstream(script);
    const flow = { maxConcurrent: 1, maxWaitSeconds: 1 };
    const models = { m: { backends: [{ apiBase: upstream.apiBase, flow }] } };
    await using gateway = await startTestGateway({ models, keys });
    const first = gateway.chat(chatBody('m'));
    await reaches(gateway, 'in_use', 1);
    const startedAt = performance.now();
    const refused = await gateway.chat(chatBody('m'));
    const waitedMs = performance.now() - startedAt;
    assert.equal(refused.status, 503);
    assert.equal(refused.headers.get('retry-after'), '30');
    assert.ok(waitedMs >= 995 && waitedMs < 2000, `${waitedMs} ms`);
    letGo();
    await first;
    const { full, timed_out, queued } = await admissionOf(gateway);
    assert.deepEqual([full, timed_out, queued], [0, 1, 0]);
  });

  it('removes a disconnected client from the queue, the engine and the transition between them', async () => {
    const { held, script, letGo } = holding();
    await using upstream = await startUpstream(script);
    const flow = { maxConcurrent: 1 };
    const models = { m: { backends: [{ apiBase: upstream.apiBase, flow }] } };
    await using gateway = await startTestGateway({ models, keys });
    const leaving = Array.from({ length: 3 }, () => new AbortController());
    const answers = leaving.map(({ signal }) =>
      fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer key' },
        body: JSON.stringify(chatBody('m')),
        signal,
      }).catch(() => null),
    );
    await reaches(gateway, 'queued', 2);
    await until(() => upstream.seen.length === 1, { what: 'a request' });
    const last = gateway.chat(chatBody('m'));
    await reaches(gateway, 'queued', 3);
    for (const one of leaving) one.abort();
    await Promise.all(answers);
    await until(() => upstream.seen.some(({ isAborted }) => !isAborted && held.length > 1), {
      what: 'the last request',
    });
    letGo();
    letGo();
    letGo();
    letGo();
    assert.equal((await last).status, 200);
    await reaches(gateway, 'in_use', 0);
    const { queued, full, timed_out } = await admissionOf(gateway);
    assert.deepEqual([queued, full, timed_out], [0, 0, 0]);
    await until(() => gateway.events.length === 4, { what: 'a row each' });
    assert.deepEqual(gateway.events.filter(({ status }) => status === null).length, 3);
  });

  it('releases a slot if it cannot be reached', async () => {
    const flow = { maxConcurrent: 1, maxQueued: 0 };
    const models = { m: { backends: [{ apiBase: await unusedApiBase(), flow }] } };
    await using gateway = await startTestGateway({ models, keys });
    for (let turn = 0; turn < 3; turn++) {
      assert.equal((await gateway.chat(chatBody('m'))).status, 502);
    }
    const { in_use, admitted_total } = await admissionOf(gateway);
    assert.deepEqual([in_use, admitted_total], [0, 3]);
  });
});

describe('a request for a backend that is full', () => {
  for (const [what, given] of [
    ['a sibling', (a: object, b: object) => ({ models: { m: { backends: [a, b] } } })],
    [
      'another member of the pool',
      (a: object, b: object) => ({
        models: { one: { backends: [a] }, two: { backends: [b] } },
        pools: { p: { policy: 'round-robin', members: { one: 1, two: 1 } } },
        frontendModels: { m: { defaults: ['p'] } },
      }),
    ],
  ] as const) {
    it(`goes to ${what} that is not`, async () => {
      const busy = holding();
      await using full = await startUpstream(busy.script);
      await using free = await startUpstream(answerJson());
      const one = { apiBase: full.apiBase, flow: { maxConcurrent: 1 } };
      const two = { apiBase: free.apiBase, flow: { maxConcurrent: 8 } };
      await using gateway = await startTestGateway({ ...given(one, two), keys } as never);
      const first = gateway.chat(chatBody('m'));
      await until(() => full.seen.length === 1, { what: 'a request at the first' });
      for (let turn = 0; turn < 4; turn++) {
        assert.equal((await gateway.chat(chatBody('m'))).status, 200);
      }
      assert.deepEqual([full.seen.length, free.seen.length], [1, 4]);
      busy.letGo();
      await first;
      assert.equal(
        (await admissionOf(gateway, full.apiBase))['full'],
        2,
        'every second was its turn',
      );
    });
  }

  it('waits if every backend of the model is full, and does not use another model', async () => {
    const busy = holding();
    await using full = await startUpstream(busy.script);
    await using other = await startUpstream(answerJson());
    const models = {
      m: { backends: [{ apiBase: full.apiBase, flow: { maxConcurrent: 1, maxQueued: 1 } }] },
      last: { backends: [{ apiBase: other.apiBase }] },
    };
    await using gateway = await startTestGateway({ models, keys, fallback: 'last' });
    const first = gateway.chat(chatBody('m'));
    await reaches(gateway, 'in_use', 1);
    const second = gateway.chat(chatBody('m'));
    await reaches(gateway, 'queued', 1);
    const third = await gateway.chat(chatBody('m'));
    assert.equal(third.headers.get('x-gw-served-model'), 'last', 'its queue is full');
    assert.match(await gateway.metrics(), /gw_failovers_total 1\n/);
    busy.letGo();
    await first;
    busy.letGo();
    await until(() => busy.held.length > 0 || full.seen.length === 2, { what: 'the second' });
    busy.letGo();
    assert.equal((await second).headers.get('x-gw-served-model'), 'm');
  });
});

describe('the settings of flow control', () => {
  it('change with a snapshot, for current requests too', async () => {
    const { held, script, letGo } = holding();
    await using upstream = await startUpstream(script);
    const given = (flow?: { maxConcurrent: number; maxWaitSeconds?: number }) => ({
      models: {
        m: { backends: [{ apiBase: upstream.apiBase, ...(flow === undefined ? {} : { flow }) }] },
      },
      keys,
    });
    await using gateway = await startTestGateway(given());
    const answers = [gateway.chat(chatBody('m')), gateway.chat(chatBody('m'))];
    await until(() => held.length === 2, { what: 'two requests' });
    assert.deepEqual(await admissionOf(gateway), {}, 'no series of a gate that is off');
    gateway.apply({ ...given({ maxConcurrent: 1 }), version: 2 });
    answers.push(gateway.chat(chatBody('m')), gateway.chat(chatBody('m')));
    await reaches(gateway, 'queued', 2);
    assert.equal((await admissionOf(gateway))['in_use'], 2, 'those that were there before');
    letGo();
    await reaches(gateway, 'in_use', 1);
    assert.equal(upstream.seen.length, 2);
    gateway.apply({ ...given({ maxConcurrent: 3 }), version: 3 });
    await until(() => upstream.seen.length === 4, { what: 'those who waited' });
    gateway.apply({ ...given(), version: 4 });
    for (let turn = 0; turn < 3; turn++) letGo();
    for (const answer of await Promise.all(answers)) assert.equal(answer.status, 200);
    gateway.apply({ ...given({ maxConcurrent: 1, maxWaitSeconds: 0 }), version: 5 });
    await reaches(gateway, 'in_use', 0);
  });

  it('keep the gate when the credential changes', async () => {
    const { held, script, letGo } = holding();
    await using upstream = await startUpstream(script);
    const given = (credential: string) => ({
      models: {
        m: {
          backends: [
            { apiBase: upstream.apiBase, credential, flow: { maxConcurrent: 1, maxQueued: 0 } },
          ],
        },
      },
      keys,
    });
    await using gateway = await startTestGateway(given('one'));
    const first = gateway.chat(chatBody('m'));
    await until(() => held.length === 1, { what: 'a request' });
    gateway.apply({ ...given('two'), version: 2 });
    assert.equal((await gateway.chat(chatBody('m'))).status, 503);
    letGo();
    await first;
    await reaches(gateway, 'in_use', 0);
  });
});

it('the health page shows the state of each gate, and nothing without a gate', async () => {
  await using upstream = await startUpstream(answerJson());
  const { apiBase } = upstream;
  const models = {
    gated: { backends: [{ apiBase, flow: { maxConcurrent: 4 } }] },
    open: { backends: [{ apiBase }] },
  };
  await using gateway = await startTestGateway({ models, keys });
  await (await gateway.chat(chatBody('gated'))).text();
  const [gated, open] = gateway.gateway.healthReport('r').backends;
  assert.deepEqual(gated?.admission, {
    max_concurrent: 4,
    capacity: 4,
    in_use: 0,
    queued: 0,
    admitted_total: 1,
    refused_full_total: 0,
    refused_timed_out_total: 0,
  });
  assert.equal(open?.admission, undefined);
});
