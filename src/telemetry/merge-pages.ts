// Merges the metrics of processes that share a port into one page. Counters, histograms and most
// gauges are added up; gauges of a state show the worst one. Each family names its rule
// (`aggregator`).

import { AggregatorRegistry } from 'prom-client';
import type { PrometheusContentType, Registry } from 'prom-client';

/** The format of `getMetricsAsJSON` in prom-client. */
export type Family = Readonly<{
  name: string;
  help: string;
  /** A word such as `gauge`, although prom-client declares an enumeration of numbers. */
  type: unknown;
  aggregator: string;
  values: readonly Readonly<{
    /** Set if it differs from the family's name, as for the parts of a histogram. */
    metricName?: string | undefined;
    labels: Readonly<Record<string, string | number | undefined>>;
    value: number;
  }>[];
}>;

export type Page = Readonly<{
  families: readonly Family[];
  /** True for a process that has ended: its counters still count, its gauges do not. */
  isGone: boolean;
}>;

/** `metrics` prints the page; `getMetricsAsJSON` returns its families. */
export const mergePages = (pages: readonly Page[]): Registry =>
  AggregatorRegistry.aggregate<PrometheusContentType>(
    pages.map(({ families, isGone }) =>
      isGone ? families.filter(({ type }) => type !== 'gauge') : [...families],
    ),
  );
