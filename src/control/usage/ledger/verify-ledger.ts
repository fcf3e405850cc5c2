// Proves the ledger of usage: sums equal their rows, costs equal counts times the prices of their version, and the numbers
// of each proxy process have no unexplained gap. All statements see one state of the database.

import type { Queryable } from '@databases/pg';

import type { Database } from '../../../db/pool.ts';
import { strayBudgets } from '../../../db/usage/budget-usage.ts';
import { countRuns, numberGaps, uncountedDrops } from '../../../db/usage/ledger/ledger-numbers.ts';
import type { NumberGap } from '../../../db/usage/ledger/ledger-numbers.ts';
import { ledgerPage } from '../../../db/usage/ledger/ledger-rows.ts';
import type { LedgerPlace, LedgerRow } from '../../../db/usage/ledger/ledger-rows.ts';
import {
  readOneState,
  rolledUpCounts,
  strayCorrections,
  strayDays,
} from '../../../db/usage/ledger/ledger-sums.ts';
import type { Clock } from '../../../lib/clock.ts';
import { refuse } from '../../../lib/refusal.ts';
import type { Refusal } from '../../../lib/refusal.ts';
import { MonthTotals } from './month-totals.ts';
import { NumberSet } from './number-set.ts';
import { costOfRow, isPricedByCard, PriceBook } from './price-book.ts';

/** All but `missing_rows` mean that someone changed the database. */
export const problemKinds = [
  'missing_rows',
  'deleted_rows',
  'unexpected_rows',
  'duplicate_number',
  'changed_cost',
  'unknown_prices',
  'changed_hours',
  'changed_sums',
  'budget',
  'dropped_rows',
  'stray_correction',
] as const;

/** `kind` says what is wrong. The other members name where. */
export type LedgerProblem = Readonly<{
  kind: (typeof problemKinds)[number];
  problem: string;
  replica?: string;
  run?: string;
  first?: number;
  last?: number;
  id?: string;
}>;

export type LedgerCheck = Readonly<{
  rows: number;
  /** Requests that are only in hourly sums. */
  rolledUp: number;
  runs: number;
  /** Rows whose cost was computed again. */
  recomputed: number;
  /** Rows with a cost of which the version of the prices is unknown: older releases stored them. */
  unversioned: number;
  /** Rows without a number, of older proxies. Nothing shows that one of them is missing. */
  unnumbered: number;
  /** Numbers that were assigned lately and can still arrive. */
  pending: readonly NumberGap[];
  /** The first problems. */
  problems: readonly LedgerProblem[];
  problemCount: number;
}>;

const pageRows = 20_000;
const problemsMax = 100;
/** Within this time, a row that was numbered can still be on its way. */
const settleMs = 10 * 60 * 1000;

export type VerifyLedger = () => Promise<LedgerCheck | Refusal>;

/** One check at a time for each process, because it reads the whole ledger. */
export function createVerifyLedger(
  dependencies: Readonly<{ db: Database; clock: Clock }>,
): VerifyLedger {
  let isRunning = false;
  return async () => {
    if (isRunning) return alreadyRunning;
    isRunning = true;
    try {
      return await verifyLedger(dependencies);
    } finally {
      isRunning = false;
    }
  };
}

const alreadyRunning = refuse(
  'too_many',
  'the ledger is already being verified; wait for the end',
  {
    retryAfterSeconds: 30,
  },
);

export const verifyLedger = ({
  db,
  clock,
}: Readonly<{ db: Database; clock: Clock }>): Promise<LedgerCheck> =>
  db.tx(async (tx) => {
    await readOneState(tx);
    const found = new Findings();
    const read = await readRows(tx, found);
    const settled = new Date(clock() - settleMs);
    const gaps = await numberGaps(tx, { present: read.present, settled, limit: problemsMax });
    for (const gap of gaps) if (gap.kind !== 'pending') found.add(gapProblem(gap, gap.kind));
    const { requests: rolledUp } = await checkSums(tx, found);
    for (const [month, sums] of await read.months.differences(tx)) {
      const problem = `the sums for reports of ${month} differ from the ledger: ${sums.join(', ')}`;
      found.add({ kind: 'changed_sums', problem });
    }
    return {
      rows: read.rows,
      rolledUp,
      runs: await countRuns(tx),
      recomputed: read.recomputed,
      unversioned: read.unversioned,
      unnumbered: read.unnumbered,
      pending: gaps.filter(({ kind }) => kind === 'pending'),
      problems: found.problems,
      problemCount: found.count,
    };
  });

class Findings {
  readonly problems: LedgerProblem[] = [];
  count = 0;

  add(problem: LedgerProblem): void {
    this.count++;
    if (this.problems.length < problemsMax) this.problems.push(problem);
  }
}

type Numbered = Readonly<{ replica: string; run: string; numbers: NumberSet }>;

async function readRows(tx: Queryable, found: Findings) {
  const counts = { rows: 0, recomputed: 0, unversioned: 0, unnumbered: 0 };
  const book = new PriceBook();
  const runs = new Map<string, Numbered>();
  const months = new MonthTotals();
  let place: LedgerPlace | null = null;
  for (;;) {
    const page: LedgerRow[] = await ledgerPage(tx, { place, limit: pageRows });
    await book.load(tx, page);
    for (const row of page) {
      months.addRow(row);
      if (!checkNumber(row, runs, found)) counts.unnumbered++;
      const checked = checkCost(row, book, found);
      if (checked !== null) counts[checked]++;
    }
    counts.rows += page.length;
    place = page.at(-1) ?? null;
    if (page.length < pageRows) break;
  }
  const present = [...runs.values()].map(({ replica, run, numbers }) => ({
    replica,
    run,
    numbers: numbers.toString(),
  }));
  return { ...counts, present, months };
}

/** Returns false if the row has no number. */
function checkNumber(row: LedgerRow, runs: Map<string, Numbered>, found: Findings): boolean {
  const { id, replica, run, seq } = row;
  if (run === null || seq === null) return false;
  const key = `${run} ${replica}`;
  const held = runs.get(key) ?? { replica, run, numbers: new NumberSet() };
  runs.set(key, held);
  if (!held.numbers.add(seq)) {
    const problem = `row ${id} has number ${seq} of run ${run} of ${replica}, like another row`;
    found.add({ kind: 'duplicate_number', problem, replica, run, first: seq, last: seq, id });
  }
  return true;
}

/** Null if the row has no cost by a price. */
function checkCost(
  row: LedgerRow,
  book: PriceBook,
  found: Findings,
): 'recomputed' | 'unversioned' | null {
  const { id, replica, price_version: version } = row;
  const prices = version === null ? null : book.version(row.model_id, version);
  if (version !== null && prices === null) {
    const problem = `row ${id} names version ${version} of the prices of model ${row.model_id}, which is not in the log`;
    found.add({ kind: 'unknown_prices', problem, replica, id });
    return null;
  }
  const isByPrice = isPricedByCard(row);
  const booked = row.cost_micros ?? row.estimated_cost_micros;
  if (isByPrice && prices === null) return booked === null ? null : 'unversioned';
  const { cost_micros: cost, estimated_cost_micros: estimate, currency } = costOfRow(row, prices);
  const isSame =
    cost === row.cost_micros &&
    estimate === row.estimated_cost_micros &&
    (!isByPrice || currency === row.currency);
  if (!isSame) {
    const amounts = `${booked} ${row.currency}, but its counts cost ${cost ?? estimate} ${currency}`;
    const problem = `the cost of row ${id} of ${replica} is ${amounts} (micro-units)`;
    found.add({ kind: 'changed_cost', problem, replica, id });
  }
  return isByPrice ? 'recomputed' : null;
}

const gapTexts = {
  missing: 'never arrived',
  deleted: 'arrived, but the ledger does not have them',
  unexpected: 'are in the ledger, but no proxy delivered them',
} as const;

function gapProblem(
  { replica, run, first, last }: NumberGap,
  kind: keyof typeof gapTexts,
): LedgerProblem {
  const numbers = first === last ? `number ${first}` : `numbers ${first} to ${last}`;
  const problem = `the rows with ${numbers} of run ${run} of ${replica} ${gapTexts[kind]}`;
  return { kind: `${kind}_rows`, problem, replica, run, first, last };
}

async function checkSums(tx: Queryable, found: Findings) {
  for (const { day, hours, folded } of await strayDays(tx)) {
    const problem = `the hourly sums of ${day} differ from what was rolled up: ${hours} and ${folded} requests`;
    found.add({ kind: 'changed_hours', problem });
  }
  const rolledUp = await rolledUpCounts(tx);
  if (rolledUp.numbered !== rolledUp.folded) {
    const problem = `the hourly sums have ${rolledUp.numbered} numbered requests, but ${rolledUp.folded} numbers were rolled up`;
    found.add({ kind: 'changed_hours', problem });
  }
  for (const one of await strayBudgets(tx)) {
    const counted = `${one.counted_tokens} tokens and ${one.counted_cost_micros} micro-units`;
    const summed = `${one.summed_tokens} and ${one.summed_cost_micros}`;
    const problem = `the budget of principal ${one.principal_id} counts ${counted}, but its usage adds up to ${summed}`;
    found.add({ kind: 'budget', problem });
  }
  for (const { reason, dropped, counted } of await uncountedDrops(tx)) {
    const problem = `the log counts ${counted} rows dropped as ${reason}, but the ledger has ${dropped}`;
    found.add({ kind: 'dropped_rows', problem });
  }
  for (const { usage_id: id, reprice_id: reprice } of await strayCorrections(tx, problemsMax)) {
    const problem = `correction ${reprice} of row ${id} has no row`;
    found.add({ kind: 'stray_correction', problem, id });
  }
  return rolledUp;
}
