// How well the prompt classes are told apart (specification, "Frontend models, routing, classes": evaluate). It reads examples
// and writes nothing; as a POST under /admin it needs config:write (Authentication rule 3).

import { z } from 'zod';

import { verdict } from '../classifier/evaluate.ts';
import { evaluateClasses } from '../control/evaluate-classes.ts';
import { promptExampleId } from '../lib/ids.ts';
import { promptClassTier } from '../lib/vocabulary.ts';
import { none, route } from './route.ts';

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

const notEmbedded = 'examples of refined prompt classes could not be evaluated';

export const promptClassEvaluationRoutes = [
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
    response: z.object({
      classes: z.array(classEvaluation).readonly(),
      /** At most twenty. */
      confusions: z.array(confusion).readonly(),
      note: z.string().nullable(),
    }),
    handle: async (_input, { control }) => {
      await control.refresh();
      const { reports: db, vault, encoders, log } = control;
      return {
        body: await evaluateClasses(
          { db, vault, encoders, onFailure: (error) => log.warn({ error }, notEmbedded) },
          control.state(),
        ),
      };
    },
  }),
] as const;
