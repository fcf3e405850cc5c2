// Compares a provider's bill with the ledger, and stores the differences as a report. The log
// records the totals of each report.

import { createHash, randomUUID } from 'node:crypto';

import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import type { ConfigState } from '../../../projections/config/state.ts';
import { insertReport, listReports, readReport } from '../../db/usage/bill-reconciliations.ts';
import type { ReportRow } from '../../db/usage/bill-reconciliations.ts';
import { usageByDay, usedProviders } from '../../db/usage/usage-by-day.ts';
import type { DayRange } from '../../db/usage/usage-by-day.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { listed } from '../../lib/text.ts';
import type { Clock } from '../../lib/clock.ts';
import { compareBill, comparisonPeriods, differenceKinds } from '../../usage/bill/compare.ts';
import type { Comparison, ComparisonPeriod, Difference } from '../../usage/bill/compare.ts';
import type { CsvFormatName } from '../../usage/bill/formats.ts';
import { nextDay } from '../../usage/bill/line.ts';
import type { Day } from '../../usage/bill/line.ts';
import { readBill } from '../../usage/bill/read-bill.ts';
import type { Bill } from '../../usage/bill/read-bill.ts';
import type { ChosenColumns } from '../../usage/bill/read-csv.ts';
import { defaultCurrency } from '../../lib/vocabulary.ts';
import type { CommandOf } from '../commands/execute.ts';

export type BillGiven = Readonly<{
  content: string;
  fileName: string | null;
  /** Names of providers of gw whose usage is on the bill. Empty means all. */
  providers: readonly string[];
  format: CsvFormatName | null;
  columns: ChosenColumns;
  /** The currency of lines without one. */
  currency: string;
  by: ComparisonPeriod;
  /** The first and last day to compare. Null takes the days of the bill. */
  firstDay: Day | null;
  lastDay: Day | null;
  toleranceMicros: number;
  tolerancePercent: number;
}>;

const total = z.object({
  currency: z.string(),
  bill_micros: z.int(),
  ledger_micros: z.int(),
  /** The bill minus the ledger. */
  difference_micros: z.int(),
});

/** The facts of a report. Stored as JSON. */
export const reportFacts = z.object({
  file_name: z.string().nullable(),
  /** The hash of the file in UTF-8. */
  file_sha256: z.string(),
  format: z.string(),
  /** Empty for all providers. */
  providers: z.array(z.string()).readonly(),
  first_day: z.string(),
  last_day: z.string(),
  by: z.enum(comparisonPeriods),
  tolerance_micros: z.int(),
  tolerance_percent: z.number(),
  lines: z.int(),
  /** Lines without an amount, and lines outside of the compared days. */
  skipped_lines: z.int(),
  totals: z.array(total).readonly(),
  /** Pairs of period and model that agree. */
  matches: z.int(),
  difference_count: z.int(),
});
export type ReportFacts = Readonly<z.output<typeof reportFacts>>;

export const storedDifference = z.object({
  kind: z.enum(differenceKinds),
  /** A UTC day such as 2026-11-23, or a month such as 2026-11. */
  period: z.string(),
  /** The upstream name of the model. Null for usage and charges without a model. */
  model: z.string().nullable(),
  /** The names of the model on the bill, at most 20. */
  billed_as: z.array(z.string()).readonly(),
  currency: z.string(),
  /** Null if the bill has no charge. */
  bill_micros: z.int().nullable(),
  /** Null if the ledger has no priced usage. */
  ledger_micros: z.int().nullable(),
  difference_micros: z.int(),
  /** The difference as a percentage of the bill. Null if the bill has nothing. */
  percent: z.number().nullable(),
  bill_tokens: z.int().nullable(),
  ledger_tokens: z.int(),
  unpriced_requests: z.int(),
});
export type StoredDifference = Readonly<z.output<typeof storedDifference>>;

/** The differences that a report stores, the largest first. */
export const differencesMax = 5_000;

export type Reconciled = Readonly<{
  id: string;
  createdAt: Date;
  facts: ReportFacts;
  differences: readonly StoredDifference[];
  command: CommandOf<'RecordBillReconciliation'>;
}>;

type Tools = Readonly<{ db: Queryable; state: () => ConfigState; clock: Clock }>;

const daysMax = 400;
const dayMs = 86_400_000;

/** Reads and compares. Nothing is stored until `storeReport` runs with the command. */
export async function reconcileBill(
  { db, state, clock }: Tools,
  given: BillGiven,
): Promise<Reconciled | Refusal> {
  const bill = readBill(given.content, given);
  if (isRefusal(bill)) return bill;
  const days = daysOf(bill, given);
  const range = rangeOf(days, given.providers);
  if (isRefusal(range)) return range;
  const unknown = await refuseUnknownProviders(db, state(), range);
  if (unknown !== null) return unknown;
  const rows = await usageByDay(db, range);
  const lines = bill.lines.filter(({ day }) => day >= days.first && day <= days.last);
  const comparison = compareBill({
    bill: lines,
    ledger: rows.map((row) => ({
      day: row.day,
      model: row.model,
      currency: row.currency ?? defaultCurrency,
      micros: row.micros === null ? null : BigInt(row.micros),
      unpricedRequests: BigInt(row.unpriced_requests),
      tokens: BigInt(row.tokens),
    })),
    upstreamNames: upstreamNamesIn(state()),
    by: given.by,
    tolerance: { micros: given.toleranceMicros, percent: given.tolerancePercent },
  });
  const outside = bill.lines.length - lines.length;
  const facts = factsOf(
    given,
    { ...bill, skippedLines: bill.skippedLines + outside },
    {
      days,
      comparison,
      lines: lines.length,
    },
  );
  const id = randomUUID();
  return {
    id,
    createdAt: new Date(clock()),
    facts,
    differences: comparison.differences.slice(0, differencesMax).map(toStored),
    command: { type: 'RecordBillReconciliation', report: id, facts },
  };
}

/** Runs in the transaction of the command. */
export const storeReport = (
  tx: Queryable,
  { id, createdAt, facts, differences }: Reconciled,
  principalId: number | null,
): Promise<void> =>
  insertReport(tx, {
    id,
    created_at: createdAt,
    principal_id: principalId,
    report: facts,
    differences,
  });

export const reports = (db: Queryable): Promise<ReportRow[]> => listReports(db);
export const report = readReport;

type Days = Readonly<{ first: Day; last: Day }>;

function daysOf({ lines }: Bill, { firstDay, lastDay, by }: BillGiven): Days {
  const days = lines.flatMap(({ day, lastDay: end }) => [day, end]).toSorted();
  const first = firstDay ?? days[0] ?? '';
  const last = lastDay ?? days.at(-1) ?? '';
  if (by === 'day') return { first, last };
  const afterMonth = new Date(`${last.slice(0, 7)}-01T00:00:00Z`);
  afterMonth.setUTCMonth(afterMonth.getUTCMonth() + 1);
  const end = new Date(afterMonth.getTime() - dayMs).toISOString().slice(0, 10);
  return { first: firstDay ?? `${first.slice(0, 7)}-01`, last: lastDay ?? end };
}

function rangeOf({ first, last }: Days, providers: readonly string[]): DayRange | Refusal {
  const [since, until] = [`${first}T00:00:00Z`, `${nextDay(last)}T00:00:00Z`];
  const span = (Date.parse(until) - Date.parse(since)) / dayMs;
  if (span > 0 && span <= daysMax) return { since, until, providers };
  const problem =
    span > 0 ? `more than ${daysMax} days` : `first_day ${first} is after last_day ${last}`;
  return refuse('invalid', `the bill covers ${first} to ${last}: ${problem}`, {
    param: 'first_day',
  });
}

/** A misspelt name would make everything on the bill a difference. */
async function refuseUnknownProviders(
  db: Queryable,
  { provider }: ConfigState,
  range: DayRange,
): Promise<Refusal | null> {
  const present = [...provider.byId.values()].map(({ name }) => name);
  const unknown = range.providers.find((name) => !present.includes(name));
  if (unknown === undefined) return null;
  const used = await usedProviders(db, range);
  if (range.providers.every((name) => present.includes(name) || used.includes(name))) return null;
  const known = [...new Set([...present, ...used])].toSorted();
  const names = known.length === 0 ? 'there is none' : `known are ${listed(known)}`;
  return refuse('invalid', `providers: ${unknown} is not a provider of gw; ${names}`, {
    param: 'providers',
  });
}

/** The upstream name of each model, by its name in gw. Bills use upstream names. */
const upstreamNamesIn = ({ model }: ConfigState): ReadonlyMap<string, string> =>
  new Map(
    [...model.byId.values()].flatMap(({ name, backend }) =>
      backend === null ? [] : [[name, backend.upstreamModel]],
    ),
  );

type Outcome = Readonly<{ days: Days; comparison: Comparison; lines: number }>;

const factsOf = (
  given: BillGiven,
  bill: Bill,
  { days, comparison, lines }: Outcome,
): ReportFacts => ({
  file_name: given.fileName,
  file_sha256: createHash('sha256').update(given.content).digest('hex'),
  format: bill.format,
  providers: [...given.providers],
  first_day: days.first,
  last_day: days.last,
  by: given.by,
  tolerance_micros: given.toleranceMicros,
  tolerance_percent: given.tolerancePercent,
  lines,
  skipped_lines: bill.skippedLines,
  totals: comparison.totals.map((one) => ({
    currency: one.currency,
    bill_micros: one.billMicros,
    ledger_micros: one.ledgerMicros,
    difference_micros: one.differenceMicros,
  })),
  matches: comparison.matches,
  difference_count: comparison.differences.length,
});

const toStored = (one: Difference): StoredDifference => ({
  kind: one.kind,
  period: one.period,
  model: one.model,
  billed_as: [...one.billedAs],
  currency: one.currency,
  bill_micros: one.billMicros,
  ledger_micros: one.ledgerMicros,
  difference_micros: one.differenceMicros,
  percent: one.percent,
  bill_tokens: one.billTokens,
  ledger_tokens: one.ledgerTokens,
  unpriced_requests: one.unpricedRequests,
});
