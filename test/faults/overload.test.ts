// Tests an engine under twice its capacity. With flow control it gets at most the limit of
// requests, and admitted requests are several times as fast as without. Both are measured in one
// run. GW_TEST_OVERLOAD_SECONDS sets the duration of each.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

import { chatBody, startTestGateway } from '../harness/gateway/gateway.ts';
import { until } from '../harness/wait.ts';
import { startEngine } from '../harness/upstream/queueing-engine.ts';

const overloadedMs = Number(process.env['GW_TEST_OVERLOAD_SECONDS'] ?? 4) * 1000;

// Slow, so that the machine, which runs both sides, is not the bottleneck.
const sequencesMax = 4;
const serviceMs = 200;
/** Twice the capacity of the engine. */
const arrivalsPerSecond = (2 * sequencesMax * 1000) / serviceMs;
const ceiling = 6;

type Overload = Readonly<{
  /** The 99th percentile of served requests, in milliseconds. */
  p99: number;
  served: number;
  refused: number;
  slowestRefusalMs: number;
  peak: number;
}>;

async function overload(flow?: { maxConcurrent: number; maxQueued: number }): Promise<Overload> {
  await using engine = await startEngine({ sequencesMax, serviceMs });
  const backend = { apiBase: engine.apiBase, ...(flow === undefined ? {} : { flow }) };
  await using gateway = await startTestGateway(
    { models: { m: { backends: [backend] } } },
    { engineMetrics: { intervalMs: 100 }, firstByteMs: 60_000 },
  );
  const times: Record<'served' | 'refused', number[]> = { served: [], refused: [] };
  const admission = () => gateway.gateway.backends()[0]?.admission;
  const one = async (): Promise<void> => {
    const startedAt = performance.now();
    const answer = await gateway.chat(chatBody('m'));
    await answer.text();
    assert.ok(answer.status === 200 || answer.status === 503, `${answer.status}`);
    times[answer.status === 200 ? 'served' : 'refused'].push(performance.now() - startedAt);
  };
  const all: Promise<void>[] = [];
  const startedAt = performance.now();
  // An open loop: arrivals do not wait for earlier requests.
  for (let arrived = 0; performance.now() - startedAt < overloadedMs; await pause(5)) {
    const due = ((performance.now() - startedAt) / 1000) * arrivalsPerSecond;
    for (; arrived < due; arrived++) all.push(one());
  }
  await Promise.all(all);
  const atRest = () => (admission()?.in_use ?? 0) === 0 && (admission()?.queued ?? 0) === 0;
  await until(atRest, { what: 'no slot in use' });
  const { served, refused } = times;
  return {
    p99: served.toSorted((a, b) => a - b)[Math.floor(served.length * 0.99)] ?? Number.NaN,
    served: served.length,
    refused: refused.length,
    slowestRefusalMs: Math.max(0, ...refused),
    peak: engine.peak(),
  };
}

it('flow control keeps an overloaded engine within the limit, and admitted requests take at most a third of the time', async (t) => {
  const open = await overload();
  const gated = await overload({ maxConcurrent: ceiling, maxQueued: 2 });
  t.diagnostic(JSON.stringify({ open, gated }));
  assert.equal(open.refused, 0);
  assert.ok(open.peak > 2 * ceiling, 'without it the engine queues without end');
  assert.ok(gated.peak <= ceiling, `${gated.peak} at once`);
  assert.ok(gated.p99 * 3 <= open.p99, `${gated.p99} ms against ${open.p99} ms`);
  assert.ok(gated.refused > 0 && gated.slowestRefusalMs < open.p99 / 3);
  const possible = (overloadedMs / serviceMs) * sequencesMax;
  assert.ok(
    gated.served >= possible / 4,
    `${gated.served} served of ${possible} that are possible`,
  );
});

it('clients that disconnect at any time release their slots', async () => {
  const leavers = Number(process.env['GW_TEST_GATE_LEAVERS'] ?? 300);
  await using engine = await startEngine({ sequencesMax: 4, serviceMs: 5 });
  const flow = { maxConcurrent: 6, maxQueued: 12 };
  await using gateway = await startTestGateway(
    { models: { m: { backends: [{ apiBase: engine.apiBase, flow }] } } },
    { engineMetrics: { intervalMs: 50 } },
  );
  const one = async (index: number): Promise<void> => {
    const leaving = new AbortController();
    const timer = setTimeout(() => leaving.abort(), (index * 7) % 40);
    await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(chatBody('m')),
      signal: leaving.signal,
    })
      .then((answer) => answer.text())
      .catch(() => undefined);
    clearTimeout(timer);
  };
  const lanes = Array.from({ length: 24 }, async (_, lane) => {
    for (let index = lane; index < leavers; index += 24) await one(index);
  });
  await Promise.all(lanes);
  const atRest = () => {
    const admission = gateway.gateway.backends()[0]?.admission;
    return admission?.in_use === 0 && admission.queued === 0;
  };
  await until(atRest, { what: 'no slot in use and an empty queue' });
  assert.equal((await gateway.chat(chatBody('m'))).status, 200);
});
