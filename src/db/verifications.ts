// What came of the last verifications of the log and of what is derived from it, in the database.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { integer, readRows, text, time } from './rows.ts';

/** The hash chain of the log with its checkpoints, or the read models against a rebuild. */
const verificationSubject = z.enum(['chain', 'read_models']);
export type VerificationSubject = z.output<typeof verificationSubject>;

/** As op.verifications has it. `problem` is the first; null when there is none. */
const verificationRow = z.object({
  subject: verificationSubject,
  verified_at: time,
  verified_by: text,
  position: integer,
  problem_count: integer,
  problem: text.nullable(),
});
export type VerificationRow = Readonly<z.output<typeof verificationRow>>;

/** Of a subject; a schedule that runs every hour is kept for four days. */
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

/** The newest of each subject. */
export const lastVerifications = (db: Queryable): Promise<VerificationRow[]> =>
  readRows(db, verificationRow)`
    select distinct on (subject)
      subject, verified_at, verified_by, position, problem_count, problem
    from op.verifications order by subject, id desc`;
