// Decides which answers move a request to another backend, how long it waits before it retries a provider (Gateway rule
// 10), and how often backends that are cooling down are tried.

/** Per request, at all backends of all its targets. */
export const attemptsMaxDefault = 8;

/**
 * A request starts no attempt once its attempts have taken this many times the longest
 * time-to-first-byte limit among them.
 */
export const attemptTimeFactor = 3;

/** True for answers that another backend might not give. */
export const isRetryable = (status: number): boolean => status >= 500 || status === 429;

/**
 * 25, 50, then 100 ms, plus a jitter of up to half, derived from the request so that retries spread
 * out. A 429 doubles the wait. `status` is null after a transport fault, which waits like a 5xx.
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
 * Limits attempts at backends that are cooling down to a share of the recent traffic, so that a
 * model whose backends all fail is not tried several times per request.
 */
export type RetryBudget = { startMs: number; requests: number; retries: number };

export const freshRetryBudget = (): RetryBudget => ({ startMs: 0, requests: 0, retries: 0 });

export function countRequest(budget: RetryBudget, nowMs: number): void {
  turnWindow(budget, nowMs);
  budget.requests++;
}

/** Returns true, and counts the retry, when it may be made. */
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
