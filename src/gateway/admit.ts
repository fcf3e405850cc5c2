// Whether a caller may go on that may invoke the model: its budget first, then its rate limits (Gateway rules 12 and 13). What is
// refused for want of a budget is charged to no limit.

import type { Allowance, Limiter, Verdict } from '../limits/limiter.ts';
import type { Caller } from '../snapshot/compile/callers.ts';
import type { ReachedCap } from '../snapshot/spend.ts';
import { refuseRequest } from './answer.ts';
import type { GatewayRefusal } from './answer.ts';
import type { Peeked } from './peek.ts';

/** `headers` are names and values in turn, for the answer: none for a caller without limits. */
export type Admission =
  | Readonly<{ kind: 'admitted'; headers: readonly string[] }>
  | Readonly<{ kind: 'refused'; reason: 'budget' | 'rate_limit'; refusal: GatewayRefusal }>;

const unlimited: Admission = { kind: 'admitted', headers: [] };

/** `nowMs` is monotonic. */
export function admit(
  limiter: Limiter,
  { caller, peeked }: Readonly<{ caller: Caller; peeked: Peeked }>,
  nowMs: number,
): Admission {
  const { principalId, limits, reachedCap } = caller;
  if (reachedCap !== null) {
    return { kind: 'refused', reason: 'budget', refusal: overBudget(reachedCap) };
  }
  if (limits === null || principalId === null) return unlimited;
  const verdict = limiter.admit(principalId, limits, { tokens: tokensOf(peeked), nowMs });
  const headers = headersOf(verdict);
  if (verdict.refusedBy === null) return { kind: 'admitted', headers };
  return { kind: 'refused', reason: 'rate_limit', refusal: rateLimited(verdict, headers) };
}

/** Whether admit() will refuse. Asked before a route is chosen, so that what is refused leaves nothing behind there. */
export function willRefuse(
  limiter: Limiter,
  { caller, peeked }: Readonly<{ caller: Caller; peeked: Peeked }>,
  nowMs: number,
): boolean {
  const { principalId, limits, reachedCap } = caller;
  if (reachedCap !== null) return true;
  if (limits === null || principalId === null) return false;
  return limiter.wouldRefuse(principalId, limits, { tokens: tokensOf(peeked), nowMs });
}

const tokensOf = ({ promptEstimate, maxTokens }: Peeked): number =>
  promptEstimate + (maxTokens ?? 0);

function overBudget({ cap, used, total }: ReachedCap): GatewayRefusal {
  const amounts =
    cap === 'tokens' ? `${used} of ${total} tokens` : `${inUnits(used)} of ${inUnits(total)}`;
  const message = `the ${cap === 'tokens' ? 'token' : 'money'} budget is reached: ${amounts} used`;
  return refuseRequest('budget_exceeded', message);
}

/** Micro-units as units, with all six places. */
const inUnits = (micros: number): string => {
  const digits = String(micros).padStart(7, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
};

function rateLimited(verdict: Verdict, headers: readonly string[]): GatewayRefusal {
  const { refusedBy, allowances, retryAfterSeconds } = verdict;
  const what = refusedBy ?? 'requests';
  const message = `the limit of ${allowances[what]?.limit ?? 0} ${what} a minute is reached`;
  return refuseRequest('rate_limit_exceeded', message, {
    headers,
    retryAfterSeconds: retryAfterSeconds ?? 1,
  });
}

const headersOf = ({ allowances, resetSeconds }: Verdict): readonly string[] => [
  ...allowanceHeaders('requests', allowances.requests),
  ...allowanceHeaders('tokens', allowances.tokens),
  'x-ratelimit-reset',
  String(resetSeconds),
];

const allowanceHeaders = (what: string, allowance: Allowance | null): readonly string[] =>
  allowance === null
    ? []
    : [
        `x-ratelimit-limit-${what}`,
        String(allowance.limit),
        `x-ratelimit-remaining-${what}`,
        String(allowance.remaining),
      ];
