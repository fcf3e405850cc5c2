// Stores batches of usage rows (specification, "Usage event").

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery } from '@databases/pg';
import { z } from 'zod';

import { addSpend, holdBudgets, readSpend } from './budget-usage.ts';
import type { CountedSpend, Spend } from './budget-usage.ts';
import { baseType, idents } from '../columns.ts';
import { writeKeyUses } from './key-uses.ts';
import type { Database } from '../pool.ts';
import { integer, readRows, text, time } from '../rows.ts';
import { defaultCurrency } from '../../lib/vocabulary.ts';
import { addDropped, addReceived, raiseAssigned } from './usage-runs.ts';
import type { Dropped, Numbers, Run } from './usage-runs.ts';
import { usageEventColumns } from './usage-events.ts';
import type { UsageRecord } from './usage-events.ts';

/** The budget window that a row counts in is decided when the row is stored. */
export type StoredUsage = Omit<
  UsageRecord,
  'matched_headers' | 'rule_inputs' | 'server_tool_calls'
> &
  Readonly<{
    matched_headers: readonly string[];
    rule_inputs: object | null;
    server_tool_calls: object | null;
  }>;

const columns = { ...usageEventColumns, budget_window: 'timestamptz' } as const;

/** The counted values of an inserted row. */
const insertedUsage = z.object({
  principal_id: integer,
  key_id: integer.nullable(),
  at: time,
  received_at: time,
  prompt_tokens: integer,
  completion_tokens: integer,
  cost_micros: integer.nullable(),
  estimated_cost_micros: integer.nullable(),
  currency: text.nullable(),
  budget_window: time.nullable(),
});

/** The budgets of the batch's principals after its rows were counted, and the amounts added. */
export type CountedUsage = Readonly<{
  budgets: readonly CountedSpend[];
  added: readonly Spend[];
}>;

const nothingCounted: CountedUsage = { budgets: [], added: [] };

/** A batch of usage as it is stored. */
export type StoredBatch = Readonly<{
  rows: readonly StoredUsage[];
  /** Rows of the batch that cannot be stored. */
  dropped: readonly Dropped[];
  /** The process that sent the batch, and the highest number that it has assigned. */
  sender: (Run & Readonly<{ assigned: number }>) | null;
  at: Date;
}>;

/** Runs in the transaction, which holds these budgets. */
type OnCounted = (tx: Queryable, budgets: readonly CountedSpend[]) => Promise<void>;

/**
 * Inserts all rows or none, and skips rows whose id exists. In the same transaction, adds new rows
 * to the budgets of their principals and records the uses of their keys and their numbers, so that
 * a repeated batch counts once. Budgets stay locked until the transaction ends, so the result includes every row of
 * the batch that was ever counted, and no row that is counted later.
 */
export async function insertUsage(
  db: Database,
  { rows, dropped, sender, at }: StoredBatch,
  onCounted: OnCounted = async () => {},
): Promise<CountedUsage> {
  if (rows.length === 0 && dropped.length === 0 && sender === null) return nothingCounted;
  return db.tx(async (tx) => {
    const counted = rows.length === 0 ? nothingCounted : await insertRows(tx, rows);
    if (counted.budgets.length > 0) await onCounted(tx, counted.budgets);
    await addReceived(tx, rows.flatMap(numberOf), at);
    await addDropped(tx, dropped);
    if (sender !== null) await raiseAssigned(tx, { ...sender, at });
    return counted;
  });
}

async function insertRows(tx: Queryable, rows: readonly StoredUsage[]): Promise<CountedUsage> {
  const months = new Set(rows.map(({ at }) => at.toISOString().slice(0, 7)));
  for (const month of months) {
    await tx.query(sql`select op.ensure_usage_month(${`${month}-01T00:00:00Z`}::timestamptz)`);
  }
  const windows = await holdBudgets(tx, [...new Set(rows.map((row) => row.principal_id))]);
  const records = rows.map((row) => ({
    ...row,
    budget_window: windows.get(row.principal_id) ?? null,
  }));
  const inserted = await readRows(tx, insertedUsage)`${insertion(records)}`;
  await writeKeyUses(tx, inserted);
  if (windows.size === 0) return nothingCounted;
  const added = spendOf(inserted.filter((row) => row.budget_window !== null));
  if (added.length > 0) await addSpend(tx, added);
  return { budgets: await readSpend(tx, [...windows.keys()]), added };
}

const numberOf = ({ replica, run, seq }: StoredUsage): Numbers[] =>
  run === null || seq === null ? [] : [{ replica, run, first: seq, last: seq }];

/** Inserts rows that do not exist yet, and returns them. */
function insertion(rows: readonly Readonly<Record<string, unknown>>[]): SQLQuery {
  const values = Object.entries(columns).map(([name, type]) => {
    const column = rows.map((row) => row[name]);
    const given = type.startsWith('jsonb') ? column.map(jsonOf) : column;
    return sql`${given}::${baseType(type)}[]`;
  });
  return sql`
    insert into op.usage_events (${idents(Object.keys(columns))})
    select * from unnest(${sql.join(values, sql`, `)})
    on conflict do nothing
    returning ${idents(Object.keys(insertedUsage.shape))}`;
}

const jsonOf = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

type Counted = z.output<typeof insertedUsage>;

/** The sums of these rows by principal. Rows without a price add no cost. */
function spendOf(rows: readonly Counted[]): Spend[] {
  const byPrincipal = Map.groupBy(rows, (row) => row.principal_id);
  return [...byPrincipal].map(([principalId, own]) => ({
    principalId,
    tokens: exactSum(own.flatMap((row) => [row.prompt_tokens, row.completion_tokens])),
    costMicros: exactSum(own.map(chargeOf)),
  }));
}

/** Budgets of money are in the default currency. */
const chargeOf = ({ currency, cost_micros, estimated_cost_micros }: Counted): number =>
  (currency ?? defaultCurrency) === defaultCurrency
    ? (cost_micros ?? estimated_cost_micros ?? 0)
    : 0;

/** At most 2^53 - 1. */
const exactSum = (values: readonly number[]): number =>
  values.reduce((sum, value) => Math.min(sum + value, Number.MAX_SAFE_INTEGER), 0);
