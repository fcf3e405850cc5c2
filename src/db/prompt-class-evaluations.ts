// The last evaluations of prompt classes, in the database.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';

import type { PrincipalId } from '../lib/ids.ts';

/** As op.prompt_class_evaluations has it. */
export type EvaluationRow = Readonly<{
  id: number;
  evaluated_at: Date;
  principal_id: PrincipalId;
  snapshot_version: number;
  fast_encoder: string | null;
  refined_encoder: string | null;
  /** Another release may have written another form. */
  result: unknown;
}>;

/** Older ones are deleted. */
export const evaluationsKept = 20;

/** Returns the id of the new row. */
export async function insertEvaluation(
  db: Queryable,
  row: Omit<EvaluationRow, 'id'>,
): Promise<number> {
  const { evaluated_at: at, principal_id: by, snapshot_version: version, result } = row;
  const [inserted]: { id: number }[] = await db.query(sql`
    insert into op.prompt_class_evaluations (evaluated_at, principal_id, snapshot_version,
      fast_encoder, refined_encoder, result)
    values (${at}, ${by}, ${version}, ${row.fast_encoder}, ${row.refined_encoder},
      ${JSON.stringify(result)}::jsonb)
    returning id`);
  if (inserted === undefined) throw new Error('an inserted evaluation has no id');
  await db.query(sql`
    delete from op.prompt_class_evaluations where id <= (
      select id from op.prompt_class_evaluations
      order by id desc offset ${evaluationsKept} limit 1)`);
  return inserted.id;
}

/** The newest first. */
export const listEvaluations = (db: Queryable): Promise<EvaluationRow[]> =>
  db.query(sql`
    select id, evaluated_at, principal_id, snapshot_version, fast_encoder, refined_encoder, result
    from op.prompt_class_evaluations order by id desc limit ${evaluationsKept}`);
