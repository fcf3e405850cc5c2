// Serves random requests in memory under a changing configuration. Routes them with the tables of a
// state, with random budgets, loads and disabled providers, and meters them like the gateway.

import * as fc from 'fast-check';

import type { ConfigState } from '../../../projections/config/state.ts';
import type { UsageRecord } from '../../../src/db/usage/usage-events.ts';
import { usageEvent as meteredEvent } from '../../../src/gateway/usage/meter.ts';
import { apiKeyId, promptClassId, providerId } from '../../../src/lib/ids.ts';
import { idleView } from '../../../src/routing/idle-view.ts';
import type { RouteInput } from '../../../src/routing/request.ts';
import { chooseRoute, reasonOf } from '../../../src/routing/route.ts';
import type { Route } from '../../../src/routing/route.ts';
import { ruleInputs } from '../../../src/routing/rule-inputs.ts';
import { compileTables } from '../../../src/snapshot/compile.ts';
import { principalCompiler } from '../../../src/snapshot/compile/callers.ts';
import { usageEvent } from '../../../src/usage/usage-event.ts';
import { usageRow } from '../../../src/usage/usage-row.ts';
import { routingSnapshot } from './routed.ts';

const nullable = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: null });

const week = 7 * 24 * 60 * 60 * 1000;
const begin = Date.parse('2026-11-16T00:00:00Z');

/** Everything about a request that the configuration does not decide. */
export const served = fc.record({
  principal: fc.nat(9),
  model: fc.constantFrom('house', 'hall', 'house', 'hall', 'a', 'b', 'gone'),
  isStream: fc.boolean(),
  promptEstimate: fc.nat(100),
  maxTokens: nullable(fc.nat(100)),
  promptClass: nullable(fc.integer({ min: 1, max: 2 })),
  headers: fc.dictionary(fc.constantFrom('x-tier', 'x-team'), fc.constantFrom('gold', 'iron')),
  nowMs: fc.nat(week).map((ms) => begin + ms),
  waitedMs: fc.nat(90_000),
  loads: fc.array(fc.nat(5), { minLength: 4, maxLength: 4 }),
  spent: fc.nat(200),
  out: fc.subarray([1, 2]),
  conversation: fc.nat(),
  answeredBy: fc.nat(3),
  refusal: fc.constantFrom(null, null, null, 'rate_limit', 'budget', 'backend_overloaded'),
});
type Served = typeof served extends fc.Arbitrary<infer Value> ? Value : never;

/** Null if the request leaves no usage row because its model name is unknown. */
export function serve(state: ConfigState, one: Served, number: number): UsageRecord | null {
  const { asking, decided, version } = routed(state, one);
  const { route, inputs } = decided;
  if (route.kind === 'absent') return null;
  const { caller, request } = asking;
  const event = meteredEvent(
    {
      exchange: {
        id: `01ARZ3NDEKTSV4RRFFQ6${String(number).padStart(6, '0')}`,
        startedMs: one.nowMs - one.waitedMs,
        path: '/v1/chat/completions',
      },
      caller: { ...caller, keyId: apiKeyId.parse(1) },
      request,
      generation: { snapshot: { version } },
      route,
      ruleInputs: inputs,
    },
    { ...outcomeOf(route, one), usage: null, estimate: null, durationMs: 1, firstTokenMs: null },
    (ms) => new Date(ms).toISOString(),
  );
  const reportedEvent = usageEvent.parse(JSON.parse(event === null ? '' : usageRow(event)));
  return {
    ...reportedEvent,
    at: new Date(reportedEvent.at),
    received_at: new Date(reportedEvent.at),
    replica: 'r1',
    principal: '',
    provider: null,
    prompt_class: null,
    cost_micros: null,
    estimated_cost_micros: null,
    currency: null,
    price_version: null,
    run: null,
    seq: null,
  };
}

function routed(state: ConfigState, one: Served) {
  const past = routingSnapshot(state);
  const principals = past.config.principals;
  const principal = principals[one.principal % principals.length];
  if (principal === undefined) throw new Error('the state has no principal');
  const budgets = [
    {
      principal_id: principal.id,
      tokens_used: one.spent,
      cost_used_micros: one.spent,
      window_start: null,
    },
  ];
  const dropped_providers = one.out.map((id) => ({
    provider_id: providerId.parse(id),
    reason: 'out of rotation',
  }));
  const snapshot = { ...past, overlay: { ...past.overlay, budgets, dropped_providers } };
  const tables = compileTables(snapshot, []);
  const entry = tables.frontendModels.get(one.model);
  const isClassified = (entry?.namedClasses.size ?? 0) > 0 && one.promptClass !== null;
  const asking: RouteInput = {
    caller: principalCompiler(snapshot, tables.models)(principal),
    live: {
      ...idleView(),
      backendsOf: ({ id, backends }) =>
        backends.map(() => ({
          inFlight: one.loads[id % 4] ?? 0,
          engine: null,
          latencyMs: null,
          restsUntilMs: one.loads[(id + 1) % 4] === 5 ? Infinity : 0,
          coolsUntilMs: 0,
        })),
    },
    request: {
      ...one,
      promptClass: isClassified ? promptClassId.parse(one.promptClass) : null,
      header: (name) => one.headers[name],
      conversationKey: () => one.conversation,
    },
  };
  const decided = { route: chooseRoute(tables, asking), inputs: ruleInputs(entry, asking) };
  return { asking, decided, version: state.version };
}

const refusedWith = { rate_limit: 429, budget: 402, backend_overloaded: 503 } as const;

function outcomeOf(route: Exclude<Route, { kind: 'absent' }>, one: Served) {
  const none = { providerId: null, route: null, attempts: 0 } as const;
  switch (route.kind) {
    case 'deny':
      return { ...none, status: route.status, refusal: 'authorisation', model: null } as const;
    case 'ungranted':
      return { ...none, status: 403, refusal: 'authorisation', model: route.model } as const;
    case 'out':
      return { ...none, status: 502, refusal: 'no_backend', model: route.model } as const;
    case 'chain': {
      const [first] = route.candidates;
      if (one.refusal !== null)
        return {
          ...none,
          status: refusedWith[one.refusal],
          refusal: one.refusal,
          model: first,
        } as const;
      const model = route.candidates[one.answeredBy % route.candidates.length] ?? first;
      const reason = reasonOf(route, model);
      const attempts = one.answeredBy + 1;
      return { ...none, status: 200, refusal: null, model, route: reason, attempts } as const;
    }
  }
}
