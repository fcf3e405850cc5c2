// The charts of recorded usage: what each shows of a point.

import type { SeriesPoint } from '../../api/usage.ts';
import { formatDuration, formatShort } from '../../lib/format.ts';

export type Chart = Readonly<{
  title: string;
  label: string;
  format: (value: number | null) => string;
  series: readonly Readonly<{
    label: string;
    of: (point: SeriesPoint, seconds: number) => number | null;
  }>[];
}>;

const rate =
  (name: 'requests' | 'upstream_errors' | 'client_errors') =>
  (point: SeriesPoint, seconds: number): number =>
    point[name] / seconds;

const formatRate = (value: number | null): string =>
  value === null
    ? 'no data'
    : value !== 0 && value < 0.01
      ? value.toPrecision(1)
      : formatShort(value);

export const charts: readonly Chart[] = [
  {
    title: 'Requests per second',
    label: 'Requests per second',
    format: formatRate,
    series: [{ label: 'requests', of: rate('requests') }],
  },
  {
    title: 'Latency',
    label: 'Latency of answered requests',
    format: formatDuration,
    series: [
      { label: 'p50', of: ({ p50_ms }) => p50_ms },
      { label: 'p95', of: ({ p95_ms }) => p95_ms },
      { label: 'p99', of: ({ p99_ms }) => p99_ms },
    ],
  },
  {
    title: 'Errors per second',
    label: 'Upstream and client errors per second',
    format: formatRate,
    series: [
      { label: 'upstream, 429 among them', of: rate('upstream_errors') },
      { label: 'client', of: rate('client_errors') },
    ],
  },
  {
    title: 'Time to the first token',
    label: 'Time to the first token',
    format: formatDuration,
    series: [
      { label: 'p50', of: ({ ttft_p50_ms }) => ttft_p50_ms },
      { label: 'p95', of: ({ ttft_p95_ms }) => ttft_p95_ms },
      { label: 'p99', of: ({ ttft_p99_ms }) => ttft_p99_ms },
    ],
  },
  {
    title: 'Refused requests',
    label: 'Refused requests of each bucket by reason',
    format: formatShort,
    series: [
      { label: 'rate limit', of: (point) => point.refused_rate_limit },
      { label: 'budget', of: (point) => point.refused_budget },
      { label: 'permission', of: (point) => point.refused_authorisation },
      { label: 'no backend', of: (point) => point.refused_no_backend },
      { label: 'nobody’s', of: (point) => point.refused_unattributed },
    ],
  },
  {
    title: 'Tokens per second',
    label: 'Prompt and completion tokens per second',
    format: formatShort,
    series: [
      { label: 'prompt', of: (point, seconds) => point.prompt_tokens / seconds },
      { label: 'completion', of: (point, seconds) => point.completion_tokens / seconds },
    ],
  },
];
