// Every condition field, at its bounds (specification, "Condition fields").

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { routing } from '../harness/gateway/routing.ts';
import type { RoutingOptions } from '../harness/gateway/routing.ts';

/** A Saturday. */
const at = (time: string): string => `at=2026-11-21T${time}:00Z`;

/** One rule with the condition; the request must match it, or must not because of that field alone. */
function holds(
  condition: string,
  request: string,
  failed: string | null,
  options?: RoutingOptions,
) {
  const outcome = failed === null ? 'matches' : `fails by ${failed}`;
  it(`${condition} ${outcome} for ${request}`, () => {
    const asked = routing(`house: ${condition} -> a\nhouse: else b`, options);
    const [verdict] = asked.explain(`house ${request}`).verdicts;
    assert.deepEqual(verdict?.failed, failed === null ? [] : [failed]);
    assert.equal(asked.ask(`house ${request}`), failed === null ? 'a | rule:0' : 'b | default');
  });
}

const spent = (used: number, total: number) => ({
  keys: { key: { budget: { tokens: [used, total], costMicros: [1, 1000] } } } as const,
});
const busy = (load: object) => ({ loads: { a: load } });

describe('the size of a prompt', () => {
  holds('min_prompt_tokens=100', 'prompt=100', null);
  holds('min_prompt_tokens=100', 'prompt=99', 'min_prompt_tokens');
  holds('max_prompt_tokens=100', 'prompt=100', null);
  holds('max_prompt_tokens=100', 'prompt=101', 'max_prompt_tokens');
});

describe('the requested length', () => {
  holds('min_max_tokens=10', 'max=10', null);
  holds('min_max_tokens=10', 'max=9', 'min_max_tokens');
  holds('max_max_tokens=10', 'max=10', null);
  holds('max_max_tokens=10', 'max=11', 'max_max_tokens');
  holds('min_max_tokens=0', 'prompt=1', 'min_max_tokens');
  holds('max_max_tokens=10', 'prompt=1', 'max_max_tokens');
});

describe('a stream', () => {
  holds('stream=true', 'stream', null);
  holds('stream=true', 'prompt=1', 'stream');
  holds('stream=false', 'prompt=1', null);
  holds('stream=false', 'stream', 'stream');
});

describe('headers', () => {
  holds('headers.x-tier=gold', 'x-tier:gold', null);
  holds('headers.x-tier=gold', 'x-tier:Gold', 'headers.x-tier');
  holds('headers.x-tier=gold', 'prompt=1', 'headers.x-tier');
  holds('headers.x-a=1 headers.x-b=2', 'x-a:1', 'headers.x-b');
});

describe('who is calling', () => {
  const keys = { key: {} };
  holds('principals=[1]', 'prompt=1', null, { keys });
  holds('principals=[2]', 'prompt=1', 'principals', { keys });
  holds('roles=[1]', 'prompt=1', null, { keys });
  holds('roles=[2]', 'prompt=1', 'roles', { keys });
  holds('principals=[2] roles=[1]', 'prompt=1', null, { keys });
  holds('principals=[1]', 'prompt=1', 'principals');
});

describe('the spent part of the budget', () => {
  holds('min_budget_used_percent=80', 'prompt=1', null, spent(80, 100));
  holds('min_budget_used_percent=80', 'prompt=1', 'min_budget_used_percent', spent(799, 1000));
  holds('max_budget_used_percent=80', 'prompt=1', null, spent(809, 1000));
  holds('max_budget_used_percent=80', 'prompt=1', 'max_budget_used_percent', spent(81, 100));
  holds('max_budget_used_percent=100', 'prompt=1', 'max_budget_used_percent', {
    keys: { key: {} },
  });
  holds('min_budget_used_percent=0', 'prompt=1', 'min_budget_used_percent', { keys: { key: {} } });
});

describe('how busy the own targets are', () => {
  const noon = Date.parse('2026-11-21T12:00:00Z');
  holds('max_inflight_per_backend=3', 'prompt=1', null, busy({ inFlight: 2 }));
  holds(
    'max_inflight_per_backend=3',
    'prompt=1',
    'max_inflight_per_backend',
    busy({ inFlight: 3 }),
  );
  const engine = (requests: number, ageMs: number) =>
    busy({ inFlight: 2, engine: { requests, atMs: noon - ageMs } });
  holds('max_inflight_per_backend=3', 'prompt=1', 'max_inflight_per_backend', engine(3, 10_000));
  holds('max_inflight_per_backend=3', 'prompt=1', null, engine(3, 10_001));
  const down = busy({ restsUntilMs: noon + 1 });
  it('an endpoint that is down has no room', () => {
    const asked = routing('house: max_inflight_per_backend=3 -> a\nhouse: else b', down);
    assert.equal(asked.ask('house'), 'b | default');
  });
});

describe('the prompt class', () => {
  const promptClasses = { code: [], rust: ['code'], async: ['rust'], prose: [] };
  holds('class=1', 'class=code', null, { promptClasses });
  holds('class=1', 'class=rust', null, { promptClasses });
  holds('class=1', 'class=async', null, { promptClasses });
  holds('class=2', 'class=code', 'class', { promptClasses });
  holds('class=1', 'class=prose', 'class', { promptClasses });
  holds('class=1', 'prompt=1', 'class', { promptClasses });
});

describe('the cost at the cheapest reachable model', () => {
  // 10 prompt tokens and 5 more at 3.00 and 15.00 a million: 30 + 75 micro-units.
  const models = { a: { prices: [3_000_000, 15_000_000] }, b: {} } as const;
  holds('min_request_cost_micros=105', 'prompt=10 max=5', null, { models });
  holds('min_request_cost_micros=106', 'prompt=10 max=5', 'min_request_cost_micros', { models });
  holds('max_request_cost_micros=105', 'prompt=10 max=5', null, { models });
  holds('max_request_cost_micros=104', 'prompt=10 max=5', 'max_request_cost_micros', { models });
  holds('max_request_cost_micros=30', 'prompt=10', null, { models });
  holds('max_request_cost_micros=100', 'prompt=10', 'max_request_cost_micros');
  holds('min_request_cost_micros=0', 'prompt=10', 'min_request_cost_micros');
  const cheaper = { a: models.a, b: { prices: [1_000_000, 1_000_000] } } as const;
  holds('min_request_cost_micros=16', 'prompt=10 max=5', 'min_request_cost_micros', {
    models: cheaper,
  });
  it('counts what a jump can reach, the same before every rule', () => {
    const rules = `house: -> jump cellar
                   cellar: max_request_cost_micros=20 -> a
                   cellar: else b
                   house: else c`;
    const asked = routing(rules, { models: { ...models, c: cheaper.b } });
    assert.equal(asked.ask('house prompt=10 max=5'), 'a | jump:cellar>rule:0');
    assert.equal(asked.ask('cellar prompt=10 max=5'), 'b | default');
  });
});

describe('the clock', () => {
  holds('after=09:00 before=17:00', at('09:00'), null);
  for (const [window, time, failed] of [
    ['after=09:00', '08:59', ['after']],
    ['before=17:00', '17:00', ['before']],
    ['before=17:00', '16:59', []],
    ['after=09:00 before=17:00', '17:00', ['after', 'before']],
    ['after=22:00 before=06:00', '23:30', []],
    ['after=22:00 before=06:00', '05:59', []],
    ['after=22:00 before=06:00', '06:00', ['after', 'before']],
    ['after=22:00 before=22:00', '03:00', []],
    ['days=[6]', '00:00', []],
    ['days=[7]', '23:59', ['days']],
    ['days=[7] utc_offset_minutes=60', '23:00', []],
    ['days=[5] utc_offset_minutes=-60', '00:59', []],
    ['after=22:00 before=06:00 days=[5]', '02:00', ['days']],
    ['after=09:00 utc_offset_minutes=120', '07:00', []],
  ] as const) {
    it(`${window} at ${time} fails by ${failed.join(' and ') || 'nothing'}`, () => {
      const asked = routing(`house: ${window} -> a\nhouse: else b`);
      const [verdict] = asked.explain(`house ${at(time)}`).verdicts;
      assert.deepEqual(verdict?.failed, failed);
      const answer = failed.length === 0 ? 'a | rule:0' : 'b | default';
      assert.equal(asked.ask(`house ${at(time)}`), answer);
    });
  }
});
