// The conditions of a rule as flat numbers and sorted lists, so that a rule is judged without
// allocating. Of -1 a lower bound is kept by every value, and an upper bound is none; as a value it
// is one that a request does not have, which keeps no bound that is asked for.

import type { PrincipalId, PromptClassId, RoleId } from '../../lib/ids.ts';
import type { SnapshotConditions, SnapshotPromptClass } from '../schema.ts';

/** What a request does not have: no max_tokens, no budget, no price. */
export const unknownAmount = -1;
/** Small, not infinite: engines compare whole numbers that fit in 31 bits several times as fast. */
export const unbounded = -1;

/** Inclusive bounds, or unbounded. */
export type CompiledConditions = Readonly<{
  promptTokensMin: number;
  promptTokensMax: number;
  maxTokensMin: number;
  maxTokensMax: number;
  /** Null does not ask. */
  stream: boolean | null;
  budgetPercentMin: number;
  budgetPercentMax: number;
  costMicrosMin: number;
  costMicrosMax: number;
  /** Whether the cost is asked for at all: it is computed only then. */
  asksCost: boolean;
  inFlightBelow: number | null;
  callers: CallerCondition | null;
  /** Names in lower case, each with the exact value. */
  headers: readonly (readonly [string, string])[];
  /** Null does not ask for a class. */
  namedClass: PromptClassId | null;
  /** The class that is named and all that refine it. */
  classes: ReadonlySet<PromptClassId> | null;
  clock: ClockCondition | null;
  /** None of the conditions after the first three is asked for. */
  isPlain: boolean;
}>;

/** Any of the principals, or a holder of any of the roles; in ascending order. */
export type CallerCondition = Readonly<{
  principals: readonly PrincipalId[];
  roles: readonly RoleId[];
}>;

export type ClockCondition = Readonly<{
  /** Inclusive and exclusive, minutes since midnight; when they cross, the window spans midnight. */
  afterMinute: number | null;
  beforeMinute: number | null;
  /** A bit a weekday, Monday the lowest. */
  days: number;
  utcOffsetMinutes: number;
}>;

export const everyDay = 0b111_1111;

/** Which classes count as a class: itself, and those that refine it, directly or by way of others. */
export type ClassReach = (id: PromptClassId) => ReadonlySet<PromptClassId>;

export function compileConditions(
  conditions: SnapshotConditions,
  classReach: ClassReach,
): CompiledConditions {
  const prompt = rangeOf(conditions.min_prompt_tokens, conditions.max_prompt_tokens);
  const tokens = rangeOf(conditions.min_max_tokens, conditions.max_max_tokens);
  const { min_budget_used_percent: budgetMin, max_budget_used_percent: budgetMax } = conditions;
  const budget = rangeOf(budgetMin, budgetMax);
  const { min_request_cost_micros: costMin, max_request_cost_micros: costMax } = conditions;
  const cost = rangeOf(costMin, costMax);
  const rare = {
    asksCost: cost.min !== unbounded,
    inFlightBelow: conditions.max_inflight_per_backend,
    callers: callerCondition(conditions),
    headers: Object.entries(conditions.headers),
    namedClass: conditions.class,
    classes: conditions.class === null ? null : classReach(conditions.class),
    clock: clockCondition(conditions),
  };
  return {
    promptTokensMin: prompt.min,
    promptTokensMax: prompt.max,
    maxTokensMin: tokens.min,
    maxTokensMax: tokens.max,
    stream: conditions.stream,
    budgetPercentMin: budget.min,
    budgetPercentMax: budget.max,
    costMicrosMin: cost.min,
    costMicrosMax: cost.max,
    ...rare,
    isPlain:
      budget.min === unbounded &&
      !rare.asksCost &&
      rare.inFlightBelow === null &&
      rare.callers === null &&
      rare.headers.length === 0 &&
      rare.classes === null &&
      rare.clock === null,
  };
}

/** One bound alone asks for a value too: what is unknown then lies below the other. */
const rangeOf = (min: number | null, max: number | null) =>
  min === null && max === null
    ? { min: unbounded, max: unbounded }
    : { min: min ?? 0, max: max ?? unbounded };

function callerCondition({ principals, roles }: SnapshotConditions): CallerCondition | null {
  if (principals.length === 0 && roles.length === 0) return null;
  return { principals: principals.toSorted(ascending), roles: roles.toSorted(ascending) };
}

const ascending = (a: number, b: number): number => a - b;

function clockCondition(conditions: SnapshotConditions): ClockCondition | null {
  const { after_minute: afterMinute, before_minute: beforeMinute, days } = conditions;
  if (afterMinute === null && beforeMinute === null && days.length === 0) return null;
  return {
    afterMinute,
    beforeMinute,
    days: days.length === 0 ? everyDay : days.reduce((bits, day) => bits | (1 << (day - 1)), 0),
    utcOffsetMinutes: conditions.utc_offset_minutes,
  };
}

export function classReachOf(classes: readonly SnapshotPromptClass[]): ClassReach {
  const refiners = new Map<PromptClassId, PromptClassId[]>();
  for (const { id, refines } of classes) {
    for (const refined of refines) refiners.set(refined, [...(refiners.get(refined) ?? []), id]);
  }
  return (id) => {
    const reach = new Set([id]);
    // A set is walked to its end also while it grows.
    for (const found of reach) for (const refiner of refiners.get(found) ?? []) reach.add(refiner);
    return reach;
  };
}
