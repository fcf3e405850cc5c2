// Compares a provider's bill with the ledger, and lists and shows the stored reports. It changes no
// configuration, but as a POST under /admin it requires config:write (Authentication rule 3).

import { z } from 'zod';

import {
  report,
  reportFacts,
  reports,
  reconcileBill,
  storedDifference,
  storeReport,
} from '../../control/usage/reconcile-bill.ts';
import { shownText, timestamp } from '../../lib/fields.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import { defaultCurrency } from '../../lib/vocabulary.ts';
import { comparisonPeriods } from '../../usage/bill/compare.ts';
import { csvFormatNames } from '../../usage/bill/formats.ts';
import { dayOf, readTime } from '../../usage/bill/line.ts';
import { billLengthMax } from '../../usage/bill/read-bill.ts';
import { mutate } from '../http/mutation.ts';
import { none, route } from '../http/route.ts';
import type { UsageNeeds } from './needs.ts';

const reportRecord = reportFacts.extend({
  id: z.uuid().meta({ examples: ['7d0f6d8e-1f5a-4c34-9d0b-0c2c3f8b1a55'] }),
  created_at: timestamp,
  /** Null for reports made on the command line. */
  principal_id: z.int().nullable(),
});
const wholeReport = reportRecord.extend({
  /** Largest first, at most 5,000. */
  differences: z.array(storedDifference).readonly(),
});

const day = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a day such as 2026-11-23')
  .refine((text) => dayOf(readTime(text) ?? Number.NaN) === text, 'must be a day of the calendar');

const columnName = shownText(200).optional();
const columns = z.strictObject({
  date: columnName,
  /** The end of the period of a line. */
  end: columnName,
  model: columnName,
  amount: columnName,
  currency: columnName,
  tokens: columnName,
  /** Tokens of a line are only read if its unit is Tokens. */
  unit: columnName,
});

/** A JSON string can be longer than the text: a line break takes two bytes. */
const bodyBytesMax = 16 * 1024 * 1024;
const providersMax = 50;
/** A million units of the currency. */
const toleranceMax = 1_000_000_000_000;

const reconciliation = z.strictObject({
  /** The file as text: CSV, or JSON of a cost API. */
  content: z.string().min(1).max(billLengthMax),
  file_name: shownText(200).optional(),
  /** Names of providers of gw whose usage is on the bill. Empty compares all usage. */
  providers: z.array(shownText(200)).max(providersMax).readonly().default([]),
  /** The format of a CSV file. If absent, it is recognised by its columns. */
  format: z.enum(csvFormatNames).optional(),
  /** The names of columns in a CSV file that has no known format. */
  columns: columns.default({}),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be a code of three letters such as USD')
    .default(defaultCurrency),
  by: z.enum(comparisonPeriods).default('day'),
  first_day: day.optional(),
  last_day: day.optional(),
  /** A difference of at most this amount is ignored. */
  tolerance_micros: z.int().nonnegative().max(toleranceMax).default(10_000),
  /** A difference of at most this percentage of the bill is ignored. */
  tolerance_percent: z.number().nonnegative().max(100).default(1),
});

const reading = { method: 'GET', permission: 'usage:read', query: none, body: none } as const;

export const billReconciliationRoutes = [
  route({
    ...reading,
    path: '/admin/usage/reconciliations',
    operation: 'listBillReconciliations',
    summary: 'List the last 200 comparisons of bills with the ledger, newest first',
    refusals: [],
    params: none,
    response: z.array(reportRecord),
    handle: async (_input, _call, needs: UsageNeeds) => ({
      body: (await reports(needs.reports)).flatMap((row) => toRecord(row) ?? []),
    }),
  }),
  route({
    ...reading,
    path: '/admin/usage/reconciliations/{id}',
    operation: 'getBillReconciliation',
    summary: 'Get a comparison of a bill with the ledger, with its differences',
    refusals: ['absent'],
    params: z.strictObject({ id: z.uuid() }),
    response: wholeReport,
    handle: async ({ params: { id } }, _call, needs: UsageNeeds) => {
      const row = await report(needs.reports, id);
      const record = row === null ? null : toRecord(row);
      const differences = z.array(storedDifference).safeParse(row?.differences);
      if (record === null || !differences.success) return absent(id);
      return { body: { ...record, differences: differences.data } };
    },
  }),
  route({
    method: 'POST',
    path: '/admin/usage/reconciliations',
    operation: 'reconcileBill',
    permission: 'config:write',
    summary: "Compare a provider's bill with the ledger, and store the differences as a report",
    status: 201,
    refusals: [],
    params: none,
    query: none,
    bodyBytesMax,
    body: reconciliation,
    response: wholeReport,
    handle: async ({ body }, call, { reports: db, clock }: UsageNeeds) => {
      await call.config.refresh();
      const made = await reconcileBill(
        { db, state: call.config.state, clock },
        {
          content: body.content,
          fileName: body.file_name ?? null,
          providers: body.providers,
          format: body.format ?? null,
          columns: body.columns,
          currency: body.currency,
          by: body.by,
          firstDay: body.first_day ?? null,
          lastDay: body.last_day ?? null,
          toleranceMicros: body.tolerance_micros,
          tolerancePercent: body.tolerance_percent,
        },
      );
      if (isRefusal(made)) return made;
      const principalId = 'principalId' in call.caller ? call.caller.principalId : null;
      return mutate(call, { command: made.command }, async (_outcome, tx) => {
        await storeReport(tx, made, principalId);
        return {
          id: made.id,
          created_at: made.createdAt.toISOString(),
          principal_id: principalId,
          ...made.facts,
          differences: made.differences,
        };
      });
    },
  }),
] as const;

type Row = Awaited<ReturnType<typeof reports>>[number];

/** Null if another release stored the report in another format. */
function toRecord({ id, created_at: at, principal_id, report: stored }: Row) {
  const facts = reportFacts.safeParse(stored);
  return facts.success ? { id, created_at: at.toISOString(), principal_id, ...facts.data } : null;
}

const absent = (id: string) => refuse('absent', `reconciliation ${id} does not exist`);
