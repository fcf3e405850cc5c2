// The dry-run of routing (specification, "Frontend models, routing, classes"). It asks what is published now, and writes
// nothing; as a POST under /admin it needs config:write (Authentication rule 3).

import { refuse } from '../lib/refusal.ts';
import { answerDryRun, dryRunQuestion, dryRunRecord } from './dry-run.ts';
import { none, route } from './route.ts';

export const routingRoutes = [
  route({
    method: 'POST',
    path: '/admin/routing/dry-run',
    operation: 'dryRunRouting',
    permission: 'config:write',
    summary:
      'Where a request would go, and what each rule says to it; every backend looks up and idle',
    asks: true,
    refusals: ['unavailable'],
    params: none,
    query: none,
    body: dryRunQuestion,
    response: dryRunRecord,
    handle: async ({ body }, { control }) => {
      const { publisher } = control;
      const version = publisher.current()?.snapshot.version ?? -1;
      if (version < control.state().version) await publisher.publishNow();
      const snapshot = publisher.current()?.snapshot;
      if (snapshot === undefined) {
        return refuse('unavailable', 'no snapshot is published yet', { retryAfterSeconds: 1 });
      }
      return answerDryRun(body, snapshot, control.clock());
    },
  }),
] as const;
