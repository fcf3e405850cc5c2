// One look at all series, and their text (Prometheus text format 0.0.4,
// https://prometheus.io/docs/instrumenting/exposition_formats/). Nothing of it is kept: the next scrape begins anew.

import { addDurations, newDurations, secondsBounds } from './histogram.ts';
import type { Durations } from './histogram.ts';
import { metricTable } from './metric-table.ts';
import type { LabelsOf, Metric, MetricName } from './metric-table.ts';

export type Source = (scrape: Scrape) => void;

/** What a page shows of one subsystem is what its source adds. */
export type Scrape = Readonly<{
  /** Readings of one series are merged, so that it stands on the page once. */
  add: <Name extends MetricName>(name: Name, labels: LabelsOf<Name>, value: number) => void;
  addDurations: <Name extends MetricName>(
    name: Name,
    labels: LabelsOf<Name>,
    durations: Durations,
  ) => void;
}>;

/** Configured names become labels, and there is no end to what may be configured. */
const seriesMaxDefault = 1000;
const labelCharactersMax = 256;
/** In what is beyond the bound, these labels say `other`, and the readings are merged. */
const openLabels: ReadonlySet<string> = new Set(['api_base', 'model']);

/** What a series begins with, and how a reading is merged into it. */
const mergers = {
  sum: { from: 0, merge: (held: number, value: number) => held + value },
  min: { from: Infinity, merge: Math.min },
  max: { from: -Infinity, merge: Math.max },
} as const;

type Series = { value: number; durations: Durations | null };
type Family = Map<string, Series>;
type Labels = Readonly<Record<string, string>>;

export function renderMetrics(sources: readonly Source[], seriesMax = seriesMaxDefault): string {
  const families = new Map<MetricName, Family>();
  const series = (name: MetricName, labels: Labels, first: () => Series): Series => {
    const family = families.get(name) ?? new Map<string, Series>();
    families.set(name, family);
    const own = labelText(labels);
    const key = family.has(own) || family.size < seriesMax ? own : labelText(folded(labels));
    const known = family.get(key);
    if (known !== undefined) return known;
    const fresh = first();
    family.set(key, fresh);
    return fresh;
  };
  const scrape: Scrape = {
    add: (name, labels, value) => {
      const { from, merge } = mergers[metricTable[name].merge];
      const held = series(name, labels, () => ({ value: from, durations: null }));
      held.value = merge(held.value, value);
    },
    addDurations: (name, labels, durations) => {
      const held = series(name, labels, () => ({ value: 0, durations: newDurations() }));
      if (held.durations !== null) addDurations(held.durations, durations);
    },
  };
  for (const source of sources) source(scrape);
  return [...families].map(([name, family]) => familyText(metricTable[name], family)).join('');
}

/** `a="x",b="y"`, without braces; empty without labels. */
const labelText = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeValue(value)}"`)
    .join(',');

const folded = (labels: Labels): Labels =>
  Object.fromEntries(
    Object.entries(labels).map(([name, value]) => [name, openLabels.has(name) ? 'other' : value]),
  );

const escapeValue = (value: string): string =>
  value
    .slice(0, labelCharactersMax)
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n');

function familyText({ name, type, help }: Metric, family: Family): string {
  const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
  for (const [labels, { value, durations }] of family) {
    if (durations === null) lines.push(sample(name, labels, value));
    else lines.push(...histogramLines(name, labels, durations));
  }
  return `${lines.join('\n')}\n`;
}

const sample = (name: string, labels: string, value: number): string =>
  `${name}${labels === '' ? '' : `{${labels}}`} ${numberText(value)}`;

function histogramLines(name: string, labels: string, durations: Durations): readonly string[] {
  let count = 0;
  const buckets = [...durations.counts].map((own, index) => {
    count += own;
    const bound = secondsBounds[index];
    const le = `le="${bound === undefined ? '+Inf' : bound}"`;
    return sample(`${name}_bucket`, labels === '' ? le : `${labels},${le}`, count);
  });
  return [
    ...buckets,
    sample(`${name}_sum`, labels, durations.sum),
    sample(`${name}_count`, labels, count),
  ];
}

const numberText = (value: number): string => {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
};
