// Compares a recorded request under two configurations: whether its answer and cost change. If that
// depends on something that is not recorded, the result says so.

import type { ModelId, RuleId } from '../../src/lib/ids.ts';
import type { CompiledModel } from '../../src/snapshot/compile/models.ts';
import { denialOf } from '../../src/routing/denial.ts';
import type { Denial } from '../../src/routing/denial.ts';
import { enumerateAnswers } from '../../src/routing/enumerate-answers.ts';
import type { Assume } from '../../src/routing/enumerate-answers.ts';
import { choiceKey, firstChoice, modelKey } from '../../src/routing/first-choice.ts';
import type { FirstChoice } from '../../src/routing/first-choice.ts';
import { routeRecorded } from '../../src/routing/recorded-route.ts';
import type { RecordedAsk, Side } from '../../src/routing/recorded-route.ts';
import { reasonOf } from '../../src/routing/route.ts';

export const changes = ['same', 'newly_denied', 'newly_allowed', 'rerouted'] as const;
export type Change = (typeof changes)[number];

/** To a model, to a member of a pool, or denied. */
export type Destination = Readonly<{
  denied: Denial | null;
  /** The value of x-gw-route and what decided, or null. */
  route: string | null;
  ruleId: RuleId | null;
  /** Null if the request is denied. */
  to: Readonly<{ kind: 'model' | 'pool'; name: string }> | null;
}>;

/** Micro-units. Null if unknown. */
export type CostPair = Readonly<{ before: number | null; after: number | null }>;

export type Comparison = Readonly<{
  /** Null if unrecorded facts decide it. */
  change: Change | null;
  /** Condition fields, and `pool` for the choice of a pool's member. */
  untold: readonly string[];
  /** Null if it depends on unrecorded facts. */
  before: Destination | null;
  after: Destination | null;
  cost: CostPair;
}>;

/** The admitted caller, or the refusal. */
export type Party = Side | Denial;

export type ComparedRequest = RecordedAsk &
  Readonly<{
    /** The answering model and the key of its target. Null if unknown. */
    answered: Readonly<{ by: ModelId; place: string }> | null;
    /** Micro-units if this model answers. Null if unknown. */
    costAt: (model: CompiledModel) => number | null;
  }>;

export function compareRecorded(
  { before, after }: Readonly<{ before: Party; after: Party }>,
  request: ComparedRequest,
): Comparison {
  const { answers, asked, isWhole } = enumerateAnswers((assume) =>
    compareWay(arrival(before, request, assume), arrival(after, request, assume), request),
  );
  const all = isWhole ? answers : [];
  const isPoolOpen = answers.some(({ change }) => change === null);
  const change = agreed(all.map((way) => way.change));
  const cost = agreed(all.map((way) => way.cost));
  return {
    change,
    untold: change === null ? [...asked, ...(isPoolOpen ? ['pool'] : [])] : [],
    before: agreedDestination(all.map((way) => way.before)),
    after: agreedDestination(all.map((way) => way.after)),
    cost: cost ?? { before: null, after: null },
  };
}

/** Null if the values differ or there are none. */
function agreed<Value>(values: readonly Value[]): Value | null {
  const [first = null, ...others] = values;
  if (others.length === 0) return first;
  const text = JSON.stringify(first);
  return others.every((other) => JSON.stringify(other) === text) ? first : null;
}

/** If several rules lead to one target, the rule is not reported. */
function agreedDestination(destinations: readonly Destination[]): Destination | null {
  const places = destinations.map(({ denied, to }) => ({ denied, to, route: null, ruleId: null }));
  return agreed(destinations) ?? agreed<Destination>(places);
}

/** `place` is null if the request is denied. */
type Arrival = Readonly<{ destination: Destination; place: FirstChoice | null }>;

function arrival(party: Party, request: ComparedRequest, assume: Assume): Arrival {
  if ('status' in party) {
    return { destination: { denied: party, route: null, ruleId: null, to: null }, place: null };
  }
  const { model, promptEstimate, maxTokens } = request.recorded;
  const route = routeRecorded(party, request, assume);
  const decided = {
    denied: denialOf(route, model),
    route: route.decision?.reason ?? null,
    ruleId: route.decision?.rule?.id ?? null,
  };
  if (route.kind !== 'chain') return { destination: { ...decided, to: null }, place: null };
  const [first] = route.candidates;
  const place = firstChoice(route, promptEstimate + (maxTokens ?? 0));
  const to =
    place.pool === null
      ? ({ kind: 'model', name: first.name } as const)
      : ({ kind: 'pool', name: place.pool.name } as const);
  return { destination: { ...decided, route: reasonOf(route, first), to }, place };
}

type Way = Readonly<{
  change: Change | null;
  before: Destination;
  after: Destination;
  cost: CostPair;
}>;

function compareWay(before: Arrival, after: Arrival, request: ComparedRequest): Way {
  const answered = answeringOf(before.place, request);
  const change = changeOf(before.place, after.place, answered);
  return {
    change,
    before: before.destination,
    after: after.destination,
    cost: {
      before: costOf(before.place, answered?.id, request),
      after: costOf(after.place, change === 'same' ? answered?.id : undefined, request),
    },
  };
}

/** Null if the request went elsewhere. */
const answeringOf = (
  place: FirstChoice | null,
  { answered }: ComparedRequest,
): CompiledModel | null =>
  place === null || answered?.place !== choiceKey(place)
    ? null
    : (place.models.find(({ id }) => id === answered.by) ?? null);

/**
 * Null if it depends on the chosen member of a pool. `answered` was chosen from the first target.
 */
function changeOf(
  before: FirstChoice | null,
  after: FirstChoice | null,
  answered: CompiledModel | null,
): Change | null {
  if (before === null) return after === null ? 'same' : 'newly_allowed';
  if (after === null) return 'newly_denied';
  if (choiceKey(before) === choiceKey(after)) return 'same';
  const from = (answered === null ? before.models : [answered]).map(modelKey);
  const to = after.models.map(modelKey);
  if (!from.some((one) => to.includes(one))) return 'rerouted';
  return from.length === 1 && to.length === 1 ? 'same' : null;
}

/**
 * A denied request costs nothing. The cost of a pool is known if all members cost the same or the
 * answering member is known.
 */
function costOf(
  place: FirstChoice | null,
  answering: ModelId | undefined,
  { costAt }: ComparedRequest,
): number | null {
  if (place === null) return 0;
  const known = place.models.filter(({ id }) => id === answering);
  return agreed((known.length === 0 ? place.models : known).map(costAt));
}
