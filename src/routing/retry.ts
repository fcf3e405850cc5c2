// When a failed attempt may be tried at a sibling, and after how long a wait (Gateway rule 10).

/** Different backends of one model that a request may reach. */
export const attemptsMaxDefault = 3;

/** Answers that another backend might not give. */
export const isRetryable = (status: number): boolean => status >= 500 || status === 429;

/**
 * 25, 50, 100 ms, plus up to half of it keyed on the request so that retries of many do not march
 * in step; doubled after a 429. `status` is null after a fault of transport, which waits as any other.
 */
export function retryWaitMs(
  retry: number,
  options: Readonly<{ status: number | null; requestKey: number }>,
): number {
  const baseMs = Math.min(25 * 2 ** retry, 100) * (options.status === 429 ? 2 : 1);
  return baseMs + (options.requestKey % (Math.floor(baseMs / 2) + 1));
}

const windowMs = 10_000;
const retriesMin = 10;
const retriesShare = 0.2;

/**
 * Bounds retries to a share of the traffic of the last seconds, so that a struggling model is not
 * hit three times as hard as before. A refused retry means that the answer at hand is used.
 */
export type RetryBudget = { startMs: number; requests: number; retries: number };

export const freshRetryBudget = (): RetryBudget => ({ startMs: 0, requests: 0, retries: 0 });

export function countRequest(budget: RetryBudget, nowMs: number): void {
  turnWindow(budget, nowMs);
  budget.requests++;
}

/** True when the retry may be made; it is then counted. */
export function takeRetry(budget: RetryBudget, nowMs: number): boolean {
  turnWindow(budget, nowMs);
  if (budget.retries >= Math.max(retriesMin, budget.requests * retriesShare)) return false;
  budget.retries++;
  return true;
}

function turnWindow(budget: RetryBudget, nowMs: number): void {
  if (nowMs - budget.startMs < windowMs) return;
  budget.startMs = nowMs;
  budget.requests = 0;
  budget.retries = 0;
}
