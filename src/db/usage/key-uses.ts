// Stores when API keys were last used.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { apiKeyId } from '../../lib/ids.ts';
import type { ApiKeyId } from '../../lib/ids.ts';
import { readRows, time } from '../rows.ts';

/** `key_id` is null if the request used another way to authenticate. */
export type KeyUse = Readonly<{ key_id: number | null; at: Date; received_at: Date }>;

/** Locks keys in order within one statement, so that batches with the same keys cannot deadlock. */
export async function writeKeyUses(db: Queryable, uses: readonly KeyUse[]): Promise<void> {
  const last = new Map<number, Date>();
  for (const { key_id: id, at, received_at: receivedAt } of uses) {
    // Caps times at now, because a proxy's clock may be ahead.
    const usedAt = at < receivedAt ? at : receivedAt;
    if (id !== null && usedAt > (last.get(id) ?? new Date(0))) last.set(id, usedAt);
  }
  if (last.size === 0) return;
  await db.query(sql`
    insert into op.key_uses (key_id, last_used_at)
    select * from unnest(${[...last.keys()]}::bigint[], ${[...last.values()]}::timestamptz[])
      as used (id, at)
    order by id
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
