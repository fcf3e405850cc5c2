// Sums over the buckets of a usage series. What cannot be added up, such as a percentile, is not.

type Point = Readonly<{
  requests: number;
  upstream_errors: number;
  refused_authorisation: number;
  refused_rate_limit: number;
  refused_budget: number;
  refused_no_backend: number;
  prompt_tokens: number;
  completion_tokens: number;
  cost_micros: number | null;
  unpriced_requests: number;
  p95_ms: number | null;
}>;

export type Totals = Readonly<{
  requests: number;
  /** What the gateway or its backends failed at; a client's own mistakes are not among them. */
  failed: number;
  /** What its caller may not, not so fast, or not any more. */
  refused: number;
  tokens: number;
  /** Null when there were requests and none of them has a price. */
  costMicros: number | null;
  unpriced: number;
  /** Of the last bucket that has one, and the slowest of all. */
  p95Ms: number | null;
  worstP95Ms: number | null;
}>;

/** By the caps of its caller, or because it may not; of each caller that is known. */
export const refusedOf = (
  point: Pick<Point, 'refused_authorisation' | 'refused_rate_limit' | 'refused_budget'>,
): number => point.refused_authorisation + point.refused_rate_limit + point.refused_budget;

export function totalsOf(points: readonly Point[]): Totals {
  const sum = (of: (point: Point) => number): number =>
    points.reduce((total, point) => total + of(point), 0);
  const priced = points.filter(({ cost_micros }) => cost_micros !== null);
  const unpriced = sum((point) => point.unpriced_requests);
  const cost = priced.reduce((total, { cost_micros }) => total + (cost_micros ?? 0), 0);
  const requests = sum((point) => point.requests);
  const p95s = points.flatMap(({ p95_ms }) => p95_ms ?? []);
  return {
    requests,
    failed: sum((point) => point.upstream_errors + point.refused_no_backend),
    refused: sum(refusedOf),
    tokens: sum((point) => point.prompt_tokens + point.completion_tokens),
    costMicros: unpriced > 0 && unpriced >= requests && cost === 0 ? null : cost,
    unpriced,
    p95Ms: p95s.at(-1) ?? null,
    worstP95Ms: p95s.length === 0 ? null : Math.max(...p95s),
  };
}

/** Where anything was known last, of any of the series; -1 where nothing ever was. */
export const lastKnownIndex = (
  series: readonly Readonly<{ values: readonly (number | null)[] }>[],
): number =>
  Math.max(-1, ...series.map(({ values }) => values.findLastIndex((value) => value !== null)));

/** Where a value stands between two gaps. */
export const loneIndexes = (values: readonly (number | null)[]): readonly number[] =>
  values.flatMap((value, at) =>
    value !== null && (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null
      ? [at]
      : [],
  );
