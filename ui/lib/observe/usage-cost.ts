// Prepares the counts and costs of usage for the screens. A count that was not reported is not 0, and currencies are never added.

import { cachedCounts, tokenParts, unitCounts } from '../../../src/usage/counts.ts';
import type { CachedCount, PartName } from '../../../src/usage/counts.ts';
import { formatMoneyOf, formatNumber } from '../text/format.ts';

type Parts = Readonly<Record<PartName, number | null>>;
type Breakdown = Readonly<Record<string, number>> | null;

type CostedRow = Parts &
  Readonly<{
    prompt_tokens: number;
    completion_tokens: number;
    server_tool_calls: Readonly<Record<string, number>> | null;
    units: Readonly<Record<string, number>> | null;
    usage_reported: boolean;
    cost_micros: number | null;
    currency: string | null;
    breakdown?: Breakdown | undefined;
    corrected?:
      | Readonly<{ cost_micros: number | null; currency: string; breakdown: Breakdown }>
      | null
      | undefined;
  }>;

/** Null means that the cost is not known. `base` means that it is part of the base price. */
type Amount = number | 'base' | null;

export type CostLine = Readonly<{
  label: string;
  /** Null if the price is not for a count. */
  count: number | null;
  cost: Amount;
  corrected: Amount;
}>;

/** The counts of a request, and what each of them cost. */
export function costLines(row: CostedRow): readonly CostLine[] {
  const { breakdown = null, corrected } = row;
  const after = corrected?.breakdown ?? null;
  const line = (label: string, count: number | null, name: string, missing: Amount): CostLine => ({
    label,
    count,
    cost: amountOf(breakdown, name, missing),
    corrected: amountOf(after, name, missing),
  });
  const isByCount = breakdown !== null && breakdown['reported'] === undefined;
  const cached = cachedCounts.filter(
    ({ kind }) => breakdown?.[kind] !== undefined || after?.[kind] !== undefined,
  );
  const side = (side: 'input' | 'output', name: string, total: number): CostLine[] => {
    const parts = tokenParts
      .filter((part) => part.side === side && row[part.name] !== null)
      .flatMap(({ name, kind, label }): Part[] => {
        const count = row[name] ?? 0;
        const whole = { kind, label, count };
        return kind === 'cache_read' && cached.length > 0 ? divided(whole, row, cached) : [whole];
      });
    const paid = parts.filter(({ kind }) => breakdown?.[kind] !== undefined);
    const rest = paid.reduce((left, { count }) => left - count, total);
    return [
      line(isByCount ? `${name} at the base price` : name, Math.max(0, rest), side, 0),
      ...parts.map(({ kind, label, count }) => line(label, count, kind, 'base')),
    ];
  };
  const calls = Object.entries(row.server_tool_calls ?? {});
  const units = unitCounts.flatMap(({ name, label, price }) => {
    const count = row.units?.[name];
    return count === undefined ? [] : [line(label, count, price, 'base')];
  });
  const others = Object.entries(otherNames).filter(
    ([name]) => breakdown?.[name] !== undefined || after?.[name] !== undefined,
  );
  return [
    ...side('input', 'Prompt', row.prompt_tokens),
    ...side('output', 'Completion', row.completion_tokens),
    ...units,
    ...calls.map(([tool, count]) => line(`Calls of ${tool}`, count, `tool_calls.${tool}`, 0)),
    ...others.map(([name, label]) => line(label, null, name, 0)),
  ];
}

type Part = Readonly<{ kind: string; label: string; count: number }>;

/** Cache reads that have prices of their own, and the others if there are any. */
function divided(
  whole: Part,
  { units }: Pick<CostedRow, 'units'>,
  cached: readonly CachedCount[],
): Part[] {
  const own = cached.map(({ name, kind, label }) => ({ kind, label, count: units?.[name] ?? 0 }));
  const rest = own.reduce((left, { count }) => left - count, whole.count);
  return rest > 0 ? [{ ...whole, label: 'Other cache reads', count: rest }, ...own] : own;
}

const otherNames: Readonly<Record<string, string>> = {
  per_request: 'Request',
  reported: 'Cost reported by the provider',
};

/** A cost that the provider reported has no amounts for its counts. */
const amountOf = (breakdown: Breakdown, name: string, missing: Amount): Amount =>
  breakdown === null || (breakdown['reported'] !== undefined && name !== 'reported')
    ? null
    : (breakdown[name] ?? missing);

/** `$0.0297`, `at the base price`, or `unknown`. */
export function amountText(amount: Amount, currency: string | null): string {
  if (amount === null) return 'unknown';
  return amount === 'base' ? 'at the base price' : formatMoneyOf(amount, currency);
}

/** The names of the counts that the provider did not report. */
export const notReported = (row: Parts): readonly string[] =>
  tokenParts.filter(({ name }) => row[name] === null).map(({ label }) => label);

type Prompted = Readonly<{ prompt_tokens: number; cache_read_tokens: number | null }>;

/** The share of prompt tokens from the provider's cache. Null if it was not reported. */
export const cachedShareOf = ({ prompt_tokens: all, cache_read_tokens: cached }: Prompted) =>
  cached === null || all === 0 ? null : cached / all;

/** `12,345`, or "not reported". */
export const formatPart = (count: number | null): string =>
  count === null ? 'not reported' : formatNumber(count);

type Costs = Readonly<{
  costs: readonly Readonly<{
    currency: string;
    cost_micros: number | null;
    corrected_cost_micros: number | null;
  }>[];
}>;

/** The costs in currencies other than US dollars, after corrections. Empty without any. */
export const otherCurrencies = ({ costs }: Costs): string =>
  costs
    .filter(({ currency, corrected_cost_micros: cost }) => currency !== 'USD' && cost !== null)
    .map(({ currency, corrected_cost_micros: cost }) => formatMoneyOf(cost, currency))
    .join(', ');

type Corrected = Readonly<{ cost_micros: number | null; corrected_cost_micros: number | null }>;

export const isCorrected = ({ cost_micros: booked, corrected_cost_micros: now }: Corrected) =>
  booked !== now;

type Comparison = Readonly<{
  currency: string;
  corrected_cost_micros: number;
  what_if_cost_micros: number;
}>;

/** `$12.50 instead of $34.20 (−$21.70)`. */
export function comparedCost({ currency, ...one }: Comparison): string {
  const { corrected_cost_micros: now, what_if_cost_micros: cost } = one;
  const [whatIf, instead] = [cost, now].map((micros) => formatMoneyOf(micros, currency));
  if (cost === now) return `${whatIf}, the same as now`;
  const difference = formatMoneyOf(Math.abs(cost - now), currency);
  return `${whatIf} instead of ${instead} (${cost > now ? '+' : '−'}${difference})`;
}

/** The amounts that the provider's cache saved, by currency. `costs` are those with cached tokens at the base price. */
export const savings = (costs: readonly Comparison[]): string =>
  costs
    .map(({ currency, corrected_cost_micros: now, what_if_cost_micros: cost }) =>
      formatMoneyOf(cost - now, currency),
    )
    .join(', ');
