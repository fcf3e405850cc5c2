// What an operator asks of the control plane itself: its health, a new snapshot, the end of every session.

import { z } from 'zod';

import type { ConfigState } from '../../../projections/config/state.ts';
import { headPosition } from '../../control/readiness.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { OperationNeeds } from './needs.ts';
import { clearedCookie } from '../access/login.ts';
import { mutate } from '../http/mutation.ts';
import { backendHealth } from './program.ts';
import { none, route } from '../http/route.ts';

const healthRecord = z.object({
  database_reachable: z.boolean(),
  /** Where the event log ends; null when the database cannot say. */
  log_position: z.int().nullable(),
  /** How far this process has read it, and how many events it is behind. */
  read_position: z.int(),
  lag_events: z.int().nullable(),
  snapshot_version: z.int().nullable(),
  snapshot_rebuild_failures: z.int(),
  /** Alarms that the log was changed or set back, which nothing explains; GET /admin/log/head tells of each. */
  log_alarms: z.int(),
  /** Budgets whose counter was not the sum of their usage when this process last checked; null when it did not. */
  budget_drift: z.int().nullable(),
  /** As the gateway of this process sees them; none in role control. */
  backends: z.array(backendHealth).readonly(),
  /** Of the replicas that report to this process; what each of them says is in the fleet. */
  replicas: z.int(),
  replicas_seeing_unhealthy_backends: z.int(),
  /** Since the start. */
  notifications: z.object({ delivered: z.int(), failed: z.int(), dropped: z.int() }),
});

const config = { method: 'POST', permission: 'config:write', params: none, query: none } as const;

export const operationRoutes = [
  route({
    method: 'GET',
    path: '/admin/health',
    operation: 'getHealth',
    permission: 'usage:read',
    summary: 'Get the health of this process, its dependencies and its backends',
    refusals: [],
    params: none,
    query: none,
    body: none,
    response: healthRecord,
    handle: async (_input, { config: { state } }, needs: OperationNeeds) => ({
      body: await healthOf(needs, state()),
    }),
  }),
  route({
    ...config,
    path: '/admin/snapshot/rebuild',
    operation: 'rebuildSnapshot',
    summary: 'Build and publish a new snapshot version, even without changes',
    refusals: [],
    body: none,
    response: z.object({ snapshot_version: z.int(), rebuild_failures: z.int() }),
    handle: async (_input, call, { publisher, rebuild, db }: OperationNeeds) => {
      // What changes without a version comes along: the windows of budgets, and what is spent of them.
      await rebuild();
      const command = { type: 'RebuildSnapshot' } as const;
      // Whether it is done shows only when it is published: until then no answer is kept for the request's key.
      const unkept = { ...call, once: null };
      const answer = await mutate(unkept, { command }, ({ version }) => ({
        snapshot_version: version,
        rebuild_failures: publisher.failures(),
      }));
      if (isRefusal(answer)) return answer;
      await publisher.publishNow();
      const published = publisher.current()?.snapshot.version ?? 0;
      if (published < answer.body.snapshot_version) return unpublished;
      await call.once?.keep(db, answer);
      return answer;
    },
  }),
  route({
    ...config,
    path: '/admin/sessions/revoke-all',
    operation: 'revokeAllSessions',
    summary: 'End all sessions, including the current one',
    refusals: [],
    body: none,
    response: z.object({ revoked: z.int(), includes_caller: z.literal(true) }),
    handle: async (_input, call, needs: OperationNeeds) => {
      const command = { type: 'RevokeSessions' } as const;
      // In the transaction of the audit row: there is not one without the other.
      const answer = await mutate(call, { command }, async (_outcome, tx) => ({
        revoked: await needs.sessions.endAll(tx),
        includes_caller: true as const,
      }));
      if (isRefusal(answer)) return answer;
      return { ...answer, headers: { ...answer.headers, 'set-cookie': clearedCookie(needs) } };
    },
  }),
] as const;

const unpublished = refuse(
  'unavailable',
  'the snapshot version was created but could not be published; the log has the cause, and gw retries',
  { retryAfterSeconds: 1 },
);

async function healthOf(
  { publisher, program, fleet, alarms, usageUpkeep, notifier, db }: OperationNeeds,
  { position }: ConfigState,
): Promise<z.input<typeof healthRecord>> {
  const replicas = fleet.rows();
  const head = await headPosition(db);
  return {
    database_reachable: head !== null,
    log_position: head,
    read_position: position,
    lag_events: head === null ? null : Math.max(0, head - position),
    snapshot_version: publisher.current()?.snapshot.version ?? null,
    snapshot_rebuild_failures: publisher.failures(),
    log_alarms: alarms.open(),
    budget_drift: usageUpkeep.budgetDrift(),
    backends: program.backends(),
    replicas: replicas.length,
    replicas_seeing_unhealthy_backends: replicas.filter(({ backends }) =>
      backends.some(({ healthy }) => !healthy),
    ).length,
    notifications: notifier.counts(),
  };
}
