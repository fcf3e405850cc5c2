// Computes costs of past requests again with another version of their prices. Rows never change: the differences are
// appended as corrections, which cancel out when the booked prices are restored.

import { protectedKinds } from '../../../../projections/config/protected-kinds.ts';
import type { ConfigState } from '../../../../projections/config/state.ts';
import type { Database } from '../../../db/pool.ts';
import type { LedgerRow, LedgerSpan } from '../../../db/usage/ledger/ledger-rows.ts';
import { addCorrections, claimReprice, discardReprice } from '../../../db/usage/ledger/reprices.ts';
import type { BudgetDelta } from '../../../db/usage/ledger/reprices.ts';
import type { ModelId } from '../../../lib/ids.ts';
import type { Clock } from '../../../lib/clock.ts';
import { isRefusal, refuse } from '../../../lib/refusal.ts';
import type { Refusal } from '../../../lib/refusal.ts';
import { correctionsFor } from './correct-row.ts';
import type { RepriceCard } from './correct-row.ts';
import { PriceBook } from './price-book.ts';
import { pricedSpan, visitPricedPages, withoutModel } from './priced-pages.ts';
import type { PricedRow, PricedSpan, SpanAsked } from './priced-pages.ts';
import { RepriceTotals } from './reprice-totals.ts';

export type RepriceAsked = SpanAsked & Readonly<{ card: RepriceCard }>;

export type Repriced = Readonly<{
  /** Null in a dry run. */
  id: number | null;
  asked: RepriceAsked;
  modelId: ModelId | null;
  rows: number;
  correctedRows: number;
  /** Rows that keep their cost, because the prices do not cover them. */
  unpricedRows: number;
  /** In the form of the API and of the event. */
  totals: readonly Readonly<{ currency: string; delta_micros: number }>[];
  budgets: readonly BudgetDelta[];
}>;

export type RepriceDependencies = Readonly<{
  db: Database;
  state: () => ConfigState;
  clock: Clock;
}>;

export type PlanReprice = (
  asked: RepriceAsked,
  how: Readonly<{ isDryRun: boolean; breaksGlass: boolean }>,
) => Promise<Repriced | Refusal>;

/** Writes the corrections without applying them, unless it is a dry run. */
export const createPlanReprice =
  (dependencies: RepriceDependencies): PlanReprice =>
  async (asked, { isDryRun, breaksGlass }) => {
    const state = dependencies.state();
    const span = spanOf(asked, state);
    if (isRefusal(span)) return span;
    if (isDryRun) return compute(dependencies, { asked, span, id: null });
    // The transaction decides. This answers before rows are read.
    if (!breaksGlass && protectedKinds(state).includes('prices')) return approvalRequired;
    const { db } = dependencies;
    const id = await claimReprice(db);
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

const approvalRequired = refuse(
  'approval_required',
  'corrections of costs are computed when they are made and cannot be drafted; send ' +
    'x-gw-break-glass with a reason, which requires a review afterwards',
);

function spanOf(asked: RepriceAsked, state: ConfigState): PricedSpan | Refusal {
  const { card, model } = asked;
  if (typeof card === 'number' && model === null) return withoutModel(card);
  return pricedSpan(asked, state);
}

type Computed = Readonly<{ asked: RepriceAsked; span: PricedSpan; id: number | null }>;

async function compute(
  { db, clock }: RepriceDependencies,
  { asked, span, id }: Computed,
): Promise<Repriced | Refusal> {
  const nowMs = clock();
  const book = new PriceBook();
  const totals = new RepriceTotals();
  const refusal = await visitPricedPages(db, span, async (page) => {
    totals.rows += page.length;
    await book.load(
      db,
      page.map(({ row }) => row),
    );
    const missing = refuseVersion(asked, span, book);
    if (missing !== null && page.length > 0) return missing;
    const made = correctPage({ page, card: asked.card, book, nowMs, totals });
    return id === null || (await addCorrections(db, id, made)) ? null : lostPlace;
  });
  return refusal ?? { id, asked, modelId: span.modelId, ...totals.result() };
}

export const lostPlace = refuse(
  'conflict',
  'the recomputation wrote no page for more than a minute, so that its rows may be rolled up or ' +
    'another one took over; no cost was changed; run it again',
);

function refuseVersion(
  { card, model }: RepriceAsked,
  { modelId }: LedgerSpan,
  book: PriceBook,
): Refusal | null {
  if (typeof card !== 'number' || book.version(modelId, card) !== null) return null;
  const message = `card: model ${model} has no version ${card} of its prices`;
  return refuse('invalid', message, { param: 'card' });
}

type Page = Readonly<{
  page: readonly PricedRow[];
  card: RepriceCard;
  book: PriceBook;
  nowMs: number;
  totals: RepriceTotals;
}>;

const correctPage = ({ page, card, book, nowMs, totals }: Page) =>
  page.flatMap((priced) => {
    const prices = pricesFor(priced.row, { card, book, nowMs });
    const made = correctionsFor(priced, { card, prices });
    if (made === null) totals.unpricedRows++;
    else totals.add(priced.row, made);
    return made ?? [];
  });

const pricesFor = (
  { model_id: id }: LedgerRow,
  { card, book, nowMs }: Omit<Page, 'page' | 'totals'>,
) => (typeof card === 'number' ? book.version(id, card) : book.at(id, nowMs));
