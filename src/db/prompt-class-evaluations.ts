// Stores the last evaluations of prompt classes.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { principalId } from '../lib/ids.ts';
import { integer, readRows, readValue, text, time } from './rows.ts';

const evaluationRow = z.object({
  id: integer,
  evaluated_at: time,
  principal_id: principalId,
  snapshot_version: integer,
  fast_encoder: text.nullable(),
  refined_encoder: text.nullable(),
  /** Another release may have written another format. */
  result: z.unknown(),
});
export type EvaluationRow = Readonly<z.output<typeof evaluationRow>>;

/** Older ones are deleted. */
export const evaluationsKept = 20;

export async function insertEvaluation(
  db: Queryable,
  row: Omit<EvaluationRow, 'id'>,
): Promise<number> {
  const { evaluated_at: at, principal_id: by, snapshot_version: version, result } = row;
  const id = await readValue(db, integer)`
    insert into op.prompt_class_evaluations (evaluated_at, principal_id, snapshot_version,
      fast_encoder, refined_encoder, result)
    values (${at}, ${by}, ${version}, ${row.fast_encoder}, ${row.refined_encoder},
      ${JSON.stringify(result)}::jsonb)
    returning id`;
  if (id === null) throw new Error('an inserted evaluation has no id');
  await db.query(sql`
    delete from op.prompt_class_evaluations where id <= (
      select id from op.prompt_class_evaluations
      order by id desc offset ${evaluationsKept} limit 1)`);
  return id;
}

/** Newest first. */
export const listEvaluations = (db: Queryable): Promise<EvaluationRow[]> =>
  readRows(db, evaluationRow)`
    select id, evaluated_at, principal_id, snapshot_version, fast_encoder, refined_encoder, result
    from op.prompt_class_evaluations order by id desc limit ${evaluationsKept}`;
