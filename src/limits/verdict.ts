// Defines what a limiter decides about a request.

export type PerDimension<Value> = Readonly<{ requests: Value; tokens: Value }>;

/** `remaining` is the whole amount that this replica can still admit. */
export type Allowance = Readonly<{ limit: number; remaining: number }>;

/** A null allowance means unlimited. */
export type Verdict = Readonly<{
  allowances: PerDimension<Allowance | null>;
  /** Until the full limit is available again, rounded up. */
  resetSeconds: number;
  refusedBy: 'requests' | 'tokens' | null;
  /** At least 1 for a refused request, otherwise null. */
  retryAfterSeconds: number | null;
}>;
