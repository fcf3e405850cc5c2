// Makes one page of metrics of those of several processes that share a port: counters and histograms are added up, and so are
// gauges but for those of a state, of which the worst is shown. Each family says which (`aggregator`).

import { AggregatorRegistry } from 'prom-client';
import type { PrometheusContentType, Registry } from 'prom-client';

/** As a registry of prom-client gives it (`getMetricsAsJSON`). */
export type Family = Readonly<{
  name: string;
  help: string;
  /** Words such as `gauge`; prom-client declares them as an enumeration of numbers. */
  type: unknown;
  aggregator: string;
  values: readonly Readonly<{
    /** Where it is not the family's: of the parts of a histogram. */
    metricName?: string | undefined;
    labels: Readonly<Record<string, string | number | undefined>>;
    value: number;
  }>[];
}>;

export type Page = Readonly<{
  families: readonly Family[];
  /** Of a process that is gone: what it counted still counts, what it was does not. */
  isGone: boolean;
}>;

/** Prints as one page (`metrics`) and gives the families of one (`getMetricsAsJSON`). */
export const mergePages = (pages: readonly Page[]): Registry =>
  AggregatorRegistry.aggregate<PrometheusContentType>(
    pages.map(({ families, isGone }) =>
      isGone ? families.filter(({ type }) => type !== 'gauge') : [...families],
    ),
  );
