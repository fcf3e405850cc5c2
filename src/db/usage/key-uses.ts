// Stores when API keys were last used.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { apiKeyId } from '../../lib/ids.ts';
import type { ApiKeyId } from '../../lib/ids.ts';
import { readRows, time } from '../rows.ts';

/** `key_id` is null if the requests used another way to authenticate. */
export type KeyUse = Readonly<{ key_id: number | null; used_at: Date }>;

/** Locks keys in order within one statement, so that batches with the same keys cannot deadlock. */
export async function writeKeyUses(db: Queryable, uses: readonly KeyUse[]): Promise<void> {
  const keyed = uses.filter(({ key_id: id }) => id !== null);
  if (keyed.length === 0) return;
  await db.query(sql`
    insert into op.key_uses (key_id, last_used_at)
    select id, max(at) from unnest(
      ${keyed.map((use) => use.key_id)}::bigint[], ${keyed.map((use) => use.used_at)}::timestamptz[]
    ) as used (id, at)
    group by id order by id
    on conflict (key_id) do update set last_used_at = excluded.last_used_at
    where op.key_uses.last_used_at < excluded.last_used_at`);
}

const lastUse = z.object({ id: apiKeyId, at: time });

/** Omits keys that were never used. */
export async function readKeyUses(
  db: Queryable,
  ids: readonly ApiKeyId[],
): Promise<ReadonlyMap<ApiKeyId, Date>> {
  const rows = await readRows(db, lastUse)`
    select key_id as id, last_used_at as at from op.key_uses
    where key_id = any(${[...ids]}::bigint[])`;
  return new Map(rows.map(({ id, at }) => [id, at]));
}
