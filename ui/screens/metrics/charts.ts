// Defines the charts of recorded usage.

import type { SeriesPoint } from '../../api/records.ts';
import { bucketsOf, perSecond, wholeSums } from '../../lib/observe/buckets.ts';
import type { Buckets } from '../../lib/observe/buckets.ts';
import { formatDuration, formatRate, formatShort } from '../../lib/text/format.ts';
import { latencySeries } from '../../lib/observe/series.ts';
import { failureClasses } from '../../lib/observe/upstream.ts';

type Recorded = Readonly<{ points: readonly SeriesPoint[] }> & Pick<Buckets, 'edges' | 'widthMs'>;

export function chartsOf({ points, edges, widthMs }: Recorded) {
  const buckets = bucketsOf(points, { edges, widthMs });
  const { rate, sum } = linesOf(points, buckets);
  const drawn = [
    {
      title: 'Requests per second',
      label: 'Requests per second',
      format: formatRate,
      series: [rate('requests', ({ requests }) => requests)],
    },
    {
      title: 'Latency',
      label: 'Latency of successful requests',
      scaled: true,
      format: formatDuration,
      series: latencySeries(points),
    },
    {
      title: 'Upstream errors per second',
      label: 'Upstream errors per second by status class, with 429 separate',
      format: formatRate,
      series: failureClasses.map(({ id, label }) => rate(label, (point) => point[id])),
    },
    {
      title: 'Time to first token',
      label: 'Time to first token',
      scaled: true,
      format: formatDuration,
      series: [
        { label: 'p50', values: points.map(({ ttft_p50_ms }) => ttft_p50_ms) },
        { label: 'p95', values: points.map(({ ttft_p95_ms }) => ttft_p95_ms) },
        { label: 'p99', values: points.map(({ ttft_p99_ms }) => ttft_p99_ms) },
      ],
    },
    {
      title: 'Refused requests',
      label: 'Refused requests by reason',
      format: formatShort,
      series: wholeSums(
        [
          sum('rate limit', (point) => point.refused_rate_limit),
          sum('budget', (point) => point.refused_budget),
          sum('permission', (point) => point.refused_authorisation),
          sum('no backend', (point) => point.refused_no_backend),
          sum('overload', (point) => point.refused_backend_overloaded),
          sum('unattributed', (point) => point.refused_unattributed),
        ],
        buckets,
      ),
    },
    {
      title: 'Tokens per second',
      label: 'Prompt and completion tokens per second',
      format: formatRate,
      series: [
        rate('prompt', (point) => point.prompt_tokens),
        rate('completion', (point) => point.completion_tokens),
      ],
    },
  ];
  return { times: buckets.times, drawn };
}

type Of = (point: SeriesPoint) => number | null;

/** A range without requests has gaps instead of zeros. */
function linesOf(points: readonly SeriesPoint[], buckets: Buckets) {
  const isNone = points.every((point) => point.requests + point.refused_unattributed === 0);
  const valuesOf = (of: Of) => points.map((point) => (isNone ? null : of(point)));
  return {
    rate: (label: string, of: Of) => ({ label, values: perSecond(valuesOf(of), buckets) }),
    sum: (label: string, of: Of) => ({ label, values: valuesOf(of) }),
  };
}
