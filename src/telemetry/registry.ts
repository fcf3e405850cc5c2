// Renders collected series with a registry of prom-client (https://github.com/siimon/prom-client).
// Its metrics fill themselves when they are collected.

import { setImmediate } from 'node:timers/promises';

import { Counter, Gauge, Registry } from 'prom-client';
import type { Histogram } from 'prom-client';

import { secondsBounds } from './histogram.ts';
import type { Durations } from './histogram.ts';
import type { Family } from './merge-pages.ts';
import { metricTable } from './metric-table.ts';
import type { Metric } from './metric-table.ts';
import { collect } from './scrape.ts';
import type { Collected, Series, Source } from './scrape.ts';

export const metricsContentType = Registry.PROMETHEUS_CONTENT_TYPE;

/**
 * Series printed without a pause: one or two milliseconds for histograms, which have twenty lines
 * each.
 */
const printedMax = 50;

/**
 * The text format of Prometheus 0.0.4. All values are of one moment. Pauses between parts of a long
 * page so that requests are served.
 */
export async function renderMetrics(
  sources: readonly Source[],
  seriesMax?: number,
): Promise<string> {
  let text = '';
  for (const [key, series] of collect(sources, seriesMax)) {
    for (let from = 0; from < series.length; from += printedMax) {
      const part = new Map([[key, series.slice(from, from + printedMax)]]);
      const printed = await registryOf(part).getSingleMetricAsString(metricTable[key].name);
      text += `${from === 0 ? printed : withoutHead(printed)}\n`;
      await setImmediate();
    }
  }
  return text;
}

/** Removes HELP and TYPE, which must appear once, before the first line of a family. */
const withoutHead = (printed: string): string => printed.replace(/^(?:#.*\n)*/, '');

/** Values, which can be merged with those of other processes. */
export const readFamilies = (sources: readonly Source[]): Promise<readonly Family[]> =>
  registryOf(collect(sources)).getMetricsAsJSON();

function registryOf(collected: Collected): Registry {
  const registry = new Registry();
  for (const [key, series] of collected) {
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
 * prom-client's own histogram accepts only single observations. A registry uses only the name and
 * values of a metric, but its types require a full one.
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
