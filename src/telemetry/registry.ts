// What a look found, in a registry of prom-client (https://github.com/siimon/prom-client): families whose metrics fill themselves when
// they are collected.

import { setImmediate } from 'node:timers/promises';

import { Counter, Gauge, Registry } from 'prom-client';
import type { Histogram } from 'prom-client';

import { secondsBounds } from './histogram.ts';
import type { Durations } from './histogram.ts';
import type { Family } from './merge-pages.ts';
import { metricTable } from './metric-table.ts';
import type { Metric } from './metric-table.ts';
import { lookAt } from './scrape.ts';
import type { Look, Series, Source } from './scrape.ts';

export const metricsContentType = Registry.PROMETHEUS_CONTENT_TYPE;

/**
 * The page in the text format of Prometheus 0.0.4. All of it is of one moment; between families requests have their turn, since a long
 * page takes long to print.
 */
export async function renderMetrics(
  sources: readonly Source[],
  seriesMax?: number,
): Promise<string> {
  const look = lookAt(sources, seriesMax);
  const registry = registryOf(look);
  let text = '';
  for (const key of look.keys()) {
    text += `${await registry.getSingleMetricAsString(metricTable[key].name)}\n`;
    await setImmediate();
  }
  return text;
}

/** The page as values, which can be merged with those of other processes. */
export const readFamilies = (sources: readonly Source[]): Promise<readonly Family[]> =>
  registryOf(lookAt(sources)).getMetricsAsJSON();

function registryOf(look: Look): Registry {
  const registry = new Registry();
  for (const [key, series] of look) {
    registry.registerMetric(makers[metricTable[key].type](metricTable[key], series));
  }
  return registry;
}

const configurationOf = ({ name, help, labels, merge }: Metric) => ({
  name,
  help,
  labelNames: labels,
  aggregator: merge,
  registers: [],
});

const makers = {
  counter: (metric: Metric, series: readonly Series[]): Counter =>
    new Counter({
      ...configurationOf(metric),
      collect() {
        this.reset();
        for (const { labels, value } of series) this.inc(labels, value);
      },
    }),
  gauge: (metric: Metric, series: readonly Series[]): Gauge =>
    new Gauge({
      ...configurationOf(metric),
      collect() {
        this.reset();
        for (const { labels, value } of series) this.set(labels, value);
      },
    }),
  histogram: countedHistogram,
} as const;

/**
 * Is told its counts, where prom-client's own takes one observation at a time. A registry asks a metric for its name and its values, and
 * prom-client registers no more than those when it merges; its types ask for the rest of a metric.
 */
function countedHistogram(metric: Metric, series: readonly Series[]): Histogram {
  const { name, help, type, merge } = metric;
  const get = async () => ({ name, help, type, aggregator: merge, values: valuesOf(name, series) });
  return { name, get } as unknown as Histogram;
}

const valuesOf = (name: string, series: readonly Series[]) =>
  series.flatMap(({ labels, durations }) =>
    durations === null ? [] : samplesOf(name, labels, durations),
  );

function samplesOf(name: string, labels: Series['labels'], { counts, sum }: Durations) {
  let count = 0;
  const buckets = [...counts].map((own, index) => {
    count += own;
    const le = secondsBounds[index] ?? '+Inf';
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
