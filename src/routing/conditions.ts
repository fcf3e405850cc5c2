// Whether a rule's conditions hold (specification, "Condition fields"; Gateway rules 5 to 7). All
// must. `matches` is asked on every request; `failedConditions` tells a person what was missing.

import type { Caller } from '../snapshot/compile/callers.ts';
import { everyDay, unbounded, unknownAmount } from '../snapshot/compile/conditions.ts';
import type { CallerCondition, ClockCondition } from '../snapshot/compile/conditions.ts';
import type { CompiledFrontendModel, CompiledRule } from '../snapshot/compile/frontend-models.ts';
import type { Prices } from '../snapshot/compile/models.ts';
import { estimateCostMicros } from '../usage/cost.ts';
import { isUp, requestsAt } from './load.ts';
import type { Asking, RoutedRequest } from './request.ts';

/** One request put to the rules of one frontend model, and of those that it jumps to. */
export type Asked = Asking & {
  /** Of the frontend model that was named: the cost is the same before every rule (Gateway rule 6). */
  readonly prices: readonly Prices[];
  readonly promptTokens: number;
  readonly maxTokens: number;
  /** Whole minutes since the epoch. */
  readonly epochMinute: number;
  /** `notAsked` until the first rule asks. */
  costMicros: number;
};

const notAsked = -2;

/** Puts a request to the rules of the frontend model that it names. */
export const ask = ({ reachPrices }: CompiledFrontendModel, asking: Asking): Asked => ({
  caller: asking.caller,
  request: asking.request,
  live: asking.live,
  prices: reachPrices,
  promptTokens: asking.request.promptEstimate,
  maxTokens: asking.request.maxTokens ?? unknownAmount,
  epochMinute: Math.floor(asking.request.nowMs / minuteMs),
  costMicros: notAsked,
});

export function matches(rule: CompiledRule, asked: Asked): boolean {
  const { conditions } = rule;
  const { promptTokensMin, promptTokensMax, maxTokensMin, maxTokensMax, stream } = conditions;
  if (!isWithin(asked.promptTokens, promptTokensMin, promptTokensMax)) return false;
  if (!isWithin(asked.maxTokens, maxTokensMin, maxTokensMax)) return false;
  if (stream !== null && stream !== asked.request.isStream) return false;
  return conditions.isPlain || matchesRest(rule, asked);
}

/** What fewer rules ask for, and what it takes longer to find out. */
function matchesRest(rule: CompiledRule, asked: Asked): boolean {
  const { conditions } = rule;
  const { caller, request } = asked;
  const { callers, classes, clock, headers, inFlightBelow } = conditions;
  if (callers !== null && !isAmong(callers, caller)) return false;
  const { budgetPercentMin, budgetPercentMax, costMicrosMin, costMicrosMax } = conditions;
  if (!isWithin(caller.budgetUsedPercent, budgetPercentMin, budgetPercentMax)) return false;
  if (classes !== null && !isOfClass(classes, request)) return false;
  if (clock !== null && !(isOnDay(clock, asked) && isInWindow(clock, asked))) return false;
  for (const [name, value] of headers) if (request.header(name) !== value) return false;
  if (conditions.asksCost && !isWithin(costOf(asked), costMicrosMin, costMicrosMax)) return false;
  return inFlightBelow === null || hasRoom(rule, inFlightBelow, asked);
}

/** The fields of the rule that the request does not meet; none when it matches. */
export function failedConditions(rule: CompiledRule, asked: Asked): readonly string[] {
  const { conditions } = rule;
  const { caller, request } = asked;
  const { callers, classes, clock, inFlightBelow } = conditions;
  const failed: (string | null)[] = [
    outside(asked.promptTokens, 'prompt_tokens', {
      min: conditions.promptTokensMin,
      max: conditions.promptTokensMax,
    }),
    outside(asked.maxTokens, 'max_tokens', {
      min: conditions.maxTokensMin,
      max: conditions.maxTokensMax,
    }),
    conditions.stream !== null && conditions.stream !== request.isStream ? 'stream' : null,
  ];
  if (callers !== null && !isAmong(callers, caller)) {
    failed.push(callers.principals.length > 0 ? 'principals' : null);
    failed.push(callers.roles.length > 0 ? 'roles' : null);
  }
  failed.push(
    outside(caller.budgetUsedPercent, 'budget_used_percent', {
      min: conditions.budgetPercentMin,
      max: conditions.budgetPercentMax,
    }),
  );
  if (classes !== null && !isOfClass(classes, request)) failed.push('class');
  if (clock !== null && !isInWindow(clock, asked)) {
    failed.push(clock.afterMinute === null ? null : 'after');
    failed.push(clock.beforeMinute === null ? null : 'before');
  }
  if (clock !== null && !isOnDay(clock, asked)) failed.push('days');
  for (const [name, value] of conditions.headers) {
    if (request.header(name) !== value) failed.push(`headers.${name}`);
  }
  if (conditions.asksCost) {
    const { costMicrosMin: min, costMicrosMax: max } = conditions;
    failed.push(outside(costOf(asked), 'request_cost_micros', { min, max }));
  }
  if (inFlightBelow !== null && !hasRoom(rule, inFlightBelow, asked)) {
    failed.push('max_inflight_per_backend');
  }
  return failed.filter((field) => field !== null);
}

/** The bound that a value does not keep. An unknown value keeps none, so either may be the one. */
function outside(
  value: number,
  name: string,
  { min, max }: Readonly<{ min: number; max: number }>,
): string | null {
  if (isWithin(value, min, max)) return null;
  const isUnknown = value === unknownAmount && max !== unbounded;
  return value >= min || isUnknown ? `max_${name}` : `min_${name}`;
}

const isWithin = (value: number, min: number, max: number): boolean =>
  value >= min && (max === unbounded || value <= max);

function isAmong({ principals, roles }: CallerCondition, caller: Caller): boolean {
  if (caller.principalId === null) return false;
  if (contains(principals, caller.principalId)) return true;
  if (roles.length === 0) return false;
  const { roleIds } = caller;
  for (let index = 0; index < roleIds.length; index++) {
    if (contains(roles, roleIds[index] ?? 0)) return true;
  }
  return false;
}

/** In a list of ascending order. */
function contains(list: readonly number[], value: number): boolean {
  let from = 0;
  let end = list.length;
  while (from < end) {
    const middle = (from + end) >>> 1;
    const found = list[middle] ?? 0;
    if (found === value) return true;
    if (found < value) from = middle + 1;
    else end = middle;
  }
  return false;
}

const isOfClass = (classes: ReadonlySet<number>, { promptClass }: RoutedRequest): boolean =>
  promptClass !== null && classes.has(promptClass);

const minuteMs = 60_000;
const dayMinutes = 24 * 60;
/** The first day of the epoch was a Thursday; Monday is 0. */
const epochWeekday = 3;

function isInWindow(clock: ClockCondition, { epochMinute }: Asked): boolean {
  const { afterMinute: after, beforeMinute: before } = clock;
  const minute = (epochMinute + clock.utcOffsetMinutes) % dayMinutes;
  if (after === null) return before === null || minute < before;
  if (before === null) return minute >= after;
  return after < before ? minute >= after && minute < before : minute >= after || minute < before;
}

/** The day is that of the local clock, also for the part of a window that lies after midnight. */
function isOnDay({ days, utcOffsetMinutes }: ClockCondition, { epochMinute }: Asked): boolean {
  if (days === everyDay) return true;
  const day = Math.floor((epochMinute + utcOffsetMinutes) / dayMinutes) + epochWeekday;
  return (days & (1 << (day % 7))) !== 0;
}

/** At the cheapest model that can be reached; unknown when none has a price. */
export function costOf(asked: Asked): number {
  if (asked.costMicros !== notAsked) return asked.costMicros;
  const { promptTokens, maxTokens } = asked;
  const tokens = { prompt: promptTokens, completion: Math.max(0, maxTokens) };
  let cheapest = Infinity;
  for (const prices of asked.prices) {
    const costMicros = estimateCostMicros(prices, tokens);
    if (costMicros !== null && costMicros < cheapest) cheapest = costMicros;
  }
  asked.costMicros = cheapest === Infinity ? unknownAmount : cheapest;
  return asked.costMicros;
}

/** At least one endpoint of the rule's own targets is up and below the ceiling. */
export function hasRoom(
  rule: CompiledRule,
  ceiling: number,
  { live, request }: Pick<Asked, 'live' | 'request'>,
): boolean {
  for (const model of rule.models) {
    for (const load of live.backendsOf(model)) {
      if (isUp(load, request.nowMs) && requestsAt(load, request.nowMs) < ceiling) return true;
    }
  }
  return false;
}
