// Compares the vault with the log: finds items that events reference but that are missing or empty,
// and items that no event references.

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery } from '@databases/pg';
import { z } from 'zod';

import { vaultRefPaths } from '../../events/vault-refs.ts';
import { flag, integer, readRow, readRows, text } from './rows.ts';

/**
 * `missing`: the vault has no row. `emptied`: the row has no content, but no event records its
 * erasure. `returned`: an event records its erasure, but the content exists. `unnamed`: no event
 * references the row.
 */
const vaultFault = z.enum(['missing', 'emptied', 'returned', 'unnamed']);
export type VaultFault = z.output<typeof vaultFault>;

/**
 * `count` is the number of all rows with this fault; `position` is the first event that references
 * the item, or null.
 */
const vaultFinding = z.object({
  fault: vaultFault,
  ref: text,
  position: integer.nullable(),
  count: integer,
});
export type VaultFinding = Readonly<z.output<typeof vaultFinding>>;

/**
 * After these events a change request no longer needs its calls. They are then erased without an
 * event of their own.
 */
const draftEnds = [
  'ChangeRequestEdited',
  'ChangeRequestRefused',
  'ChangeRequestWithdrawn',
  'ChangeRequestApplied',
  'ChangeRequestExpired',
];

/** The refs in events, with the first position of each. */
function namedItems(): SQLQuery {
  const paths = vaultRefPaths();
  return sql`
    select ref, min(position) as position from (
      select (ref #>> '{}')::uuid as ref, position
      from unnest(
          ${paths.map(({ type }) => type)}::text[], ${paths.map(({ path }) => path)}::text[]
        ) as at (type, path)
        join es.events using (type)
        cross join lateral jsonb_path_query(payload::jsonb, path::jsonpath) as ref
      union all
      select (metadata ->> 'reason_ref')::uuid, position from es.events
    ) as each_named
    where ref is not null group by ref`;
}

const erasedItems = sql`
  select distinct ref::uuid from es.events
    cross join lateral json_array_elements_text(payload -> 'refs') as ref
  where type = 'VaultItemsErased'`;

const endedDrafts = sql`
  select (payload -> 'draft' ->> 'body_ref')::uuid as ref from es.events as draft
  where type in ('ChangeRequestDrafted', 'ChangeRequestEdited') and exists (
    select from es.events as after
    where after.stream = draft.stream and after.position > draft.position
      and after.type = any(${draftEnds}::text[]))`;

/**
 * At most `limit` of each fault, by position, in one statement for a consistent view. The
 * fingerprint key belongs to the database, and no event references it.
 */
export const compareVault = (db: Queryable, limit: number): Promise<VaultFinding[]> =>
  readRows(db, vaultFinding)`
    with named as (${namedItems()}
    ), erased as (${erasedItems}
    ), let_go as (${endedDrafts}
    ), compared as (
      select ref, position, case
          when items.created_at is null then 'missing'
          when position is null then 'unnamed'
          when body is null and erased.ref is null and let_go.ref is null then 'emptied'
          when body is not null and erased.ref is not null then 'returned'
        end as fault
      from named
        full join (select * from vault.items where class <> 'fingerprint_key') as items using (ref)
        left join erased using (ref)
        left join let_go using (ref)
    ), numbered as (
      select fault, ref, position, count(*) over (partition by fault) as count,
        row_number() over (partition by fault order by position, ref) as number
      from compared where fault is not null
    )
    select fault, ref, position, count from numbered where number <= ${limit}
    order by fault, number`;

/**
 * For a vault that was exported after the log: deletes items of events that the log does not have
 * yet. Requires the owner of the database.
 */
export async function deleteUnnamedItems(tx: Queryable): Promise<void> {
  await tx.query(sql`
    delete from vault.items where class <> 'fingerprint_key'
      and not exists (select from (${namedItems()}) as named where named.ref = items.ref)`);
}

/**
 * For a vault that was exported before the log: erases items that were erased in between. Requires
 * the owner of the database.
 */
export async function eraseReturnedItems(tx: Queryable, at: Date): Promise<void> {
  await tx.query(sql`
    update vault.items set body = null, erased_at = ${at}
    where body is not null and ref in (${erasedItems} union ${endedDrafts})`);
}

const fingerprintedName = z.object({ position: integer, text, fingerprint: text });
export type FingerprintedName = Readonly<z.output<typeof fingerprintedName>>;

/** Every log begins with the name of a principal. */
export const firstPlainName = (db: Queryable): Promise<FingerprintedName | null> =>
  readRow(db, fingerprintedName)`
    select position, payload -> 'name' ->> 'text' as text,
      payload -> 'name' ->> 'fingerprint' as fingerprint
    from es.events
    where type = 'PrincipalCreated' and payload -> 'name' ->> 'text' is not null
    order by position limit 1`;

const vaultCount = z.object({ items: integer, hasFingerprintKey: flag });

/** Counts items with content. */
export async function countVault(
  db: Queryable,
): Promise<Readonly<{ items: number; hasFingerprintKey: boolean }>> {
  const row = await readRow(db, vaultCount)`
    select count(*) as items,
      coalesce(bool_or(class = 'fingerprint_key'), false) as "hasFingerprintKey"
    from vault.items where body is not null`;
  return row ?? { items: 0, hasFingerprintKey: false };
}
