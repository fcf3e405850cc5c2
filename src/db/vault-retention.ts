// Items of the vault that the configuration has let go of: marked when that happens, erased when their retention is over
// (docs/adr/0003-vault.md). The row stays, empty, so that a ref in the log still leads to when it was erased.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';

export async function supersedeItems(
  tx: Queryable,
  refs: readonly string[],
  at: Date,
): Promise<void> {
  await tx.query(sql`
    update vault.items set superseded_at = ${at}
    where ref = any(${[...refs]}::uuid[]) and superseded_at is null`);
}

/** `subject` is the stream that the item belonged to. */
export type SupersededItem = Readonly<{ ref: string; subject: string }>;

/** At most `limit` of those superseded before `horizon`, the oldest first. */
export const listSuperseded = (
  db: Queryable,
  { horizon, limit }: Readonly<{ horizon: Date; limit: number }>,
): Promise<SupersededItem[]> =>
  db.query(sql`
    select ref, subject from vault.items
    where superseded_at < ${horizon} and body is not null
    order by superseded_at, ref limit ${limit}`);

/** How many of these are superseded and not erased yet. */
export async function countSuperseded(db: Queryable, refs: readonly string[]): Promise<number> {
  const [row]: { items: number }[] = await db.query(sql`
    select count(*) as items from vault.items
    where ref = any(${[...refs]}::uuid[]) and superseded_at is not null and body is not null`);
  return row?.items ?? 0;
}

export async function eraseItems(tx: Queryable, refs: readonly string[], at: Date): Promise<void> {
  await tx.query(sql`
    update vault.items set body = null, erased_at = ${at}
    where ref = any(${[...refs]}::uuid[]) and body is not null`);
}

/** Of what is referred to again. */
export async function keepItems(tx: Queryable, refs: readonly string[]): Promise<void> {
  await tx.query(sql`
    update vault.items set superseded_at = null where ref = any(${[...refs]}::uuid[])`);
}
