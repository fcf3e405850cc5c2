// Sums the buckets of a usage series. Percentiles cannot be summed and are left out.

import { formatDuration } from '../text/format.ts';

type Point = Readonly<{
  requests: number;
  upstream_errors: number;
  refused_authorisation: number;
  refused_rate_limit: number;
  refused_budget: number;
  refused_no_backend: number;
  refused_backend_overloaded: number;
  failed_attempts: number | null;
  prompt_tokens: number;
  completion_tokens: number;
  cost_micros: number | null;
  unpriced_requests: number;
}>;

export type Totals = Readonly<{
  requests: number;
  /** Excludes client errors. */
  failed: number;
  /** Null if unknown. */
  failedAttempts: number;
  /** Refused for permissions, rate limits or budgets. */
  refused: number;
  tokens: number;
  /** Null if there were requests but none has a price. */
  costMicros: number | null;
  unpriced: number;
}>;

/** Refused by limits or permissions of a known caller. */
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
  return {
    requests,
    failed: sum(
      (point) =>
        point.upstream_errors + point.refused_no_backend + point.refused_backend_overloaded,
    ),
    failedAttempts: sum((point) => point.failed_attempts ?? 0),
    refused: sum(refusedOf),
    tokens: sum((point) => point.prompt_tokens + point.completion_tokens),
    costMicros: unpriced > 0 && unpriced >= requests && cost === 0 ? null : cost,
    unpriced,
  };
}

/** Milliseconds, of answered requests; null if there are none or only sums remain. */
export type Latency = Readonly<{ p50: number | null; p95: number | null; p99: number | null }>;

type Measured = Readonly<{ p50_ms: number | null; p95_ms: number | null; p99_ms: number | null }>;

/** Percentiles of a range cannot be computed from those of its parts. */
export const latencyOf = (whole: Measured | undefined): Latency => ({
  p50: whole?.p50_ms ?? null,
  p95: whole?.p95_ms ?? null,
  p99: whole?.p99_ms ?? null,
});

/** Joined by a no-break space. */
const unbroken = (text: string): string => text.replaceAll(' ', '\u00a0');

/** `p50 84 ms, p99 1.2 s`; empty if nothing is known. */
export const latencyText = ({ p50, p99 }: Latency): string =>
  p50 === null && p99 === null
    ? ''
    : `${unbroken(`p50 ${formatDuration(p50)}`)}, ${unbroken(`p99 ${formatDuration(p99)}`)}`;

export const latencySeries = (points: readonly Measured[]) => [
  { label: 'p50', values: points.map(({ p50_ms }) => p50_ms) },
  { label: 'p95', values: points.map(({ p95_ms }) => p95_ms) },
  { label: 'p99', values: points.map(({ p99_ms }) => p99_ms) },
];

/** -1 if there is none. */
export const lastKnownIndex = (series: readonly Line[]): number =>
  Math.max(-1, ...series.map(({ values }) => values.findLastIndex((value) => value !== null)));

/** Indexes of values between two gaps. */
export const loneIndexes = (values: readonly (number | null | undefined)[]): readonly number[] =>
  values.flatMap((value, at) =>
    (value ?? null) !== null &&
    (values[at - 1] ?? null) === null &&
    (values[at + 1] ?? null) === null
      ? [at]
      : [],
  );

type Line = Readonly<{ values: readonly (number | null)[] }>;

/** The format of uPlot: times in seconds, then one column per series. */
export const alignedOf = (
  times: readonly number[],
  series: readonly Line[],
): [number[], ...(number | null)[][]] => [
  times.map((at) => at / 1_000),
  ...series.map(({ values }) => [...values]),
];

/** Logarithms to base 10. Zero becomes a gap. */
export const logarithmsOf = (series: readonly Line[]): readonly Line[] =>
  series.map(({ values }) => ({
    values: values.map((value) => (value !== null && value > 0 ? Math.log10(value) : null)),
  }));

export const isKnown = ({ values }: Line): boolean => values.some((value) => value !== null);

type Columns = readonly ArrayLike<number | null | undefined>[];

export const isSameData = (a: Columns, b: Columns): boolean =>
  a.length === b.length &&
  a.every((column, at) => {
    const other = b[at] ?? [];
    return (
      column.length === other.length &&
      Array.from(column).every((value, index) => Object.is(value, other[index]))
    );
  });
