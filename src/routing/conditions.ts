// Whether a rule's conditions hold (specification, "Condition fields"; Gateway rules 5 to 7). All
// must. `matches` is asked on every request; `failedConditions` tells a person what was missing.

import type { Caller } from '../snapshot/compile/callers.ts';
import { unknownAmount } from '../snapshot/compile/conditions.ts';
import type { CallerCondition, ClockCondition } from '../snapshot/compile/conditions.ts';
import type { CompiledRule } from '../snapshot/compile/frontend-models.ts';
import type { Prices } from '../snapshot/compile/models.ts';
import { estimateCostMicros } from '../usage/cost.ts';
import { isUp, requestsAt } from './load.ts';
import type { Asking, RoutedRequest } from './request.ts';

/** One request put to the rules of one frontend model, and of those that it jumps to. */
export type Asked = Asking & {
  /** Of the frontend model that was named: the cost is the same before every rule (Gateway rule 6). */
  readonly prices: readonly Prices[];
  /** Null until the first rule asks. */
  costMicros: number | null;
};

export function matches(rule: CompiledRule, asked: Asked): boolean {
  const { conditions } = rule;
  const { promptEstimate, isStream } = asked.request;
  if (promptEstimate < conditions.promptTokensMin) return false;
  if (promptEstimate > conditions.promptTokensMax) return false;
  const maxTokens = asked.request.maxTokens ?? unknownAmount;
  if (maxTokens < conditions.maxTokensMin || maxTokens > conditions.maxTokensMax) return false;
  if (conditions.stream !== null && conditions.stream !== isStream) return false;
  return conditions.isPlain || matchesRest(rule, asked);
}

/** What fewer rules ask for, and what it takes longer to find out. */
function matchesRest(rule: CompiledRule, asked: Asked): boolean {
  const { conditions } = rule;
  const { caller, request } = asked;
  const { callers, classes, clock, headers, inFlightBelow } = conditions;
  if (callers !== null && !isAmong(callers, caller)) return false;
  const { budgetUsedPercent } = caller;
  if (budgetUsedPercent < conditions.budgetPercentMin) return false;
  if (budgetUsedPercent > conditions.budgetPercentMax) return false;
  if (classes !== null && !isOfClass(classes, request)) return false;
  if (clock !== null && !(isInWindow(clock, request.nowMs) && isOnDay(clock, request.nowMs))) {
    return false;
  }
  for (const [name, value] of headers) if (request.header(name) !== value) return false;
  if (conditions.asksCost) {
    const costMicros = costOf(asked);
    if (costMicros < conditions.costMicrosMin) return false;
    if (costMicros > conditions.costMicrosMax) return false;
  }
  return inFlightBelow === null || hasRoom(rule, inFlightBelow, asked);
}

/** The fields of the rule that the request does not meet; none when it matches. */
export function failedConditions(rule: CompiledRule, asked: Asked): readonly string[] {
  const { conditions } = rule;
  const { caller, request } = asked;
  const { callers, classes, clock, inFlightBelow } = conditions;
  const failed: (string | null)[] = [
    outside(request.promptEstimate, 'prompt_tokens', {
      min: conditions.promptTokensMin,
      max: conditions.promptTokensMax,
    }),
    outside(request.maxTokens ?? unknownAmount, 'max_tokens', {
      min: conditions.maxTokensMin,
      max: conditions.maxTokensMax,
    }),
    conditions.stream !== null && conditions.stream !== request.isStream ? 'stream' : null,
  ];
  if (callers !== null && !isAmong(callers, caller)) {
    failed.push(callers.principals.size > 0 ? 'principals' : null);
    failed.push(callers.roles.size > 0 ? 'roles' : null);
  }
  failed.push(
    outside(caller.budgetUsedPercent, 'budget_used_percent', {
      min: conditions.budgetPercentMin,
      max: conditions.budgetPercentMax,
    }),
  );
  if (classes !== null && !isOfClass(classes, request)) failed.push('class');
  if (clock !== null && !isInWindow(clock, request.nowMs)) {
    failed.push(clock.afterMinute === null ? null : 'after');
    failed.push(clock.beforeMinute === null ? null : 'before');
  }
  if (clock !== null && !isOnDay(clock, request.nowMs)) failed.push('days');
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
  if (value > max) return `max_${name}`;
  if (value >= min) return null;
  return value === unknownAmount && max !== Infinity ? `max_${name}` : `min_${name}`;
}

function isAmong({ principals, roles }: CallerCondition, caller: Caller): boolean {
  if (caller.principalId === null) return false;
  if (principals.has(caller.principalId)) return true;
  for (const role of caller.roleIds) if (roles.has(role)) return true;
  return false;
}

const isOfClass = (classes: ReadonlySet<number>, { promptClass }: RoutedRequest): boolean =>
  promptClass !== null && classes.has(promptClass);

const minuteMs = 60_000;
const dayMinutes = 24 * 60;
/** The first day of the epoch was a Thursday; Monday is 0. */
const epochWeekday = 3;

const localMinutes = ({ utcOffsetMinutes }: ClockCondition, nowMs: number): number =>
  Math.floor(nowMs / minuteMs) + utcOffsetMinutes;

function isInWindow(clock: ClockCondition, nowMs: number): boolean {
  const { afterMinute: after, beforeMinute: before } = clock;
  const minutes = localMinutes(clock, nowMs);
  const minute = minutes - Math.floor(minutes / dayMinutes) * dayMinutes;
  if (after === null) return before === null || minute < before;
  if (before === null) return minute >= after;
  return after < before ? minute >= after && minute < before : minute >= after || minute < before;
}

/** The day is that of the local clock, also for the part of a window that lies after midnight. */
function isOnDay(clock: ClockCondition, nowMs: number): boolean {
  const day = Math.floor(localMinutes(clock, nowMs) / dayMinutes) + epochWeekday;
  return (clock.days & (1 << (day - Math.floor(day / 7) * 7))) !== 0;
}

/** At the cheapest model that can be reached; unknown when none has a price. */
function costOf(asked: Asked): number {
  if (asked.costMicros !== null) return asked.costMicros;
  const { promptEstimate, maxTokens } = asked.request;
  const tokens = { prompt: promptEstimate, completion: maxTokens ?? 0 };
  let cheapest = Infinity;
  for (const prices of asked.prices) {
    const costMicros = estimateCostMicros(prices, tokens);
    if (costMicros !== null && costMicros < cheapest) cheapest = costMicros;
  }
  asked.costMicros = cheapest === Infinity ? unknownAmount : cheapest;
  return asked.costMicros;
}

/** At least one endpoint of the rule's own targets is up and below the ceiling. */
function hasRoom(rule: CompiledRule, ceiling: number, { live, request }: Asked): boolean {
  for (const model of rule.models) {
    for (const load of live.backendsOf(model)) {
      if (isUp(load, request.nowMs) && requestsAt(load, request.nowMs) < ceiling) return true;
    }
  }
  return false;
}
