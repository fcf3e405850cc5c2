// Stores evaluations of the prompt classes, with the classes evaluated and the principal that
// requested each.

import type { Queryable } from '@databases/pg';

import type { Encoders } from '../../classifier/encoder.ts';
import { insertEvaluation, listEvaluations } from '../../db/prompt-class-evaluations.ts';
import type { EvaluationRow } from '../../db/prompt-class-evaluations.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { PrincipalId } from '../../lib/ids.ts';
import { principalNames } from '../access/principal-names.ts';
import type { Revealing } from '../access/principal-names.ts';
import type { Configuration } from '../commands/configuration.ts';
import { evaluateClasses } from './evaluate-classes.ts';

type Tools = Revealing &
  Readonly<{
    reports: Queryable;
    encoders: Encoders | null;
    clock: Clock;
    log: Pick<Log, 'warn'>;
  }>;

type Present = Pick<Configuration, 'state' | 'refresh'>;

/**
 * `principal_name` is null if the principal was deleted. `result` may be in the format of another
 * release.
 */
export type Evaluation = EvaluationRow & Readonly<{ principal_name: string | null }>;

export async function lastEvaluations(tools: Tools, config: Present): Promise<Evaluation[]> {
  await config.refresh();
  return named(tools, config, await listEvaluations(tools.db));
}

const notEmbedded = 'examples of refined prompt classes could not be evaluated';

export async function evaluateNow(
  { reports, ...tools }: Tools,
  config: Present,
  by: PrincipalId,
): Promise<Evaluation[]> {
  const { encoders, log } = tools;
  await config.refresh();
  const state = config.state();
  const onFailure = (error: unknown): void => log.warn({ error }, notEmbedded);
  const result = await evaluateClasses({ ...tools, db: reports, onFailure }, state);
  const row = {
    evaluated_at: new Date(tools.clock()),
    principal_id: by,
    snapshot_version: state.version,
    fast_encoder: encoders?.fast.identity ?? null,
    refined_encoder: encoders?.refined?.identity ?? null,
    result,
  };
  const id = await insertEvaluation(tools.db, row);
  return named(tools, config, [{ id, ...row }]);
}

async function named(
  tools: Revealing,
  { state }: Present,
  rows: readonly EvaluationRow[],
): Promise<Evaluation[]> {
  const { byId } = state().principal;
  const ids = new Set(rows.map(({ principal_id: id }) => id));
  const names = await principalNames(
    tools,
    [...ids].flatMap((id) => byId.get(id) ?? []),
  );
  return rows.map((row) =>
    Object.assign({ principal_name: names.get(row.principal_id) ?? null }, row),
  );
}
