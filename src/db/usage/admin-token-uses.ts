// Stores when admin tokens were last used.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { adminTokenId } from '../../lib/ids.ts';
import type { AdminTokenId } from '../../lib/ids.ts';
import { readRows, time } from '../rows.ts';

const tokenUse = z.object({ id: adminTokenId, at: time });

/** Keeps a later use that another replica recorded. */
export async function writeAdminTokenUse(
  db: Queryable,
  { id, at }: Readonly<{ id: AdminTokenId; at: Date }>,
): Promise<void> {
  await db.query(sql`
    insert into op.admin_token_uses (token_id, last_used_at) values (${id}, ${at})
    on conflict (token_id) do update set last_used_at = excluded.last_used_at
    where op.admin_token_uses.last_used_at < excluded.last_used_at`);
}

/** Omits tokens that were never used. */
export async function readAdminTokenUses(
  db: Queryable,
  ids: readonly AdminTokenId[],
): Promise<ReadonlyMap<AdminTokenId, Date>> {
  const rows = await readRows(db, tokenUse)`
    select token_id as id, last_used_at as at from op.admin_token_uses
    where token_id = any(${[...ids]}::bigint[])`;
  return new Map(rows.map(({ id, at }) => [id, at]));
}
