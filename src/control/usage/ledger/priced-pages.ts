// Reads the rows that a price card can price, in pages and up to a limit, with their corrections.

import type { Queryable } from '@databases/pg';

import type { ConfigState } from '../../../../projections/config/state.ts';
import { correctionsOf, repricedPage } from '../../../db/usage/ledger/ledger-rows.ts';
import type {
  CorrectedRow,
  LedgerPlace,
  LedgerRow,
  LedgerSpan,
} from '../../../db/usage/ledger/ledger-rows.ts';
import type { ModelId } from '../../../lib/ids.ts';
import { refuse } from '../../../lib/refusal.ts';
import type { Refusal } from '../../../lib/refusal.ts';

export type SpanAsked = Readonly<{
  /** RFC 3339; the end is exclusive. */
  since: string;
  until: string;
  /** The name of a model. Null means all. */
  model: string | null;
}>;

export type PricedSpan = LedgerSpan & Readonly<{ modelId: ModelId | null }>;

export function pricedSpan(
  { since, until, model: name }: SpanAsked,
  state: ConfigState,
): PricedSpan | Refusal {
  if (Date.parse(since) >= Date.parse(until)) {
    return refuse('invalid', `since ${since} is not before until ${until}`, { param: 'since' });
  }
  if (name === null) return { since, until, modelId: null };
  const modelId = modelNamed(state, name);
  return modelId === null ? unknownModel(name, 'model') : { since, until, modelId };
}

export const modelNamed = ({ model: models }: ConfigState, name: string): ModelId | null =>
  [...models.byId.values()].find((one) => one.name === name)?.id ?? null;

export const unknownModel = (name: string, param: string): Refusal =>
  refuse('invalid', `${param}: no model is named ${name}`, { param });

/** The refusal of a version of the prices without a model. */
export function withoutModel(version: number): Refusal {
  const message = `card: version ${version} needs a model, because each model has its own`;
  return refuse('invalid', message, { param: 'card' });
}

export type PricedRow = Readonly<{
  row: LedgerRow;
  /** The applied corrections by currency. */
  held: readonly CorrectedRow[];
}>;

const pageRows = 5_000;
const rowsMax = 2_000_000;

/** Ends with the first refusal of `visit`. The last page can be empty. */
export async function visitPricedPages(
  db: Queryable,
  span: LedgerSpan,
  visit: (page: readonly PricedRow[]) => Promise<Refusal | null>,
): Promise<Refusal | null> {
  let place: LedgerPlace | null = null;
  let read = 0;
  for (;;) {
    const rows: LedgerRow[] = await repricedPage(db, span, { place, limit: pageRows });
    place = rows.at(-1) ?? null;
    read += rows.length;
    if (read > rowsMax) return tooMany;
    const held = Map.groupBy(await correctionsOf(db, rows), ({ usage_id: id }) => id);
    const refusal = await visit(rows.map((row) => ({ row, held: held.get(row.id) ?? [] })));
    if (refusal !== null || rows.length < pageRows) return refusal;
  }
}

const tooMany = refuse(
  'too_large',
  `the range has more than ${rowsMax} rows; choose a shorter one, or one model`,
);

/** The amounts of a row by currency, after its corrections. Currencies are never added together. */
export function correctedAmounts({ row, held }: PricedRow): Map<string, number> {
  const amounts = new Map([[row.currency, row.cost_micros ?? 0]]);
  for (const { currency, delta_micros: delta } of held) {
    amounts.set(currency, (amounts.get(currency) ?? 0) + delta);
  }
  return amounts;
}

/** Null means unpriced. */
export function correctedCost({ row, held }: PricedRow): number | null {
  const last = held.find((one) => one.is_last);
  return last === undefined ? row.cost_micros : last.cost_micros;
}

/** Larger sums, which only a faulty price can cause, are capped: answers hold no larger integers. */
export const exactSum = (sum: number): number =>
  Math.max(Number.MIN_SAFE_INTEGER, Math.min(sum, Number.MAX_SAFE_INTEGER));
