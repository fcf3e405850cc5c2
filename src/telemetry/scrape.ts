// Collects all series for one scrape. Nothing is kept for the next.

import { addDurations, newDurations } from './histogram.ts';
import type { Durations } from './histogram.ts';
import { metricTable } from './metric-table.ts';
import type { LabelsOf, MetricName } from './metric-table.ts';

export type Source = (scrape: Scrape) => void;

export type Scrape = Readonly<{
  /** Merges readings of one series, so that it appears once on the page. */
  add: <Name extends MetricName>(name: Name, labels: LabelsOf<Name>, value: number) => void;
  addDurations: <Name extends MetricName>(
    name: Name,
    labels: LabelsOf<Name>,
    durations: Durations,
  ) => void;
}>;

/** Configured names become labels, so the number of series needs a bound. */
const seriesMaxDefault = 1000;
const labelCharactersMax = 256;
/** Series beyond the bound have `other` in these labels and are merged. */
const openLabels: ReadonlySet<string> = new Set(['api_base', 'model']);

/** The initial value of a series, and the function that merges a reading into it. */
const mergers = {
  sum: { from: 0, merge: (held: number, value: number) => held + value },
  min: { from: Infinity, merge: Math.min },
  max: { from: -Infinity, merge: Math.max },
} as const;

type Labels = Readonly<Record<string, string>>;

/** `durations` is set for histograms. */
type Held = { readonly labels: Labels; value: number; readonly durations: Durations | null };
export type Series = Readonly<Held>;

/** In order of the first readings. A family appears only if a source added to it. */
export type Collected = ReadonlyMap<MetricName, readonly Series[]>;

export function collect(sources: readonly Source[], seriesMax = seriesMaxDefault): Collected {
  const families = new Map<MetricName, Map<string, Held>>();
  const familyOf = (name: MetricName): Map<string, Held> => {
    const known = families.get(name);
    if (known !== undefined) return known;
    const fresh = new Map<string, Held>();
    families.set(name, fresh);
    return fresh;
  };
  const series = (name: MetricName, labels: Labels, first: () => Omit<Held, 'labels'>): Held => {
    const family = familyOf(name);
    let kept = clipped(labels);
    let key = keyOf(kept);
    if (family.size >= seriesMax && !family.has(key)) {
      kept = folded(kept);
      key = keyOf(kept);
    }
    const known = family.get(key);
    if (known !== undefined) return known;
    const fresh = { ...first(), labels: kept };
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
  return new Map([...families].map(([name, family]) => [name, [...family.values()]] as const));
}

/** The labels of a family always come in the same order. */
const keyOf = (labels: Labels): string => JSON.stringify(Object.values(labels));

const clipped = (labels: Labels): Labels =>
  Object.values(labels).every((value) => value.length <= labelCharactersMax)
    ? labels
    : Object.fromEntries(
        Object.entries(labels).map(([name, value]) => [name, value.slice(0, labelCharactersMax)]),
      );

const folded = (labels: Labels): Labels =>
  Object.fromEntries(
    Object.entries(labels).map(([name, value]) => [name, openLabels.has(name) ? 'other' : value]),
  );
