// Exposes counters of the control plane to Prometheus, without configuration or names. Reads
// nothing from the database.

import { allottedDimensions } from '../../control/usage/allotment-tally.ts';
import { z } from 'zod';

import type { ConfigState } from '../../../projections/config/state.ts';
import { addConnectionsRefused, addProcess, addSnapshot } from '../../telemetry/metrics.ts';
import { metricsContentType, renderMetrics } from '../../telemetry/registry.ts';
import type { Scrape } from '../../telemetry/scrape.ts';
import type { ArchiveMeasures } from '../../control/fleet/plane-measures.ts';
import type { OperationNeeds } from './needs.ts';
import { none, route } from '../http/route.ts';

export const metricsRoutes = [
  route({
    method: 'GET',
    path: '/metrics',
    operation: 'getMetrics',
    permission: 'open',
    summary: 'Get the metrics of this control process, in Prometheus text format',
    refusals: [],
    mediaType: 'text/plain',
    params: none,
    query: none,
    body: none,
    response: z.string().meta({ examples: ['gw_webhooks_dropped_total 0\n'] }),
    handle: async (_input, { config: { state } }, needs: OperationNeeds) => ({
      headers: { 'content-type': metricsContentType },
      bytes: Buffer.from(await renderMetrics([(scrape) => addControl(scrape, needs, state())])),
    }),
  }),
] as const;

function addControl(scrape: Scrape, control: OperationNeeds, state: ConfigState): void {
  const { publisher, measures, program, notifier } = control;
  addProcess(scrape, program.version);
  addConnectionsRefused(scrape, measures.connectionsRefused);
  addSnapshot(scrape, {
    snapshotVersion: publisher.current()?.version ?? 0,
    snapshotAgeSeconds: (performance.now() - measures.currentAt) / 1000,
  });
  scrape.addDurations('snapshotBuildDuration', {}, measures.builds);
  scrape.add('snapshotRebuildFailures', {}, publisher.failures());
  addLog(scrape, control, state);
  const pools = Object.entries(measures.pools);
  for (const [pool, { connections, connectionsMax, queries, errors }] of pools) {
    scrape.add('databaseConnections', { pool }, connections);
    scrape.add('databaseConnectionsMax', { pool }, connectionsMax);
    scrape.add('databaseQueries', { pool }, queries);
    for (const [one, count] of errors) scrape.add('databaseErrors', { pool, class: one }, count);
  }
  const { granted, short } = measures.allotments;
  for (const dimension of allottedDimensions) {
    scrape.add('allotmentsGranted', { dimension }, granted[dimension]);
    scrape.add('allotmentsShort', { dimension }, short[dimension]);
  }
  scrape.add('reviewsDue', {}, reviewsDue(state));
  scrape.add('fleetReplicas', {}, control.fleet.measured().replicas);
  const { delivered, failed, dropped } = notifier.counts();
  scrape.add('webhooksDelivered', {}, delivered);
  scrape.add('webhooksFailed', {}, failed);
  scrape.add('webhooksDropped', {}, dropped);
  addWebhooks(scrape, control);
  const drift = control.usageUpkeep.budgetDrift();
  if (drift !== null) scrape.add('budgetDrift', {}, drift);
  if (measures.archive !== null) addArchive(scrape, measures.archive);
}

function addArchive(scrape: Scrape, archive: ArchiveMeasures): void {
  scrape.add('archiveHours', {}, archive.hours);
  scrape.add('archiveBytes', {}, archive.bytes);
  scrape.add('archivePending', {}, archive.pendingHours);
  scrape.add('archiveFailed', {}, archive.failedHours);
  scrape.add('archiveFailures', {}, archive.failures);
  scrape.add('archiveUnused', {}, archive.isUsed ? 0 : 1);
}

function addWebhooks(scrape: Scrape, { webhooks }: OperationNeeds): void {
  const { queues, failures, dropped } = webhooks.measured();
  for (const { endpointId, pending, dropped: full } of queues) {
    scrape.add('webhookPending', { endpoint: String(endpointId) }, pending);
    scrape.add('webhookDropped', { endpoint: String(endpointId) }, full);
  }
  for (const [id, count] of failures)
    scrape.add('webhookFailures', { endpoint: String(id) }, count);
  scrape.add('notificationsUnstored', {}, dropped);
}

const reviewsDue = ({ change_request: requests }: ConfigState): number =>
  [...requests.byId.values()].filter((one) => one.state === 'review_due').length;

function addLog(
  scrape: Scrape,
  { measures, alarms }: OperationNeeds,
  { position }: ConfigState,
): void {
  // Events that this process appended may be newer than its last reading of the head.
  const head = Math.max(measures.head, position);
  scrape.add('logHead', {}, head);
  scrape.add('logRead', {}, position);
  scrape.add('logLag', {}, head - position);
  scrape.add('logAlarms', {}, alarms.open());
  if (measures.signedAt !== null) {
    scrape.add('logUnsigned', {}, (performance.now() - measures.signedAt) / 1000);
  }
  scrape.addDurations('appendDuration', {}, measures.appends);
}
