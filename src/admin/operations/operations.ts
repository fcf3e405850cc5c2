// Serves operations on the control plane itself: health, publishing a snapshot, ending all
// sessions.

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
  /** Null if the database cannot be reached. */
  log_position: z.int().nullable(),
  /** The position to which this process has read the log. */
  read_position: z.int(),
  lag_events: z.int().nullable(),
  snapshot_version: z.int().nullable(),
  snapshot_rebuild_failures: z.int(),
  /** Unexplained alarms that the log was modified or reset. GET /admin/log/head lists them. */
  log_alarms: z.int(),
  /**
   * Budgets whose counter differed from the sum of their usage at this process's last check. Null
   * before the first check.
   */
  budget_drift: z.int().nullable(),
  /** Empty in role control. */
  backends: z.array(backendHealth).readonly(),
  /** GET /admin/fleet returns their reports. While the database is unreachable, the last known number. */
  replicas: z.int(),
  replicas_seeing_unhealthy_backends: z.int(),
  /** Since the process started. */
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
      // Also publishes what changes without a version: budget windows and spending.
      await rebuild();
      const command = { type: 'RebuildSnapshot' } as const;
      // Publishing decides the outcome, so this mutation stores no response for the idempotency
      // key.
      const unkept = { ...call, once: null };
      const answer = await mutate(unkept, { command }, ({ version }) => ({
        snapshot_version: version,
        rebuild_failures: publisher.failures(),
      }));
      if (isRefusal(answer)) return answer;
      await publisher.publishNow();
      const published = publisher.current()?.version ?? 0;
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
      // In the transaction of the audit row, so that both are written or neither.
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
  const head = await headPosition(db);
  const { replicas, affected } = head === null ? fleet.measured() : await fleet.measure();
  return {
    database_reachable: head !== null,
    log_position: head,
    read_position: position,
    lag_events: head === null ? null : Math.max(0, head - position),
    snapshot_version: publisher.current()?.version ?? null,
    snapshot_rebuild_failures: publisher.failures(),
    log_alarms: alarms.open(),
    budget_drift: usageUpkeep.budgetDrift(),
    backends: program.backends(),
    replicas,
    replicas_seeing_unhealthy_backends: affected,
    notifications: notifier.counts(),
  };
}
