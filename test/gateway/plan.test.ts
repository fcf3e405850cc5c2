// The order of attempts and the waits between them: without a socket, because a plan decides and sends nothing.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { nextGeneration } from '../../src/gateway/generation.ts';
import { Plan } from '../../src/gateway/plan.ts';
import type { Step } from '../../src/gateway/plan.ts';
import { routeAt } from '../../src/gateway/routes.ts';
import { isRefusal } from '../../src/lib/refusal.ts';
import { chooseRoute } from '../../src/routing/route.ts';
import { anonymous } from '../../src/snapshot/compile/callers.ts';
import { compileSnapshot } from '../../src/snapshot/compile.ts';
import { newCounts } from '../../src/telemetry/metrics.ts';
import { givenSnapshot } from '../harness/gateway/snapshot.ts';

const nowMs = Date.parse('2026-11-21T12:00:00Z');

type Given = Readonly<{
  /** The addresses of the backends of each target, in turn. */
  targets: readonly (readonly string[])[];
  /** Addresses that are out of rotation, and that are cooling down. */
  out?: readonly string[];
  cooling?: readonly string[];
  /** The retry budget has nothing left. */
  isSpent?: boolean;
}>;

function planOf({ targets, out = [], cooling = [], isSpent = false }: Given): Plan {
  const names = targets.map((_, index) => `target-${index}`);
  const models = Object.fromEntries(
    targets.map((hosts, index) => [
      `target-${index}`,
      { backends: hosts.map((host) => ({ apiBase: `http://${host}/v1` })) },
    ]),
  );
  const compiled = compileSnapshot(
    givenSnapshot({ models, frontendModels: { m: { defaults: names } } }),
  );
  assert.ok(!isRefusal(compiled));
  const generation = nextGeneration(null, compiled, 0);
  for (const state of generation.backends) {
    const host = hostOf(state);
    if (out.includes(host)) state.restsUntilMs = Infinity;
    if (cooling.includes(host)) state.coolsUntilMs = nowMs + 1000;
  }
  for (const { traffic } of generation.models.values()) {
    if (isSpent) Object.assign(traffic.retryBudget, { startMs: nowMs, retries: 1000 });
  }
  const request = {
    model: 'm',
    isStream: false,
    promptEstimate: 1,
    maxTokens: null,
    promptClass: null,
    nowMs,
    header: () => undefined,
    conversationKey: () => 7,
  };
  const route = chooseRoute(compiled, { caller: anonymous, request, live: generation.view });
  assert.ok(route.kind === 'chain');
  const proxied = routeAt('/v1/chat/completions');
  assert.ok(proxied !== undefined);
  return new Plan({
    generation,
    route,
    proxied,
    request,
    exchange: { id: '0000' },
    context: {
      policy: 'least-loaded',
      attemptsMax: 100,
      retriesMax: Infinity,
      firstByteMs: 1000,
      counts: newCounts(),
      now: () => nowMs,
    },
  });
}

const hostOf = ({ backend }: Step['backend']): string => new URL(backend.apiBase).host;

/** Every attempt fails with the status that its host has, 503 unless it has another. */
function walk(given: Given, statuses: Readonly<Record<string, number>> = {}, tookMs = 1) {
  const plan = planOf(given);
  const steps: { host: string; waitMs: number }[] = [];
  for (let step = plan.first(); step !== null;) {
    const host = hostOf(step.backend);
    steps.push({ host, waitMs: step.waitMs });
    step = plan.next({ status: statuses[host] ?? 503, tookMs });
  }
  return { hosts: steps.map(({ host }) => host).join(' '), waits: steps.map((one) => one.waitMs) };
}

describe('the attempts of a request', () => {
  it('go to every backend of a target before the next target', () => {
    const { hosts } = walk({ targets: [['a', 'b', 'c'], ['d'], ['e', 'f']] });
    assert.match(hosts, /^([abc] ){3}d [ef] [ef]$/);
  });

  it('go to backends that are cooling down after their siblings, and before the next target', () => {
    assert.equal(walk({ targets: [['a', 'b'], ['c']], cooling: ['a'] }).hosts, 'b a c');
  });

  it('go to backends that are out of rotation after everything else', () => {
    assert.match(walk({ targets: [['a', 'b'], ['c']], out: ['a'] }).hosts, /^b c a$/);
    assert.match(
      walk({ targets: [['a'], ['b', 'c']], out: ['a', 'b', 'c'] }).hosts,
      /^a [bc] [bc]$/,
    );
  });

  it('leave out a backend that is cooling down when the retry budget is spent', () => {
    const isSpent = true;
    assert.equal(walk({ targets: [['a', 'b'], ['c']], cooling: ['a'], isSpent }).hosts, 'b c');
    assert.equal(walk({ targets: [['a'], ['b']], cooling: ['a', 'b'], isSpent }).hosts, 'a b');
  });

  it('end once they have taken three times the time to first byte', () => {
    const targets = [['a', 'b', 'c', 'd', 'e', 'f']];
    assert.equal(walk({ targets }, {}, 1000).hosts.split(' ').length, 3);
    assert.equal(walk({ targets }, {}, 700).hosts.split(' ').length, 5);
  });

  it('reach every backend that is ready, whatever the others are, each once', () => {
    const hosts = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const state = fc.constantFrom('ready', 'cooling', 'out');
    fc.assert(
      fc.property(
        fc.array(state, { minLength: 8, maxLength: 8 }),
        fc.nat(7),
        fc.boolean(),
        (states, cut, isSpent) => {
          const are = (what: string) => hosts.filter((_, index) => states[index] === what);
          const targets = [hosts.slice(0, cut), hosts.slice(cut)].filter((one) => one.length > 0);
          const given = { targets, out: are('out'), cooling: are('cooling'), isSpent };
          const tried = walk(given).hosts.split(' ');
          assert.equal(new Set(tried).size, tried.length);
          for (const host of are('ready')) assert.ok(tried.includes(host));
          if (!isSpent) assert.equal(tried.length, hosts.length);
        },
      ),
    );
  });
});

describe('the wait before an attempt', () => {
  it('is 25, 50 and 100 ms at a provider that failed this request already', () => {
    assert.deepEqual(
      walk({ targets: [['a'], ['a'], ['a'], ['a'], ['a']] }).waits,
      [0, 25, 50, 100, 100],
    );
  });

  it('is twice as long after a 429 of that provider', () => {
    assert.deepEqual(walk({ targets: [['a'], ['a'], ['a']] }, { a: 429 }).waits, [0, 50, 100]);
  });

  it('is nothing at another provider', () => {
    assert.deepEqual(walk({ targets: [['a', 'b'], ['c']] }, { a: 429, b: 429 }).waits, [0, 0, 0]);
    assert.deepEqual(walk({ targets: [['a'], ['b'], ['a']] }, { b: 429 }).waits, [0, 0, 25]);
  });
});
