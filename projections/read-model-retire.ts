// Drops the read models of releases that are no longer running, after seven days without use. A
// running process regularly marks its own as used, because only configuration changes would do so
// otherwise.

import { sql } from '@databases/pg';

import { lockLog } from '../src/db/log/event-log.ts';
import type { Database } from '../src/db/pool.ts';
import { readValue, readValues, text } from '../src/db/rows.ts';
import { fingerprint } from './read-model.ts';

export const unusedDaysMax = 7;

/** Returns the fingerprints of the dropped read models. */
export async function retireReadModels(db: Database): Promise<readonly string[]> {
  await db.query(sql`
    update es.read_models set last_used_at = now()
    where fingerprint = ${fingerprint} and status <> 'retired'`);
  const unused = await readValues(db, text)`
    select fingerprint from es.read_models
    where status <> 'retired' and last_used_at < now() - make_interval(days => ${unusedDaysMax})
    order by last_used_at`;
  const retired: string[] = [];
  for (const fingerprint of unused) {
    if (await retire(db, fingerprint)) retired.push(fingerprint);
  }
  return retired;
}

/**
 * Under the log lock, no process of that release can start to rebuild them. The row stays, for a
 * process that returns.
 */
const retire = (db: Database, fingerprint: string): Promise<boolean> =>
  db.tx(async (tx) => {
    await lockLog(tx);
    const schema = await readValue(tx, text)`
      update es.read_models set status = 'retired', position = 0
      where fingerprint = ${fingerprint} and status <> 'retired'
        and last_used_at < now() - make_interval(days => ${unusedDaysMax})
      returning schema_name`;
    if (schema === null) return false;
    await tx.query(sql`drop schema if exists ${sql.ident(schema)} cascade`);
    return true;
  });
