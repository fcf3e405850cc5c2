// Marks vault items that the configuration no longer references as superseded, and erases them
// after their retention (docs/adr/0003-vault.md). The empty row stays, so that a ref in the log
// still shows when its item was erased.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { erasedKind } from '../lib/vocabulary.ts';
import { integer, readRows, readValue, text } from './rows.ts';

export async function supersedeItems(
  tx: Queryable,
  refs: readonly string[],
  at: Date,
): Promise<void> {
  await tx.query(sql`
    update vault.items set superseded_at = ${at}
    where ref = any(${[...refs]}::uuid[]) and superseded_at is null`);
}

/**
 * `subject` is the stream that the item belonged to. Of personal data, only e-mail addresses and
 * identities are ever superseded.
 */
const supersededItem = z.object({ ref: text, subject: text, kind: erasedKind });
export type SupersededItem = Readonly<z.output<typeof supersededItem>>;

/** Those superseded before `horizon`, oldest first. */
export const listSuperseded = (
  db: Queryable,
  { horizon, limit }: Readonly<{ horizon: Date; limit: number }>,
): Promise<SupersededItem[]> =>
  readRows(db, supersededItem)`
    select ref, subject, case
        when class <> 'personal' then class
        when exists (
          select from es.events
          where stream = subject and type = 'PrincipalIdentityLinked'
            and (payload -> 'identity' ->> 'ref')::uuid = items.ref) then 'identity'
        else 'email' end as kind
    from vault.items
    where superseded_at < ${horizon} and body is not null
    order by superseded_at, ref limit ${limit}`;

/** Counts items that are superseded and not erased yet. */
export async function countSuperseded(db: Queryable, refs: readonly string[]): Promise<number> {
  const items = await readValue(db, integer)`
    select count(*) from vault.items
    where ref = any(${[...refs]}::uuid[]) and superseded_at is not null and body is not null`;
  return items ?? 0;
}

export async function eraseItems(tx: Queryable, refs: readonly string[], at: Date): Promise<void> {
  await tx.query(sql`
    update vault.items set body = null, erased_at = ${at}
    where ref = any(${[...refs]}::uuid[]) and body is not null`);
}

export async function countUnerased(db: Queryable, refs: readonly string[]): Promise<number> {
  const items = await readValue(db, integer)`
    select count(*) from vault.items
    where ref = any(${[...refs]}::uuid[]) and body is not null`;
  return items ?? 0;
}

/**
 * The principal's names, addresses, identities and password hashes that are not erased yet. The log
 * knows all refs that ever existed.
 */
export const listPersonal = (
  db: Queryable,
  { principalId, limit }: Readonly<{ principalId: number; limit: number }>,
): Promise<SupersededItem[]> =>
  readRows(db, supersededItem)`
    with own as (
      select type, payload from es.events where stream = ${`principal-${principalId}`}
    ), told as (
      select (payload -> 'name' ->> 'ref')::uuid as ref, 'name' as kind from own
      where type in ('PrincipalCreated', 'PrincipalRenamed')
      union select (payload ->> 'email_ref')::uuid, 'email' from own
      where type in ('PrincipalCreated', 'PrincipalEmailSet')
      union select (payload ->> 'password_ref')::uuid, 'password' from own
      where type = 'PrincipalPasswordSet'
      union select (payload -> 'identity' ->> 'ref')::uuid, 'identity' from own
      where type = 'PrincipalIdentityLinked'
    )
    select ref, subject, kind from told join vault.items using (ref)
    where body is not null order by kind, ref limit ${limit}`;

/** Clears the mark of items that are referenced again. */
export async function keepItems(tx: Queryable, refs: readonly string[]): Promise<void> {
  await tx.query(sql`
    update vault.items set superseded_at = null where ref = any(${[...refs]}::uuid[])`);
}
