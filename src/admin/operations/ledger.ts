// Verifies the ledger of usage, and corrects its costs.

import { z } from 'zod';

import type { Repriced } from '../../control/usage/ledger/reprice.ts';
import { problemKinds } from '../../control/usage/ledger/verify-ledger.ts';
import type { LedgerCheck } from '../../control/usage/ledger/verify-ledger.ts';
import { nameField, timestamp, timestampField } from '../../lib/fields.ts';
import { isRefusal } from '../../lib/refusal.ts';
import type { UsageNeeds } from './needs.ts';
import { mutate, reasonLengthMax } from '../http/mutation.ts';
import { none, route } from '../http/route.ts';

const numbers = {
  replica: z.string(),
  /** The process of the replica, by the ULID of its start. */
  run: z.string(),
  /** The numbers of the first and last row. */
  first: z.int(),
  last: z.int(),
};

export const ledgerCheckRecord = z.object({
  /** Rows in the ledger, and requests that only have hourly sums. */
  rows: z.int(),
  rolled_up_requests: z.int(),
  /** Proxy processes that numbered their rows. */
  runs: z.int(),
  /** Rows whose cost was computed again with the version of the prices that they name. */
  recomputed_rows: z.int(),
  /** Rows with a cost and no version of the prices, stored by an older release. Not recomputed. */
  unversioned_rows: z.int(),
  /** Rows of older proxies, without a number. A missing one is not noticed. */
  unnumbered_rows: z.int(),
  /** Rows that were numbered in the last 10 minutes and have not arrived. */
  pending: z.array(z.object(numbers)).readonly(),
  problem_count: z.int(),
  /** The first 100 problems. */
  problems: z
    .array(
      z.object({
        /** All but `missing_rows` mean that someone changed the database. */
        kind: z.enum(problemKinds),
        problem: z.string(),
        replica: z.string().optional(),
        run: z.string().optional(),
        first: z.int().optional(),
        last: z.int().optional(),
        /** The id of a usage row. */
        id: z.string().optional(),
      }),
    )
    .readonly(),
});

const versionMax = 1_000_000;

const repriceCard = z.union([z.int().positive().max(versionMax), z.enum(['current', 'booked'])]);

export const repriceRecord = z.object({
  dry_run: z.boolean(),
  /** Null in a dry run. */
  reprice_id: z.int().nullable(),
  since: timestamp,
  until: timestamp,
  model: z.string().nullable(),
  card: repriceCard,
  /** Rows that were computed again. */
  rows: z.int(),
  corrected_rows: z.int(),
  /** Rows that keep their cost, because these prices do not cover them. */
  unpriced_rows: z.int(),
  totals: z.array(z.object({ currency: z.string(), delta_micros: z.int() })).readonly(),
});

const repriceBody = z.strictObject({
  since: timestampField,
  /** Exclusive. */
  until: timestampField,
  /** The name of a model. Absent means all models. */
  model: nameField.optional(),
  /**
   * A version of the model's prices, those in effect now (`current`), or those that each row was
   * booked with (`booked`), which cancels earlier corrections.
   */
  card: repriceCard.default('current'),
  dry_run: z.boolean().default(false),
  reason: z.string().max(reasonLengthMax).optional(),
});

export const ledgerRoutes = [
  route({
    method: 'POST',
    path: '/admin/usage/reprice',
    operation: 'repriceUsage',
    permission: 'config:write',
    summary: 'Compute costs of past usage again with other prices, and append the differences',
    refusals: ['conflict', 'too_large'],
    params: none,
    query: none,
    body: repriceBody,
    response: repriceRecord,
    handle: async ({ body }, call, { reprice }: UsageNeeds) => {
      const { since, until, model = null, card, dry_run: isDryRun, reason } = body;
      const breaksGlass = call.headers['x-gw-break-glass'] !== undefined;
      const made = await reprice.plan({ since, until, model, card }, { isDryRun, breaksGlass });
      if (isRefusal(made)) return made;
      const { id } = made;
      if (id === null) return { body: toRepriceRecord(made) };
      return reprice.record({ ...made, id }, ({ conclude, ...mutation }) =>
        mutate(call, { ...mutation, reason }, async (_outcome, tx) => {
          await conclude(tx);
          return toRepriceRecord(made);
        }),
      );
    },
  }),
  route({
    method: 'GET',
    path: '/admin/usage/verify',
    operation: 'verifyUsage',
    permission: 'usage:read',
    summary: 'Verify sums, costs and completeness of the ledger; reads every row',
    refusals: ['too_many'],
    params: none,
    query: none,
    body: none,
    response: ledgerCheckRecord,
    handle: async (_input, _call, { verifyLedger }: UsageNeeds) => {
      const check = await verifyLedger();
      return isRefusal(check) ? check : { body: toRecord(check) };
    },
  }),
] as const;

const toRecord = (check: LedgerCheck): z.input<typeof ledgerCheckRecord> => ({
  rows: check.rows,
  rolled_up_requests: check.rolledUp,
  runs: check.runs,
  recomputed_rows: check.recomputed,
  unversioned_rows: check.unversioned,
  unnumbered_rows: check.unnumbered,
  pending: check.pending.map(({ replica, run, first, last }) => ({ replica, run, first, last })),
  problem_count: check.problemCount,
  problems: check.problems,
});

const toRepriceRecord = (made: Repriced): z.input<typeof repriceRecord> => ({
  dry_run: made.id === null,
  reprice_id: made.id,
  since: made.asked.since,
  until: made.asked.until,
  model: made.asked.model,
  card: made.asked.card,
  rows: made.rows,
  corrected_rows: made.correctedRows,
  unpriced_rows: made.unpricedRows,
  totals: made.totals,
});
