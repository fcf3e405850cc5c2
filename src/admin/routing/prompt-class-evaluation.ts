// How well the prompt classes are told apart (specification, "Frontend models, routing, classes": evaluate), and the last
// evaluations. An evaluation changes no configuration; as a POST under /admin it needs config:write (Authentication rule 3).

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

/** A result that another release stored in another form is left out. */
const toRecords = (evaluations: readonly Evaluation[]): EvaluationRecord[] =>
  evaluations.flatMap(({ result, evaluated_at: at, ...row }) => {
    const read = evaluationResult.safeParse(result);
    return read.success ? [{ ...row, evaluated_at: at.toISOString(), ...read.data }] : [];
  });
