// Admits or refuses a caller that may invoke the model: first by its budget, then by its rate limits (Gateway rules 12 and
// 13). A request that the budget refuses is not charged to a rate limit.

import { toRfc3339 } from '../../lib/clock.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Verdict } from '../../limits/verdict.ts';
import type { Amount, Hold, Spending } from '../../limits/spending.ts';
import type { Caller, CompiledBudget } from '../../snapshot/compile/callers.ts';
import type { CompiledModel } from '../../snapshot/compile/models.ts';
import { capsAt, percentSpent, reachedCap } from '../../snapshot/spend.ts';
import type { Caps, ReachedCap } from '../../snapshot/spend.ts';
import { estimateCostMicros } from '../../usage/cost.ts';
import { isChargedToBudgets } from '../../usage/price.ts';
import { pricesAt } from '../../usage/price-versions.ts';
import { refuseRequest } from '../answer.ts';
import type { GatewayRefusal } from '../answer.ts';
import type { Generation } from '../generation.ts';
import type { Peeked } from '../body/peek.ts';
import { isOnChain } from '../walk.ts';
import type { ChainWalk, ProxyContext, Walk } from '../walk.ts';

/**
 * `headers` for the answer are alternating names and values. Empty for a caller without limits.
 * `ahead` is the estimate that its budget must hold. Null without a budget.
 */
export type Admission =
  | Readonly<{ kind: 'admitted'; headers: readonly string[]; ahead: Amount | null }>
  | Readonly<{ kind: 'refused'; reason: 'budget' | 'rate_limit'; refusal: GatewayRefusal }>;

/** Adds the spending that this replica knows, which is newer than the snapshot's. */
export function withSpending(caller: Caller, spending: Spending, now: Clock): Caller {
  const { budget, principalId } = caller;
  if (budget === null || principalId === null) return caller;
  const caps = capsNow(budget, now);
  const { spent, inFlight } = spending.currentSpend(principalId, budget);
  const all = {
    tokens_used: spent.tokens_used + inFlight.tokens_used,
    cost_used_micros: spent.cost_used_micros + inFlight.cost_used_micros,
  };
  return {
    ...caller,
    budgetUsedPercent: percentSpent(caps, all),
    reachedCap: reachedCap(caps, spent, inFlight),
  };
}

const capsNow = ({ caps, increases }: CompiledBudget, now: Clock): Caps =>
  increases === undefined ? caps : capsAt(caps, increases, now());

/** Counts an admitted request against its caller's budget while it is in flight. Null without a budget. */
export function holdSpending(walk: ChainWalk, ahead: Amount | null): Hold | null {
  const { budget, principalId } = walk.caller;
  if (budget === null || principalId === null || ahead === null) return null;
  return walk.context.spending.hold(principalId, budget, ahead);
}

/**
 * The prompt, plus the mean completion of the model so far, at most `max_tokens`. Clients often set
 * `max_tokens` much too high, so reserving all of it would refuse requests far below the cap.
 */
function amountAhead({ generation, peeked, route, request }: ChainWalk): Amount {
  const { promptEstimate: prompt, maxTokens } = peeked;
  const [model] = route.candidates;
  const mean = meanCompletion(generation, model);
  const completion = mean === null ? (maxTokens ?? 0) : Math.min(mean, maxTokens ?? mean);
  const tokens = { prompt, completion };
  const prices = pricesAt(model.prices, request.nowMs);
  const micros = isChargedToBudgets(prices) ? estimateCostMicros(prices, tokens) : null;
  return { tokens: prompt + completion, micros: micros ?? 0 };
}

/** Null before the first answer of the model. */
function meanCompletion({ models }: Generation, { id }: CompiledModel): number | null {
  const traffic = models.get(id)?.traffic;
  if (traffic === undefined || traffic.requests === 0) return null;
  return Math.ceil(traffic.completionTokens / traffic.requests);
}

type Admitting = Pick<ProxyContext, 'limiter' | 'budgets' | 'now'>;

const noAmount: Amount = { tokens: 0, micros: 0 };

/** More may be allotted with the next answer of the control plane. */
const allReserved = refuseRequest(
  'budget_exceeded',
  'the rest of the budget is reserved for requests in flight and for other proxies; retry later',
  { retryAfterSeconds: 1, headers: ['x-should-retry', 'true'] },
);
const cutOff = refuseRequest(
  'budget_exceeded',
  'the control plane does not answer this proxy, which may spend no more of the budget by itself; retry later',
  { retryAfterSeconds: 30 },
);

/** `nowMs` is monotonic. */
export function admit(walk: Walk, nowMs: number): Admission {
  const { caller, peeked } = walk;
  const { limiter, budgets, now } = walk.context;
  const { principalId, limits, reachedCap, budget } = caller;
  if (reachedCap !== null) {
    const refusal = overBudget(reachedCap, budget?.windowEndMs ?? null);
    return { kind: 'refused', reason: 'budget', refusal };
  }
  let ahead: Amount | null = null;
  if (budget !== null && principalId !== null) {
    ahead = isOnChain(walk) ? amountAhead(walk) : noAmount;
    const asked = { caps: capsNow(budget, now), cost: ahead, nowMs };
    if (!budgets.admit(principalId, budget, asked)) {
      const refusal = budgets.isCutOff(nowMs) ? cutOff : allReserved;
      return { kind: 'refused', reason: 'budget', refusal };
    }
  }
  if (limits === null || principalId === null) return { kind: 'admitted', headers: [], ahead };
  const verdict = limiter.admit(principalId, limits, { tokens: tokensOf(peeked), nowMs });
  const headers = headersOf(verdict);
  if (verdict.refusedBy === null) return { kind: 'admitted', headers, ahead };
  return { kind: 'refused', reason: 'rate_limit', refusal: rateLimited(verdict, headers) };
}

/** True when `admit` will refuse the request. Called before routing, so that a refused request has no side effects there. */
export function willRefuse(
  { limiter, budgets, now }: Admitting,
  { caller, peeked }: Readonly<{ caller: Caller; peeked: Peeked }>,
  nowMs: number,
): boolean {
  const { principalId, limits, reachedCap, budget } = caller;
  if (reachedCap !== null) return true;
  if (principalId === null) return false;
  if (budget !== null) {
    const asked = { caps: capsNow(budget, now), nowMs };
    if (budgets.wouldRefuse(principalId, budget, asked)) return true;
  }
  if (limits === null) return false;
  return limiter.wouldRefuse(principalId, limits, { tokens: tokensOf(peeked), nowMs });
}

const tokensOf = ({ promptEstimate, maxTokens }: Peeked): number =>
  promptEstimate + (maxTokens ?? 0);

function overBudget(
  { cap, used, inFlight, total }: ReachedCap,
  windowEndMs: number | null,
): GatewayRefusal {
  const isTokens = cap === 'tokens';
  const amounts = isTokens ? `${used} of ${total} tokens` : `${inUnits(used)} of ${inUnits(total)}`;
  const ahead =
    inFlight === 0 || used >= total
      ? ''
      : `, about ${isTokens ? inFlight : inUnits(inFlight)} more reserved by requests in flight`;
  const next = windowEndMs === null ? '' : `; the next window starts at ${toRfc3339(windowEndMs)}`;
  const message = `the ${isTokens ? 'token' : 'money'} budget is exhausted: ${amounts} used${ahead}${next}`;
  return refuseRequest('budget_exceeded', message);
}

/** With six decimal places. */
const inUnits = (micros: number): string => {
  const digits = String(micros).padStart(7, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
};

function rateLimited(verdict: Verdict, headers: readonly string[]): GatewayRefusal {
  const { refusedBy, allowances, retryAfterSeconds } = verdict;
  const what = refusedBy ?? 'requests';
  const message = `the limit of ${allowances[what]?.limit ?? 0} ${what} per minute is reached; retry after the time in Retry-After`;
  return refuseRequest('rate_limit_exceeded', message, {
    headers,
    retryAfterSeconds: retryAfterSeconds ?? 1,
  });
}

function headersOf({ allowances: { requests, tokens }, resetSeconds }: Verdict): readonly string[] {
  const headers: string[] = [];
  if (requests !== null) {
    headers.push('x-ratelimit-limit-requests', String(requests.limit));
    headers.push('x-ratelimit-remaining-requests', String(requests.remaining));
  }
  if (tokens !== null) {
    headers.push('x-ratelimit-limit-tokens', String(tokens.limit));
    headers.push('x-ratelimit-remaining-tokens', String(tokens.remaining));
  }
  headers.push('x-ratelimit-reset', String(resetSeconds));
  return headers;
}
