// Stores the last verifications of the log and of data derived from it.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { integer, readRows, text, time } from './rows.ts';

/** The hash chain of the log with its checkpoints, or the read models compared with a rebuild. */
const verificationSubject = z.enum(['chain', 'read_models']);
export type VerificationSubject = z.output<typeof verificationSubject>;

/** `problem` is the first one or null. */
const verificationRow = z.object({
  subject: verificationSubject,
  verified_at: time,
  verified_by: text,
  position: integer,
  problem_count: integer,
  problem: text.nullable(),
});
export type VerificationRow = Readonly<z.output<typeof verificationRow>>;

/** Per subject: four days of an hourly schedule. */
const keptMax = 100;

export async function insertVerification(db: Queryable, row: VerificationRow): Promise<void> {
  const { subject, verified_at: at, verified_by: by, position, problem_count, problem } = row;
  await db.query(sql`
    insert into op.verifications
      (subject, verified_at, verified_by, position, problem_count, problem)
    values (${subject}, ${at}, ${by}, ${position}, ${problem_count}, ${problem})`);
  await db.query(sql`
    delete from op.verifications where subject = ${subject} and id <= (
      select id from op.verifications where subject = ${subject}
      order by id desc offset ${keptMax} limit 1)`);
}

export const lastVerifications = (db: Queryable): Promise<VerificationRow[]> =>
  readRows(db, verificationRow)`
    select distinct on (subject)
      subject, verified_at, verified_by, position, problem_count, problem
    from op.verifications order by subject, id desc`;
