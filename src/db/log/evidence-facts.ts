// Reads the facts of an evidence pack that are not in the log: which replica served what, and what
// was erased. Pages are sorted oldest first.

import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { integer, readRows, text, time } from '../rows.ts';

/** `until` is inclusive. Null sets no bound. */
export type FactsWindow = Readonly<{ since: Date | null; until: Date | null }>;

type Page<Key> = Readonly<{ after: Key | null; limit: number }>;

/**
 * The first report of a version by a replica. `log_position` and `log_hash` are those at which the
 * snapshot was built.
 */
const servedFact = z.object({
  replica: text,
  version: integer,
  log_position: integer.nullable(),
  log_hash: text.nullable(),
  reported_at: time,
});
export type ServedFact = Readonly<z.output<typeof servedFact>>;

export const listServedFacts = (
  db: Queryable,
  { since, until }: FactsWindow,
  { after, limit }: Page<ServedFact>,
): Promise<ServedFact[]> =>
  readRows(db, servedFact)`
    select replica, version, log_position, log_hash, reported_at from op.snapshot_published
    where (${since}::timestamptz is null or reported_at > ${since}::timestamptz)
      and (${until}::timestamptz is null or reported_at <= ${until}::timestamptz)
      and (${after === null} or (reported_at, replica, version)
        > (${after?.reported_at ?? null}::timestamptz, ${after?.replica ?? null}::text,
          ${after?.version ?? null}::bigint))
    order by reported_at, replica, version limit ${limit}`;

/** The last report of each replica up to `at`. */
export const listServedAt = (db: Queryable, at: Date): Promise<ServedFact[]> =>
  readRows(db, servedFact)`
    select distinct on (replica) replica, version, log_position, log_hash, reported_at
    from op.snapshot_published where reported_at <= ${at}
    order by replica, reported_at desc, version desc`;

/** `subject` is the stream that the item belonged to. */
const erasedFact = z.object({ ref: text, class: text, subject: text, erased_at: time });
export type ErasedFact = Readonly<z.output<typeof erasedFact>>;

export const listErasedFacts = (
  db: Queryable,
  { since, until }: FactsWindow,
  { after, limit }: Page<ErasedFact>,
): Promise<ErasedFact[]> =>
  readRows(db, erasedFact)`
    select ref, class, subject, erased_at from vault.items
    where erased_at is not null
      and (${since}::timestamptz is null or erased_at > ${since}::timestamptz)
      and (${until}::timestamptz is null or erased_at <= ${until}::timestamptz)
      and (${after === null} or (erased_at, ref)
        > (${after?.erased_at ?? null}::timestamptz, ${after?.ref ?? null}::uuid))
    order by erased_at, ref limit ${limit}`;
