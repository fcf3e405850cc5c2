// When endpoints are asked: all of them soon and in their own time, a bounded number at once, none twice at the same time.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { nextGeneration } from '../../../src/gateway/generation.ts';
import type { EndpointState } from '../../../src/gateway/backend-state.ts';
import { startProber } from '../../../src/gateway/health/prober.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import { compileSnapshot } from '../../../src/snapshot/compile.ts';
import { collectLog } from '../../harness/gateway/gateway.ts';
import { givenSnapshot } from '../../harness/gateway/snapshot.ts';
import { until } from '../../harness/wait.ts';

function endpointsAt(count: number): readonly EndpointState[] {
  const backends = Array.from({ length: count }, (_, port) => ({
    apiBase: `http://127.0.0.1:${port + 1}/v1`,
  }));
  const compiled = compileSnapshot(givenSnapshot({ models: { m: { backends } } }));
  assert.ok(!isRefusal(compiled));
  return nextGeneration(null, compiled, 0).endpoints;
}

/** Every probe is held until it is let go. */
function heldProber(endpoints: readonly EndpointState[], intervalMs: number) {
  const held = new Map<EndpointState, () => void>();
  const asked: EndpointState[] = [];
  let isTwice = false;
  const prober = startProber({
    endpoints: () => endpoints,
    probe: async (endpoint) => {
      isTwice ||= held.has(endpoint);
      asked.push(endpoint);
      await new Promise<void>((resolve) => void held.set(endpoint, resolve));
      return { finding: 'passed', detail: 'status 200', list: null };
    },
    intervalMs,
    log: collectLog([]),
    now: Date.now,
    monotonic: () => performance.now(),
    random: Math.random,
  });
  const letGo = () => {
    for (const resolve of held.values()) resolve();
    held.clear();
  };
  return { ...prober, held, asked, letGo, isTwice: () => isTwice };
}

describe('a prober', () => {
  it('asks 64 endpoints at once, and the others when these have answered', async () => {
    const endpoints = endpointsAt(100);
    const { held, asked, letGo, isTwice, close } = heldProber(endpoints, 20);
    await until(() => held.size === 64, { what: '64 probes' });
    const first = new Set(asked);
    assert.equal(first.size, 64);
    letGo();
    await until(() => held.size === 64, { what: 'the next probes' });
    assert.deepEqual(new Set(asked), new Set(endpoints), 'those that waited longest come first');
    close();
    assert.equal(isTwice(), false);
  });

  it('asks an endpoint again only when its answer is there', async () => {
    const { held, asked, letGo, isTwice, close } = heldProber(endpointsAt(1), 8);
    for (let turn = 1; turn <= 4; turn++) {
      await until(() => held.size === 1, { what: 'a probe' });
      assert.equal(asked.length, turn);
      letGo();
    }
    close();
    assert.equal(isTwice(), false);
  });
});
