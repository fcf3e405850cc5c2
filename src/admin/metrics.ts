// What the control plane counts, for a scraper: no configuration, no names of anyone.

import { z } from 'zod';

import { controlMetrics, controlMetricsType } from '../telemetry/control-metrics.ts';
import { none, route } from './route.ts';
import type { Route } from './route.ts';

export const metricsRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/metrics',
    operation: 'getMetrics',
    permission: 'open',
    summary: 'What this control process counts, as text for Prometheus',
    refusals: [],
    mediaType: 'text/plain',
    params: none,
    query: none,
    body: none,
    response: z.string().meta({ examples: ['gw_webhooks_dropped_total 0\n'] }),
    handle: (_input, { control }) => {
      const { delivered, failed, dropped } = control.notifier.counts();
      const text = controlMetrics({
        replicas: control.fleet.rows().length,
        snapshotRebuildFailures: control.publisher.failures(),
        webhooksDelivered: delivered,
        webhooksFailed: failed,
        webhooksDropped: dropped,
      });
      return { headers: { 'content-type': controlMetricsType }, bytes: Buffer.from(text) };
    },
  }),
];
