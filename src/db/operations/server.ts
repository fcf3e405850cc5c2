// Reads facts of the database server.

import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { flag, integer, readRow, text } from '../rows.ts';

const server = z.object({
  version: text,
  isReadOnly: flag,
  /** Counts those that ordinary logins may use. */
  freeConnections: integer,
  /** Epoch milliseconds. */
  now: integer,
});

export async function readServer(db: Queryable): Promise<Readonly<z.output<typeof server>>> {
  const read = await readRow(db, server)`
    select current_setting('server_version') as version,
      current_setting('transaction_read_only') = 'on' or pg_is_in_recovery() as "isReadOnly",
      current_setting('max_connections')::integer
        - current_setting('superuser_reserved_connections')::integer
        - (select count(*) from pg_stat_activity where backend_type = 'client backend')
        as "freeConnections",
      (extract(epoch from clock_timestamp()) * 1000)::bigint as now`;
  if (read === null) throw new Error('the database server returned no facts');
  return read;
}
