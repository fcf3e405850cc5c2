// Prepares a configuration for past requests: its lookup tables, and the caller of a request in it.

import { createConfigSteps, snapshotMember } from '../../projections/snapshot.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import type { UsageRecord } from '../../src/db/usage/usage-events.ts';
import type { Steps } from '../../src/lib/steps.ts';
import type { Denial } from '../../src/routing/denial.ts';
import { explainRecorded } from '../../src/routing/explain-recorded.ts';
import { choiceKey, firstChoice } from '../../src/routing/first-choice.ts';
import type { Side } from '../../src/routing/recorded-route.ts';
import type { Serving } from '../../src/routing/row-answers.ts';
import type { Party } from './compare-request.ts';
import { tableSteps } from '../../src/snapshot/compile.ts';
import type { RoutingTables } from '../../src/snapshot/compile.ts';
import { principalCompiler } from '../../src/snapshot/compile/callers.ts';
import { recordedRequest } from '../../src/control/history/explain.ts';
import { routingSnapshotOf } from '../../src/control/history/routing-snapshot.ts';

export type Sides = Readonly<{
  state: ConfigState;
  /** A refusal if the key or principal is no longer valid. */
  party: (row: UsageRecord) => Party;
  /** The evaluation of the request by this configuration, if it served it. */
  serving: (row: UsageRecord) => Serving;
  /** The answering target, if this configuration served the request. */
  placeOf: (row: UsageRecord) => string | null;
}>;

/** The tables derive from these. States share slices that did not change between them. */
const routed = ['provider', 'model', 'frontend_model', 'pool', 'prompt_class', 'settings'] as const;

const isRoutedAlike = (one: ConfigState, other: ConfigState): boolean =>
  routed.every((noun) => one[noun] === other[noun]);

/**
 * For consecutive configurations, whose shared parts are computed once. A step reads one page of
 * entities or builds one.
 */
export function createSidesOf(): (state: ConfigState) => Steps<Sides> {
  const configOf = createConfigSteps();
  let last: Readonly<{ state: ConfigState; tables: RoutingTables }> | null = null;
  return function* (state) {
    const snapshot = routingSnapshotOf(state, yield* configOf(state));
    const held = last !== null && isRoutedAlike(last.state, state) ? last.tables : null;
    const tables = held ?? (yield* tableSteps(snapshot, []));
    last = { state, tables };
    const compile = principalCompiler(snapshot, tables.models);
    const classes = classesOf(state);
    const known = new Map<number, Side | null>();
    const side = (id: number): Side | null => {
      const held = known.get(id);
      if (held !== undefined) return held;
      const member = snapshotMember(state, 'principal', id);
      const made =
        member === null || !('role_ids' in member)
          ? null
          : { tables, caller: compile(member), classes, budget: budgetOf(state, id) };
      known.set(id, made);
      return made;
    };
    return {
      state,
      party: (row) => keyDenial(state, row) ?? side(row.principal_id) ?? absentCaller(row),
      serving: ({ virtual_model: name, principal_id: id }) => ({
        frontendModel: tables.frontendModels.get(name),
        classes,
        budget: budgetOf(state, id),
      }),
      placeOf: (row) => {
        const caller = side(row.principal_id)?.caller;
        if (caller === undefined) return null;
        const recorded = recordedRequest(row);
        const { route } = explainRecorded(tables, caller, recorded);
        const tokens = recorded.promptEstimate + (recorded.maxTokens ?? 0);
        return route.kind === 'chain' ? choiceKey(firstChoice(route, tokens)) : null;
      },
    };
  };
}

/** The gateway's answer for an unknown key. */
const denied = (message: string): Denial => ({ status: 401, message });

const absentCaller = ({ principal_id: id }: UsageRecord): Denial =>
  denied(`principal ${id} does not exist`);

/** Null if the key was valid at that time, or if the row names none. */
function keyDenial({ api_key: keys }: ConfigState, { key_id: id, at }: UsageRecord): Denial | null {
  if (id === null) return null;
  const key = keys.byId.get(id);
  if (key === undefined) return denied(`key ${id} does not exist`);
  if (key.disabled) return denied(`key ${id} is revoked`);
  const isExpired = key.expiresAt !== null && Date.parse(key.expiresAt) <= at.getTime();
  return isExpired ? denied(`key ${id} expires at ${key.expiresAt}`) : null;
}

/** A changed class may match other prompts. */
const classesOf = ({ prompt_class: { byId, versions } }: ConfigState): string =>
  JSON.stringify([...byId.keys()].toSorted(ascending).map((id) => [id, versions.get(id)]));

const ascending = (a: number, b: number): number => a - b;

function budgetOf({ principal }: ConfigState, id: number): string {
  const budget = principal.byId.get(id)?.budget ?? null;
  return budget === null ? '' : JSON.stringify(budget);
}
