// Stores batches of usage rows (specification, "Usage event").

import { sql } from '@databases/pg';

import { addSpend, holdBudgets, readSpend } from './budget-usage.ts';
import type { CountedSpend, Spend } from './budget-usage.ts';
import type { UsageEvents_InsertParameters as UsageRow } from './generated/schema.d.ts';
import { writeKeyUses } from './key-uses.ts';
import { operations } from './operations.ts';
import type { Database } from './pool.ts';

/** The budget window that a row counts in is decided when the row is stored. */
export type StoredUsage = Readonly<
  {
    [
      Column in Exclude<keyof UsageRow, 'budget_window' | 'matched_headers' | 'rule_inputs'>
    ]-?: Exclude<UsageRow[Column], undefined>;
  } & {
    matched_headers: readonly string[];
    rule_inputs: object | null;
  }
>;

const columns = [
  'id',
  'at',
  'received_at',
  'replica',
  'principal_id',
  'principal',
  'key_id',
  'model_id',
  'model',
  'provider_id',
  'provider',
  'virtual_model',
  'path',
  'snapshot_version',
  'route',
  'tag',
  'frontend_model_id',
  'rule_id',
  'prompt_class_id',
  'prompt_class',
  'budget_percent',
  'matched_headers',
  'rule_inputs',
  'stream',
  'status',
  'refusal',
  'prompt_tokens',
  'completion_tokens',
  'usage_reported',
  'usage_estimated',
  'cost_micros',
  'estimated_cost_micros',
  'cached',
  'duration_ms',
  'ttft_ms',
  'attempts',
  'prompt_estimate',
  'max_tokens',
  'budget_window',
] as const satisfies readonly (keyof UsageRow)[];

/** The budgets of the principals of a batch once its rows are counted, and what the batch added to them. */
export type CountedUsage = Readonly<{
  budgets: readonly CountedSpend[];
  added: readonly Spend[];
}>;

const nothingCounted: CountedUsage = { budgets: [], added: [] };

/**
 * All rows or none; a row whose id is already there is left as it is. What is new is added to the budgets of its principals in the
 * same transaction: a batch that comes twice counts once. So are the uses of its keys. The budgets are locked until the transaction
 * ends, so the answer includes every row of the batch that was ever counted, and no row that is counted later.
 */
export async function insertUsage(
  db: Database,
  rows: readonly StoredUsage[],
): Promise<CountedUsage> {
  if (rows.length === 0) return nothingCounted;
  return db.tx(async (tx) => {
    const months = new Set(rows.map(({ at }) => at.toISOString().slice(0, 7)));
    for (const month of months) {
      await tx.query(sql`select op.ensure_usage_month(${`${month}-01T00:00:00Z`}::timestamptz)`);
    }
    const windows = await holdBudgets(tx, [...new Set(rows.map((row) => row.principal_id))]);
    const records = rows.map((row) => ({
      ...row,
      budget_window: windows.get(row.principal_id) ?? null,
    }));
    const inserted = await operations
      .usage_events(tx)
      .bulkInsertOrIgnore({ columnsToInsert: columns, records });
    await writeKeyUses(tx, inserted);
    if (windows.size === 0) return nothingCounted;
    const added = spendOf(inserted.filter((row) => row.budget_window !== null));
    if (added.length > 0) await addSpend(tx, added);
    return { budgets: await readSpend(tx, [...windows.keys()]), added };
  });
}

type Counted = Pick<
  StoredUsage,
  'principal_id' | 'prompt_tokens' | 'completion_tokens' | 'cost_micros' | 'estimated_cost_micros'
>;

/** The sums of these rows, one for each principal. A row without a price costs a budget of money nothing. */
function spendOf(rows: readonly Counted[]): Spend[] {
  const byPrincipal = Map.groupBy(rows, (row) => row.principal_id);
  return [...byPrincipal].map(([principalId, own]) => ({
    principalId,
    tokens: exactSum(own.flatMap((row) => [row.prompt_tokens, row.completion_tokens])),
    costMicros: exactSum(own.map((row) => row.cost_micros ?? row.estimated_cost_micros ?? 0)),
  }));
}

/** At most 2^53 - 1. */
const exactSum = (values: readonly number[]): number =>
  values.reduce((sum, value) => Math.min(sum + value, Number.MAX_SAFE_INTEGER), 0);
