// What the log says of an identity that nobody is linked with any more.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';

/** Whether a principal, also one that is gone, was ever linked with it. */
export async function wasLinked(db: Queryable, fingerprint: string): Promise<boolean> {
  const rows: unknown[] = await db.query(sql`
    select 1 from es.events
    where type = 'PrincipalIdentityLinked'
      and payload -> 'identity' ->> 'fingerprint' = ${fingerprint}
    limit 1`);
  return rows.length > 0;
}
