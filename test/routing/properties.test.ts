// Tests properties of every route, for random configurations and requests.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { mayInvoke } from '../../src/snapshot/compile/callers.ts';
import { poolPolicy } from '../../src/lib/vocabulary.ts';
import { ask, failedConditions, matches } from '../../src/routing/conditions.ts';
import { routing } from '../harness/gateway/routing.ts';
import type { RoutingOptions } from '../harness/gateway/routing.ts';

const modelNames = ['a', 'b', 'c', 'd'];
const frontendNames = ['house', 'hall', 'cellar'];
const target = fc.constantFrom(...modelNames, 'p', 'q', 'gone');
const targets = fc.array(target, { maxLength: 5 }).map((names) => names.join(', '));

const condition = fc.oneof(
  fc.constant(''),
  fc.nat(100).map((tokens) => `min_prompt_tokens=${tokens}`),
  fc.nat(100).map((tokens) => `max_prompt_tokens=${tokens}`),
  fc.nat(100).map((tokens) => `max_max_tokens=${tokens}`),
  fc.boolean().map((isStream) => `stream=${isStream}`),
  fc.constant('headers.x-tier=gold'),
  fc.constantFrom('principals=[1]', 'roles=[2]', 'class=1', 'days=[1,6]', 'after=11:00'),
  fc.nat(100).map((percent) => `min_budget_used_percent=${percent}`),
  fc.nat(500).map((micros) => `max_request_cost_micros=${micros}`),
  fc.nat(4).map((requests) => `max_inflight_per_backend=${requests}`),
);
const action = fc.oneof(
  targets,
  fc.constantFrom(...frontendNames, 'gone').map((name) => `jump ${name}`),
  fc.constant('deny 418 no'),
);
const rule = fc
  .tuple(fc.constantFrom(...frontendNames), condition, condition, action)
  .map(([name, one, other, action]) => `${name}: ${one} ${other} -> ${action}`);
const rules = fc
  .tuple(fc.array(rule, { maxLength: 12 }), targets)
  .map(([lines, defaults]) => [...lines, `house: else ${defaults}`].join('\n'));

const members = fc.dictionary(fc.constantFrom(...modelNames), fc.integer({ min: 1, max: 9 }));
const pool = fc.record(
  { policy: fc.constantFrom(...poolPolicy.options), members },
  { requiredKeys: ['members'] },
);
const model = fc.record(
  {
    contextLength: fc.integer({ min: 1, max: 150 }),
    prices: fc.tuple(fc.option(fc.nat(9_000_000)), fc.option(fc.nat(9_000_000))),
    backends: fc.constant([]),
  },
  { requiredKeys: [] },
);
const options: fc.Arbitrary<RoutingOptions> = fc.record({
  models: fc.record({ a: model, b: model, c: model, d: model }),
  pools: fc.record({ p: pool, q: pool }),
  fallback: fc.constantFrom(...modelNames),
  promptClasses: fc.constant({ code: [] }),
  loads: fc.record({
    a: fc.record({ inFlight: fc.nat(9), restsUntilMs: fc.constantFrom(0, Infinity) }),
  }),
  keys: fc.record({
    key: fc.record({
      grants: fc.subarray(modelNames.map((name) => `model/${name}`)),
      budget: fc.record({ tokens: fc.tuple(fc.nat(100), fc.constant(100)) }),
    }),
  }),
});
const request = fc
  .tuple(
    fc.constantFrom(...frontendNames, ...modelNames),
    fc.nat(100),
    fc.constantFrom('', 'max=50', 'stream', 'x-tier:gold', 'class=code'),
    fc.nat(50),
  )
  .map(
    ([name, prompt, more, conversation]) =>
      `${name} prompt=${prompt} ${more} conversation=${conversation}`,
  );

const everyRoute = (holds: (asked: ReturnType<typeof routing>, request: string) => void): void =>
  fc.assert(
    fc.property(rules, options, request, (rules, options, request) =>
      holds(routing(rules, options), request),
    ),
    { numRuns: 500 },
  );

describe('every route', () => {
  it('contains only models that the caller may invoke and that are served, each at most once', () => {
    everyRoute(({ choose, snapshot }, request) => {
      const route = choose(request);
      const [caller] = snapshot.callers.values();
      assert.ok(caller !== undefined);
      if (route.kind === 'ungranted') assert.equal(mayInvoke(caller, route.model), false);
      if (route.kind !== 'chain') return;
      assert.equal(new Set(route.candidates).size, route.candidates.length);
      for (const candidate of route.candidates) {
        assert.ok(mayInvoke(caller, candidate));
        assert.notEqual(candidate.backends.length, 0);
      }
    });
  });

  it('leads to what its frontend model can reach, or to the fallback', () => {
    everyRoute(({ choose, snapshot }, request) => {
      const route = choose(request);
      const frontendModel = snapshot.frontendModels.get(request.split(' ')[0] ?? '');
      if (route.kind !== 'chain' || frontendModel === undefined) return;
      for (const candidate of route.candidates) {
        assert.ok(frontendModel.reach.includes(candidate) || candidate === route.fallback);
      }
    });
  });

  it('passes a rule exactly when no condition of it fails', () => {
    everyRoute(({ asking, snapshot }, request) => {
      const asked = asking(request);
      for (const frontendModel of snapshot.frontendModels.values()) {
        const put = ask(frontendModel, asked);
        for (const rule of frontendModel.rules) {
          assert.equal(matches(rule, put), failedConditions(rule, put).length === 0);
        }
      }
    });
  });

  it('is explained by the verdicts: what decides is the first that matches', () => {
    everyRoute(({ explain }, request) => {
      const { route, verdicts } = explain(request);
      const deciding = verdicts.filter(({ isDeciding }) => isDeciding);
      for (const { failed, isJumpLost } of deciding) {
        assert.deepEqual(failed, []);
        assert.equal(isJumpLost, false);
      }
      const last = deciding.at(-1);
      const rule = route.decision?.rule ?? null;
      if (rule !== null) assert.equal(last?.rule, rule);
      else if (last !== undefined) assert.equal(last.rule.action, 'jump');
      const path = deciding.slice(0, rule === null ? undefined : -1);
      assert.ok(path.every(({ rule }) => rule.action === 'jump'));
      assert.equal(route.decision?.reason.split('jump:').length ?? 1, path.length + 1);
    });
  });
});
