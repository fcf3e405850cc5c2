// Reads what a backup must contain, so that a restored copy can be compared with it. Also reads databases of earlier releases.

import { IsolationLevel, sql } from '@databases/pg';
import type { Queryable, Transaction } from '@databases/pg';
import { z } from 'zod';

import type { Database } from '../pool.ts';
import { flag, integer, readRow, readRows, readValue, readValues, text } from '../rows.ts';

/** Sums are texts, because they can exceed safe integers. */
const usageRow = z.object({
  currency: text,
  requests: text,
  prompt_tokens: text,
  completion_tokens: text,
  cost_micros: text,
});
const sumRow = z.object({ precision: text, currency: text, requests: text, cost_micros: text });

export const backupFacts = z.object({
  log_id: text,
  events: integer,
  /** The head of the log. */
  hash: text,
  vault_items: integer,
  /** Files of the usage archive that the log names. */
  archive_files: integer,
  usage: z.array(usageRow),
  usage_sums: z.array(sumRow),
});
export type BackupFacts = Readonly<z.output<typeof backupFacts>>;

const head = backupFacts.pick({
  log_id: true,
  events: true,
  hash: true,
  vault_items: true,
  archive_files: true,
});

export async function readBackupFacts(db: Queryable): Promise<BackupFacts> {
  const read = await readRow(db, head)`
    select log_id::text, position as events, encode(hash, 'hex') as hash,
      (select count(*) from vault.items where body is not null) as vault_items,
      (select count(*) from es.events where type = 'UsageArchived') as archive_files
    from es.log_head`;
  if (read === null) throw new Error('the event log has no head');
  return { ...read, usage: await readUsage(db), usage_sums: await readSums(db) };
}

async function readUsage(db: Queryable): Promise<BackupFacts['usage']> {
  const hasCurrency = await readValue(db, flag)`
    select exists (select from pg_attribute
      where attrelid = 'op.usage_events'::regclass and attname = 'currency')`;
  const currency = hasCurrency === true ? sql`coalesce(currency, '')` : sql`''`;
  return readRows(db, usageRow)`
    select ${currency} as currency, count(*)::text as requests,
      coalesce(sum(prompt_tokens), 0)::text as prompt_tokens,
      coalesce(sum(completion_tokens), 0)::text as completion_tokens,
      coalesce(sum(cost_micros), 0)::text as cost_micros
    from op.usage_events group by 1 order by 1`;
}

async function readSums(db: Queryable): Promise<BackupFacts['usage_sums']> {
  const isThere = await readValue(db, flag)`select to_regclass('op.usage_sums') is not null`;
  if (isThere !== true) return [];
  return readRows(db, sumRow)`
    select precision, currency, sum(requests)::text as requests,
      coalesce(sum(cost_micros), 0)::text as cost_micros
    from op.usage_sums group by 1, 2 order by 1, 2`;
}

/** The ids of the keys that encrypt the vault. */
export const vaultKeyIds = (db: Queryable): Promise<readonly string[]> =>
  readValues(db, text)`select distinct key_id from vault.items where body is not null`;

export const isEmptyDatabase = async (db: Queryable): Promise<boolean> =>
  (await readValue(db, flag)`select to_regnamespace('es') is null`) === true;

/** `id` lets another session see the same data as `tx`, until `work` ends. */
export const withSnapshot = <Value>(
  db: Database,
  work: (tx: Transaction, id: string) => Promise<Value>,
): Promise<Value> =>
  db.tx(
    async (tx) => {
      const id = await readValue(tx, text)`select pg_export_snapshot()`;
      if (id === null) throw new Error('the database exported no snapshot');
      return work(tx, id);
    },
    {
      isolationLevel: IsolationLevel.REPEATABLE_READ,
      readOnly: true,
      idleInTransactionSessionTimeoutMilliseconds: 0,
    },
  );
