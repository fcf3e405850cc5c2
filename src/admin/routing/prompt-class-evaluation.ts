// Evaluates how well the prompt classes are separated (specification, "Frontend models, routing,
// classes": evaluate), and lists past evaluations. It changes no configuration, but as a POST under
// /admin it requires config:write (Authentication rule 3).

import { z } from 'zod';

import { verdict } from '../../classifier/evaluate.ts';
import { evaluateNow, lastEvaluations } from '../../control/prompt-classes/evaluations.ts';
import type { Evaluation } from '../../control/prompt-classes/evaluations.ts';
import { timestamp } from '../../lib/fields.ts';
import { principalId, promptExampleId } from '../../lib/ids.ts';
import { promptClassTier } from '../../lib/vocabulary.ts';
import type { RoutingNeeds } from './needs.ts';
import { none, route } from '../http/route.ts';

const share = z.number().min(0).max(1);
const neighbour = z
  .tuple([z.string(), z.number()])
  .readonly()
  .meta({ examples: [['data', 0.41]] });

const classEvaluation = z.object({
  class: z.string(),
  tier: promptClassTier,
  /** The class that a refined class refines. */
  refines: z.string().nullable(),
  /** Each is classified without itself. */
  examples: z.int(),
  /**
   * The share of correct examples among those classified as this class. Null if there were none.
   */
  precision: share.nullable(),
  /**
   * The share of its examples that were classified as this class. An example below the margin has
   * no class.
   */
  recall: share,
  mean_margin: z.number(),
  worst_margin: z.number(),
  min_margin: z.number(),
  /** At most three, with the cosine similarity of the centroids. */
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
  /** At most 20. */
  confusions: z.array(confusion).readonly(),
  note: z.string().nullable(),
});

const evaluationRecord = evaluationResult.extend({
  id: z.int(),
  evaluated_at: timestamp,
  principal_id: principalId,
  /** Null if the principal was deleted. */
  principal_name: z.string().nullable(),
  /** The snapshot version of the evaluated configuration. */
  snapshot_version: z.int(),
  /** The encoder of each tier. Null if there was none. */
  fast_encoder: z.string().nullable(),
  refined_encoder: z.string().nullable(),
});
type EvaluationRecord = z.output<typeof evaluationRecord>;

export const promptClassEvaluationRoutes = [
  route({
    method: 'GET',
    path: '/admin/prompt-classes/evaluations',
    operation: 'listPromptClassEvaluations',
    permission: 'usage:read',
    summary: 'List the last 20 evaluations of the prompt classes, newest first',
    refusals: [],
    params: none,
    query: none,
    body: none,
    response: z.array(evaluationRecord),
    handle: async (_input, { config }, needs: RoutingNeeds) => ({
      body: toRecords(await lastEvaluations(needs, config)),
    }),
  }),
  route({
    method: 'POST',
    path: '/admin/prompt-classes/evaluate',
    operation: 'evaluatePromptClasses',
    permission: 'config:write',
    summary:
      'Evaluate how well the prompt classes are separated, by leave-one-out over the examples',
    asks: true,
    refusals: [],
    params: none,
    query: none,
    body: none,
    response: evaluationRecord,
    handle: async (_input, { config, caller }, needs: RoutingNeeds) => {
      if (!('principalId' in caller))
        throw new Error('the caller of an evaluation is not a principal');
      const [body] = toRecords(await evaluateNow(needs, config, caller.principalId));
      if (body === undefined) throw new Error('the evaluation does not match its schema');
      return { body };
    },
  }),
] as const;

/** Leaves out results that another release stored in a different format. */
const toRecords = (evaluations: readonly Evaluation[]): EvaluationRecord[] =>
  evaluations.flatMap(({ result, evaluated_at: at, ...row }) => {
    const read = evaluationResult.safeParse(result);
    return read.success ? [{ ...row, evaluated_at: at.toISOString(), ...read.data }] : [];
  });
