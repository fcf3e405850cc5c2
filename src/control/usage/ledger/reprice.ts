// Computes costs of past requests again with another version of their prices. Rows never change: the differences are
// appended as corrections, which cancel out when the booked prices are restored.

import type { Queryable } from '@databases/pg';

import type { ConfigState } from '../../../../projections/config/state.ts';
import type { Database } from '../../../db/pool.ts';
import { correctionsOf, repricedPage } from '../../../db/usage/ledger/ledger-rows.ts';
import type { LedgerPlace, LedgerRow, LedgerSpan } from '../../../db/usage/ledger/ledger-rows.ts';
import { addCorrections, claimReprice, discardReprice } from '../../../db/usage/ledger/reprices.ts';
import type { BudgetDelta } from '../../../db/usage/ledger/reprices.ts';
import type { ModelId } from '../../../lib/ids.ts';
import type { Clock } from '../../../lib/clock.ts';
import { isRefusal, refuse } from '../../../lib/refusal.ts';
import type { Refusal } from '../../../lib/refusal.ts';
import { correctionsFor } from './correct-row.ts';
import type { RepriceCard } from './correct-row.ts';
import { PriceBook } from './price-book.ts';
import { RepriceTotals } from './reprice-totals.ts';

export type RepriceAsked = Readonly<{
  /** RFC 3339; the end is exclusive. */
  since: string;
  until: string;
  /** The name of a model. Null means all. */
  model: string | null;
  card: RepriceCard;
}>;

export type Repriced = Readonly<{
  /** Null in a dry run. */
  id: number | null;
  asked: RepriceAsked;
  modelId: ModelId | null;
  rows: number;
  correctedRows: number;
  /** Rows that keep their cost, because the prices do not cover them. */
  unpricedRows: number;
  totals: readonly Readonly<{ currency: string; deltaMicros: number }>[];
  budgets: readonly BudgetDelta[];
}>;

const pageRows = 5_000;
const rowsMax = 2_000_000;
/** A recomputation that wrote no page for this long has stopped. */
const staleMs = 60_000;

export type RepriceDependencies = Readonly<{
  db: Database;
  state: () => ConfigState;
  clock: Clock;
}>;

export type PlanReprice = (
  asked: RepriceAsked,
  how: Readonly<{ isDryRun: boolean }>,
) => Promise<Repriced | Refusal>;

/** Writes the corrections without applying them, unless it is a dry run. */
export const createPlanReprice =
  (dependencies: RepriceDependencies): PlanReprice =>
  async (asked, { isDryRun }) => {
    const span = spanOf(asked, dependencies.state());
    if (isRefusal(span)) return span;
    if (isDryRun) return compute(dependencies, { asked, span, id: null });
    const { db, clock } = dependencies;
    const [at, staleBefore] = [new Date(clock()), new Date(clock() - staleMs)];
    const id = await claimReprice(db, { at, staleBefore });
    if (typeof id !== 'number') {
      return refuse(
        'conflict',
        `a recomputation that began at ${id.toISOString()} is running; retry`,
      );
    }
    try {
      const made = await compute(dependencies, { asked, span, id });
      if (isRefusal(made)) await discardReprice(db, id);
      return made;
    } catch (error) {
      await discardReprice(db, id);
      throw error;
    }
  };

type Span = LedgerSpan & Readonly<{ modelId: ModelId | null }>;

function spanOf(asked: RepriceAsked, { model: models }: ConfigState): Span | Refusal {
  const { since, until, model: name, card } = asked;
  if (Date.parse(since) >= Date.parse(until)) {
    return refuse('invalid', `since ${since} is not before until ${until}`, { param: 'since' });
  }
  if (typeof card === 'number' && name === null) {
    return refuse(
      'invalid',
      `card: version ${card} needs a model, because each model has its own`,
      {
        param: 'card',
      },
    );
  }
  if (name === null) return { since, until, modelId: null };
  const model = [...models.byId.values()].find((one) => one.name === name);
  if (model === undefined) {
    return refuse('invalid', `model: no model is named ${name}`, { param: 'model' });
  }
  return { since, until, modelId: model.id };
}

type Computed = Readonly<{ asked: RepriceAsked; span: Span; id: number | null }>;

async function compute(
  { db, clock }: RepriceDependencies,
  { asked, span, id }: Computed,
): Promise<Repriced | Refusal> {
  const nowMs = clock();
  const book = new PriceBook();
  const totals = new RepriceTotals();
  let place: LedgerPlace | null = null;
  for (;;) {
    const page: LedgerRow[] = await repricedPage(db, span, { place, limit: pageRows });
    place = page.at(-1) ?? null;
    totals.rows += page.length;
    if (totals.rows > rowsMax) return tooMany;
    await book.load(db, page);
    const missing = refuseVersion(asked, span, book);
    if (missing !== null && page.length > 0) return missing;
    const made = await correctPage(db, { page, card: asked.card, book, nowMs, totals });
    const at = new Date(clock());
    if (id !== null && !(await addCorrections(db, { id, at }, made))) return overtaken;
    if (page.length < pageRows) break;
  }
  return { id, asked, modelId: span.modelId, ...totals.result() };
}

const tooMany = refuse(
  'too_large',
  `the range has more than ${rowsMax} rows; choose a shorter one, or one model`,
);
const overtaken = refuse('conflict', 'another recomputation took over; retry');

function refuseVersion(
  { card }: RepriceAsked,
  { modelId }: LedgerSpan,
  book: PriceBook,
): Refusal | null {
  if (typeof card !== 'number' || book.version(modelId, card) !== null) return null;
  const message = `card: model ${modelId} has no version ${card} of its prices`;
  return refuse('invalid', message, { param: 'card' });
}

type Page = Readonly<{
  page: readonly LedgerRow[];
  card: RepriceCard;
  book: PriceBook;
  nowMs: number;
  totals: RepriceTotals;
}>;

async function correctPage(db: Queryable, { page, card, book, nowMs, totals }: Page) {
  const before = Map.groupBy(await correctionsOf(db, page), ({ usage_id: id }) => id);
  return page.flatMap((row) => {
    const prices = pricesFor(row, { card, book, nowMs });
    const made = correctionsFor(row, { held: before.get(row.id) ?? [], card, prices });
    if (made === null) totals.unpricedRows++;
    else totals.add(row, made);
    return made ?? [];
  });
}

const pricesFor = (
  { model_id: id }: LedgerRow,
  { card, book, nowMs }: Omit<Page, 'page' | 'totals'>,
) => (typeof card === 'number' ? book.version(id, card) : book.at(id, nowMs));
