// How well the prompt classes are told apart (specification, "Frontend models, routing, classes": evaluate), and the last
// evaluations. An evaluation changes no configuration; as a POST under /admin it needs config:write (Authentication rule 3).

import { z } from 'zod';

import { verdict } from '../../classifier/evaluate.ts';
import { evaluateClasses } from '../../control/evaluate-classes.ts';
import { principalNames } from '../../control/access/principal-names.ts';
import { insertEvaluation, listEvaluations } from '../../db/prompt-class-evaluations.ts';
import type { EvaluationRow } from '../../db/prompt-class-evaluations.ts';
import { timestamp } from '../../lib/fields.ts';
import { principalId, promptExampleId } from '../../lib/ids.ts';
import { promptClassTier } from '../../lib/vocabulary.ts';
import type { Control } from '../control.ts';
import { none, route } from '../http/route.ts';

const share = z.number().min(0).max(1);
const neighbour = z
  .tuple([z.string(), z.number()])
  .readonly()
  .meta({ examples: [['data', 0.41]] });

const classEvaluation = z.object({
  class: z.string(),
  tier: promptClassTier,
  /** Of refined classes, the class whose prompts they contend for. */
  refines: z.string().nullable(),
  /** How many were put to the classes, each as if it were no example. */
  examples: z.int(),
  /** Of the examples taken for this class, the share that is its own; null when none was. */
  precision: share.nullable(),
  /** Of its own examples, the share taken for it; below the margin an example is of no class. */
  recall: share,
  mean_margin: z.number(),
  worst_margin: z.number(),
  min_margin: z.number(),
  /** At most three other classes, with the cosine of the centroids. */
  nearest: z.array(neighbour).readonly(),
  collides: z.boolean(),
  verdict: z.enum(verdict),
});

const confusion = z.object({
  actual: z.string(),
  predicted: z.string(),
  example_id: promptExampleId,
  label: z.string().nullable(),
  refines: z.string().nullable(),
});

const evaluationResult = z.object({
  classes: z.array(classEvaluation).readonly(),
  /** At most twenty. */
  confusions: z.array(confusion).readonly(),
  note: z.string().nullable(),
});

const evaluationRecord = evaluationResult.extend({
  id: z.int(),
  evaluated_at: timestamp,
  principal_id: principalId,
  /** Null when the principal was deleted. */
  principal_name: z.string().nullable(),
  /** The version of the configuration that was evaluated. */
  snapshot_version: z.int(),
  /** The identity of the encoder of each tier; null when there was none. */
  fast_encoder: z.string().nullable(),
  refined_encoder: z.string().nullable(),
});
type EvaluationRecord = z.output<typeof evaluationRecord>;

const notEmbedded = 'examples of refined prompt classes could not be evaluated';

export const promptClassEvaluationRoutes = [
  route({
    method: 'GET',
    path: '/admin/prompt-classes/evaluations',
    operation: 'listPromptClassEvaluations',
    permission: 'usage:read',
    summary: 'The last 20 evaluations of the prompt classes, newest first',
    refusals: [],
    params: none,
    query: none,
    body: none,
    response: z.array(evaluationRecord),
    handle: async (_input, { control }) => {
      await control.refresh();
      return { body: await recordsOf(control, await listEvaluations(control.db)) };
    },
  }),
  route({
    method: 'POST',
    path: '/admin/prompt-classes/evaluate',
    operation: 'evaluatePromptClasses',
    permission: 'config:write',
    summary: 'How well each class is told apart from the others, leaving out one example at a time',
    asks: true,
    refusals: [],
    params: none,
    query: none,
    body: none,
    response: evaluationRecord,
    handle: async (_input, { control, caller }) => {
      if (!('principalId' in caller))
        throw new Error('the caller of an evaluation is not a principal');
      await control.refresh();
      const { reports, vault, encoders, log } = control;
      const state = control.state();
      const onFailure = (error: unknown) => log.warn({ error }, notEmbedded);
      const result = await evaluateClasses({ db: reports, vault, encoders, onFailure }, state);
      const row = {
        evaluated_at: new Date(control.clock()),
        principal_id: caller.principalId,
        snapshot_version: state.version,
        fast_encoder: encoders?.fast.identity ?? null,
        refined_encoder: encoders?.refined?.identity ?? null,
        result,
      };
      const id = await insertEvaluation(control.db, row);
      const [body] = await recordsOf(control, [{ id, ...row }]);
      if (body === undefined) throw new Error('an evaluation does not fit its own record');
      return { body };
    },
  }),
] as const;

/** A result that another release stored in another form is left out. */
async function recordsOf(
  { db, vault, state }: Pick<Control, 'db' | 'vault' | 'state'>,
  rows: readonly EvaluationRow[],
): Promise<EvaluationRecord[]> {
  const { byId } = state().principal;
  const ids = new Set(rows.map(({ principal_id: id }) => id));
  const names = await principalNames(
    { db, vault },
    [...ids].flatMap((id) => byId.get(id) ?? []),
  );
  return rows.flatMap(({ result, evaluated_at: at, ...row }) => {
    const read = evaluationResult.safeParse(result);
    if (!read.success) return [];
    const name = names.get(row.principal_id) ?? null;
    return [{ ...row, evaluated_at: at.toISOString(), principal_name: name, ...read.data }];
  });
}
