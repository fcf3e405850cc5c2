// Serves the dry run of routing (specification, "Frontend models, routing, classes"). It writes
// nothing, but as a POST under /admin it requires config:write (Authentication rule 3).

import { classify, readyFor } from '../../classifier/classify.ts';
import type { Encoders } from '../../classifier/encoder.ts';
import { promptField } from '../../lib/fields.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Snapshot } from '../../snapshot/schema.ts';
import { answerDryRun, dryRunQuestion, dryRunRecord } from './dry-run.ts';
import type { RoutingNeeds } from './needs.ts';
import { none, route } from '../http/route.ts';

const publishedQuestion = dryRunQuestion.extend({
  /** A user message, classified as the gateway would. Cannot be combined with `class`. */
  prompt: promptField.nullable().default(null),
});

export const routingRoutes = [
  route({
    method: 'POST',
    path: '/admin/routing/dry-run',
    operation: 'dryRunRouting',
    permission: 'config:write',
    summary:
      'Show where a request would be routed and which rules match; assumes that all backends are idle',
    asks: true,
    refusals: ['unavailable'],
    params: none,
    query: none,
    body: publishedQuestion,
    response: dryRunRecord,
    handle: async ({ body }, { config }, needs: RoutingNeeds) => {
      const { publisher, encoders, clock } = needs;
      const version = publisher.current()?.version ?? -1;
      if (version < config.state().version) await publisher.publishNow();
      const snapshot = publisher.current()?.snapshot;
      if (snapshot === undefined) {
        return refuse('unavailable', 'no snapshot is published yet', { retryAfterSeconds: 1 });
      }
      const { prompt, ...question } = body;
      const routed = await needs.routed.ofSnapshot(snapshot);
      if (prompt === null) return answerDryRun(question, routed, clock());
      if (question.class !== null) {
        return refuse('invalid', 'prompt and class: send only one of them', { param: 'prompt' });
      }
      const classed = { ...question, class: await classOf(prompt, snapshot, encoders) };
      return answerDryRun(classed, routed, clock());
    },
  }),
] as const;

/** Null if the prompt has no class, or if there is no encoder. */
async function classOf(
  prompt: string,
  { config, classifier }: Snapshot,
  encoders: Encoders | null,
): Promise<string | null> {
  if (encoders === null) return null;
  const classes = { promptClasses: config.prompt_classes, classifier };
  const ready = readyFor(classes, encoders, () => {});
  const found = await classify(ready, prompt, { asksRefined: true, onEscalation: () => {} });
  return config.prompt_classes.find(({ id }) => id === found.id)?.name ?? null;
}
