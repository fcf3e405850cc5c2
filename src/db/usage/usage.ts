// Stores batches of usage rows (specification, "Usage event").

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery } from '@databases/pg';
import { z } from 'zod';

import { addSpend, chargeOf, holdBudgets, readSpend } from './budget-usage.ts';
import type { CountedSpend, Spend } from './budget-usage.ts';
import { arrayOf, baseType, idents } from '../columns.ts';
import { writeKeyUses } from './key-uses.ts';
import type { Database } from '../pool.ts';
import { integer, readRows, time } from '../rows.ts';
import { deltasOfRows } from './sums/add-deltas.ts';
import { addDropped, addReceived, raiseAssigned } from './usage-runs.ts';
import type { Assigned, Dropped, Numbers } from './usage-runs.ts';
import { usageEventColumns } from './usage-events.ts';
import type { UsageRecord } from './usage-events.ts';

/** The budget window that a row counts in is decided when the row is stored. */
export type StoredUsage = Omit<
  UsageRecord,
  'matched_headers' | 'rule_inputs' | 'server_tool_calls' | 'units'
> &
  Readonly<{
    matched_headers: readonly string[];
    rule_inputs: object | null;
    server_tool_calls: object | null;
    units: object | null;
  }>;

const columnTypes = {
  ...usageEventColumns,
  budget_window: 'timestamptz',
  is_summed: 'boolean not null',
} as const;

/** The sums that inserted rows add to the budget of a principal, and the last use of a key. */
const insertedUsage = z.object({
  principal_id: integer,
  key_id: integer.nullable(),
  used_at: time,
  tokens: integer,
  cost_micros: integer,
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
  /** The processes that sent the rows, and the highest number that each has assigned. */
  senders: readonly Assigned[];
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
  { rows, dropped, senders, at }: StoredBatch,
  onCounted: OnCounted = async () => {},
): Promise<CountedUsage> {
  if (rows.length === 0 && dropped.length === 0 && senders.length === 0) return nothingCounted;
  return db.tx(async (tx) => {
    const counted = rows.length === 0 ? nothingCounted : await insertRows(tx, rows);
    if (counted.budgets.length > 0) await onCounted(tx, counted.budgets);
    // Before the numbers of rows, so that all runs of the senders are locked in one order.
    await raiseAssigned(tx, senders, at);
    await addReceived(tx, numbersOf(rows), at);
    await addDropped(tx, dropped);
    return counted;
  });
}

async function insertRows(tx: Queryable, rows: readonly StoredUsage[]): Promise<CountedUsage> {
  const months = new Set(rows.map(({ at }) => at.toISOString().slice(0, 7)));
  for (const month of months) {
    await tx.query(sql`select op.ensure_usage_month(${`${month}-01T00:00:00Z`}::timestamptz)`);
  }
  const windows = await holdBudgets(tx, [...new Set(rows.map((row) => row.principal_id))]);
  const inserted = await readRows(tx, insertedUsage)`${insertion(rows, windows)}`;
  await writeKeyUses(tx, inserted);
  if (windows.size === 0) return nothingCounted;
  const added = spendOf(inserted.filter((row) => windows.has(row.principal_id)));
  if (added.length > 0) await addSpend(tx, added);
  return { budgets: await readSpend(tx, [...windows.keys()]), added };
}

/** Consecutive numbers of a process are one range. */
function numbersOf(rows: readonly StoredUsage[]): Numbers[] {
  const ranges: { replica: string; run: string; first: number; last: number }[] = [];
  for (const { replica, run, seq } of rows) {
    if (run === null || seq === null) continue;
    const range = ranges.at(-1);
    if (range?.run === run && range.replica === replica && range.last + 1 === seq) range.last = seq;
    else ranges.push({ replica, run, first: seq, last: seq });
  }
  return ranges;
}

type Windows = ReadonlyMap<number, Date>;

/** Inserts rows that do not exist yet, adds them to the sums, and returns what they add to budgets by key. */
function insertion(rows: readonly StoredUsage[], windows: Windows): SQLQuery {
  const columns = Object.entries(columnTypes)
    .map(([name, type]) => ({ name, type: baseType(type), values: valuesOf(name, rows, windows) }))
    // Most rows have few of the columns that can be null.
    .filter(({ values }) => values.some((value) => value !== null));
  // Rows have much in common, and an array takes longer to read. An id is always in one.
  const { same = [], given = [] } = Object.groupBy(columns, ({ name, values }) =>
    name !== 'id' && values.every((value) => isEqual(value, values[0])) ? 'same' : 'given',
  );
  const arrays = given.map(({ type, values }) => sql`${arrayOf(values)}::${type}[]`);
  const constants = same.map(({ type, values }) => sql`, ${constantOf(values[0])}::${type}`);
  const names = [...given, ...same].map(({ name }) => name);
  // A use is at most now, because a proxy's clock may be ahead.
  return sql`
    with inserted as (
      insert into op.usage_events (${idents(names)}, archive_generation)
      select given.*${sql.join(constants, sql``)}, (select op.usage_generation())
      from unnest(${sql.join(arrays, sql`, `)}) given
      on conflict do nothing
      returning *
    ), summed as (${deltasOfRows(sql`inserted`)})
    select principal_id, key_id, max(least(at, received_at)) as used_at,
      ${exactSum(sql`prompt_tokens::numeric + completion_tokens`)} as tokens,
      ${exactSum(chargeOf(sql`coalesce(cost_micros, estimated_cost_micros)`))} as cost_micros
    from inserted group by principal_id, key_id`;
}

function valuesOf(
  name: string,
  rows: readonly Readonly<Record<string, unknown>>[],
  windows: Windows,
): unknown[] {
  if (name === 'is_summed') return [true];
  if (name !== 'budget_window') return rows.map((row) => row[name]);
  return rows.map(({ principal_id: id }) =>
    typeof id === 'number' ? (windows.get(id) ?? null) : null,
  );
}

const isEqual = (one: unknown, other: unknown): boolean =>
  one === other ||
  (Array.isArray(one) && Array.isArray(other) && one.length === 0 && other.length === 0);

/** Objects are JSON. */
function constantOf(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

/** At most 2^53 - 1. */
const exactSum = (value: SQLQuery): SQLQuery =>
  sql`least(coalesce(sum(${value}), 0), ${Number.MAX_SAFE_INTEGER})::bigint`;

/** By principal. */
function spendOf(inserted: readonly z.output<typeof insertedUsage>[]): Spend[] {
  const byPrincipal = Map.groupBy(inserted, (one) => one.principal_id);
  return [...byPrincipal].map(([principalId, own]) => ({
    principalId,
    tokens: own.reduce((sum, one) => boundedAdd(sum, one.tokens), 0),
    costMicros: own.reduce((sum, one) => boundedAdd(sum, one.cost_micros), 0),
  }));
}

const boundedAdd = (sum: number, value: number): number =>
  Math.min(sum + value, Number.MAX_SAFE_INTEGER);
