// Compares a provider's bill with the ledger, by day or month, model and currency.

import { picoDigits } from './line.ts';
import type { BillLine, Day } from './line.ts';
import { modelMatcher } from './match-models.ts';

export const comparisonPeriods = ['day', 'month'] as const;
export type ComparisonPeriod = (typeof comparisonPeriods)[number];

/** The usage of a model on a day, at one currency. Amounts include corrections. */
export type LedgerLine = Readonly<{
  day: Day;
  model: string | null;
  currency: string;
  /** Null if no request has a price. */
  micros: bigint | null;
  unpricedRequests: bigint;
  tokens: bigint;
}>;

export const differenceKinds = ['only_in_bill', 'only_in_ledger', 'unpriced', 'differs'] as const;
export type DifferenceKind = (typeof differenceKinds)[number];

export type Difference = Readonly<{
  kind: DifferenceKind;
  /** A day or a month. */
  period: string;
  model: string | null;
  /** The names in the bill that were matched with the model. */
  billedAs: readonly string[];
  currency: string;
  billMicros: number | null;
  ledgerMicros: number | null;
  /** The bill minus the ledger. */
  differenceMicros: number;
  /** The share of the bill in percent, with two decimal places. Null if the bill has nothing. */
  percent: number | null;
  billTokens: number | null;
  ledgerTokens: number;
  unpricedRequests: number;
}>;

export type CurrencyTotal = Readonly<{
  currency: string;
  billMicros: number;
  ledgerMicros: number;
  differenceMicros: number;
}>;

/** A difference within one of the two tolerances is none. */
export type Tolerance = Readonly<{ micros: number; percent: number }>;

export type Comparison = Readonly<{
  totals: readonly CurrencyTotal[];
  /** Pairs of period and model without a difference. */
  matches: number;
  /** Largest first. */
  differences: readonly Difference[];
}>;

export type Compared = Readonly<{
  bill: readonly BillLine[];
  ledger: readonly LedgerLine[];
  /** Other names of the models in the ledger. */
  upstreamNames: ReadonlyMap<string, string>;
  by: ComparisonPeriod;
  tolerance: Tolerance;
}>;

type Entry = {
  readonly period: string;
  readonly model: string | null;
  readonly currency: string;
  readonly billedAs: Set<string>;
  picos: bigint | null;
  micros: bigint | null;
  hasUsage: boolean;
  billTokens: bigint | null;
  ledgerTokens: bigint;
  unpricedRequests: bigint;
};

const periodOf = (day: Day, by: ComparisonPeriod): string => (by === 'day' ? day : day.slice(0, 7));

export function compareBill(compared: Compared): Comparison {
  const entries = entriesOf(compared);
  const found = entries.map((entry) => differenceOf(entry, compared.tolerance));
  const differences = found
    .filter((one) => one !== null)
    .toSorted(
      (one, other) => sizeOf(other) - sizeOf(one) || orderOf(one).localeCompare(orderOf(other)),
    );
  return {
    totals: totalsOf(entries),
    matches: found.length - differences.length,
    differences,
  };
}

const sizeOf = ({ differenceMicros }: Difference): number => Math.abs(differenceMicros);
const orderOf = ({ period, model }: Difference): string => `${period} ${model ?? ''}`;

function entriesOf({ bill, ledger, upstreamNames, by }: Compared): readonly Entry[] {
  const entries = new Map<string, Entry>();
  const entryOf = (day: Day, model: string | null, currency: string): Entry => {
    const period = periodOf(day, by);
    const key = JSON.stringify([period, model, currency]);
    const held = entries.get(key) ?? newEntry(period, model, currency);
    entries.set(key, held);
    return held;
  };
  const shownName = (model: string): string => upstreamNames.get(model) ?? model;
  const names = new Map<string, string[]>();
  for (const [model, upstream] of upstreamNames)
    names.set(upstream, [...(names.get(upstream) ?? []), model]);
  for (const { model } of ledger) {
    if (model !== null && !upstreamNames.has(model)) names.set(model, []);
  }
  const match = modelMatcher(names);
  for (const line of ledger) {
    const shown = line.model === null ? null : shownName(line.model);
    const entry = entryOf(line.day, shown, line.currency);
    entry.hasUsage = true;
    if (line.micros !== null) entry.micros = (entry.micros ?? 0n) + line.micros;
    entry.ledgerTokens += line.tokens;
    entry.unpricedRequests += line.unpricedRequests;
  }
  for (const line of bill) {
    const shown = line.model === null ? null : (match(line.model) ?? line.model);
    const entry = entryOf(line.day, shown, line.currency);
    entry.picos = (entry.picos ?? 0n) + line.picos;
    if (line.tokens !== null) entry.billTokens = (entry.billTokens ?? 0n) + line.tokens;
    if (line.model !== null) entry.billedAs.add(line.model);
  }
  return [...entries.values()];
}

const newEntry = (period: string, model: string | null, currency: string): Entry => ({
  period,
  model,
  currency,
  billedAs: new Set(),
  picos: null,
  micros: null,
  hasUsage: false,
  billTokens: null,
  ledgerTokens: 0n,
  unpricedRequests: 0n,
});

const picosPerMicro = 10n ** BigInt(picoDigits - 6);

/** Half a micro-unit is rounded away from zero. */
function microsOf(picos: bigint): bigint {
  const half = picos < 0n ? -picosPerMicro / 2n : picosPerMicro / 2n;
  return (picos + half) / picosPerMicro;
}

const billedAsMax = 20;

/** Null if the bill and the ledger agree within the tolerance. */
function differenceOf(entry: Entry, tolerance: Tolerance): Difference | null {
  const bill = entry.picos === null ? null : microsOf(entry.picos);
  const difference = (bill ?? 0n) - (entry.micros ?? 0n);
  const size = difference < 0n ? -difference : difference;
  const base = bill === null ? 0n : bill < 0n ? -bill : bill;
  const isUnpriced = entry.hasUsage && entry.micros === null && entry.unpricedRequests > 0n;
  const percent = base === 0n ? null : Number((difference * 10_000n) / base) / 100;
  const isWithin =
    size <= BigInt(tolerance.micros) ||
    (entry.micros !== null && percent !== null && Math.abs(percent) <= tolerance.percent);
  if (isWithin && !(isUnpriced && bill !== null && size > 0n)) return null;
  return {
    kind: kindOf(entry, isUnpriced),
    period: entry.period,
    model: entry.model,
    billedAs: [...entry.billedAs].toSorted().slice(0, billedAsMax),
    currency: entry.currency,
    billMicros: bill === null ? null : bounded(bill),
    ledgerMicros: entry.micros === null ? null : bounded(entry.micros),
    differenceMicros: bounded(difference),
    percent,
    billTokens: entry.billTokens === null ? null : bounded(entry.billTokens),
    ledgerTokens: bounded(entry.ledgerTokens),
    unpricedRequests: bounded(entry.unpricedRequests),
  };
}

function kindOf({ picos, hasUsage }: Entry, isUnpriced: boolean): DifferenceKind {
  if (picos === null) return 'only_in_ledger';
  if (!hasUsage) return 'only_in_bill';
  return isUnpriced ? 'unpriced' : 'differs';
}

function totalsOf(entries: readonly Entry[]): readonly CurrencyTotal[] {
  const byCurrency = Map.groupBy(entries, ({ currency }) => currency);
  return [...byCurrency].map(([currency, own]) => {
    const bill = microsOf(own.reduce((sum, { picos }) => sum + (picos ?? 0n), 0n));
    const ledger = own.reduce((sum, { micros }) => sum + (micros ?? 0n), 0n);
    return {
      currency,
      billMicros: bounded(bill),
      ledgerMicros: bounded(ledger),
      differenceMicros: bounded(bill - ledger),
    };
  });
}

const largest = BigInt(Number.MAX_SAFE_INTEGER);
const bounded = (value: bigint): number =>
  Number(value > largest ? largest : value < -largest ? -largest : value);
