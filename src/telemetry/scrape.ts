// One look at all series. Nothing of it is kept: the next scrape begins anew.

import { addDurations, newDurations } from './histogram.ts';
import type { Durations } from './histogram.ts';
import { metricTable } from './metric-table.ts';
import type { LabelsOf, MetricName } from './metric-table.ts';

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

type Labels = Readonly<Record<string, string>>;

/** What all readings of it make; `durations` are those of a histogram. */
type Held = { readonly labels: Labels; value: number; readonly durations: Durations | null };
export type Series = Readonly<Held>;

/** Of the families that a source adds to, in the order of their first readings. */
export type Look = ReadonlyMap<MetricName, readonly Series[]>;

export function lookAt(sources: readonly Source[], seriesMax = seriesMaxDefault): Look {
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

/** Labels of one family always come in one order. */
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
