// Read models built anew while the live ones serve: in a schema beside theirs, page by page, and in their place at the end.

import { sql } from '@databases/pg';

import { lockLog, readHead } from '../src/db/event-log.ts';
import type { Database } from '../src/db/pool.ts';
import { advancePage, emptyCursor, fingerprint, readModelSchema } from './read-model.ts';
import { createTables } from './read-model-sql.ts';

const shadow = `${readModelSchema}_rebuild`;
const pageEvents = 5_000;
/** With no more behind, the rest is applied while appends wait. */
const tailEvents = 1_000;
const waits = {
  lockTimeoutMilliseconds: 60_000,
  idleInTransactionSessionTimeoutMilliseconds: 60_000,
};

/** Answers the position at which they stand. What a rebuild that was interrupted left is begun anew. Appends wait at its end alone. */
export async function rebuildReadModel(db: Database): Promise<number> {
  await db.tx(async (tx) => {
    await lockLog(tx);
    await tx.query(sql`drop schema if exists ${sql.ident(shadow)} cascade`);
    await createTables(tx, shadow);
    await tx.query(sql`
      insert into es.read_models (fingerprint, schema_name, position, status, last_used_at)
      values (${shadow}, ${shadow}, 0, 'building', now())
      on conflict (fingerprint) do update
        set position = 0, status = 'building', last_used_at = now()`);
  }, waits);
  let cursor = emptyCursor();
  for (;;) {
    const { position: head } = await readHead(db);
    if (head - cursor.state.position <= tailEvents) break;
    cursor = await db.tx(async (tx) => {
      await tx.query(sql`select set_config('role', 'gw_app', true)`);
      return advancePage(tx, cursor, { schema: shadow, to: head, pageEvents });
    }, waits);
  }
  return db.tx(async (tx) => {
    const { position } = await lockLog(tx);
    while (cursor.state.position < position) {
      cursor = await advancePage(tx, cursor, { schema: shadow, to: position, pageEvents });
    }
    await tx.query(sql`drop schema if exists ${sql.ident(readModelSchema)} cascade`);
    await tx.query(sql`alter schema ${sql.ident(shadow)} rename to ${sql.ident(readModelSchema)}`);
    await tx.query(sql`
      update es.read_models set position = ${position}, status = 'live', built_at = now(),
        last_used_at = now() where fingerprint = ${fingerprint}`);
    await tx.query(sql`update es.read_models set status = 'retired' where fingerprint = ${shadow}`);
    return position;
  }, waits);
}
