// Every gw_* series of a control plane in one table, written in the text format of Prometheus
// (https://prometheus.io/docs/instrumenting/exposition_formats/). None has a label.

export type ControlReadings = Readonly<{
  replicas: number;
  snapshotRebuildFailures: number;
  webhooksDelivered: number;
  webhooksFailed: number;
  webhooksDropped: number;
}>;

type Row = readonly [name: string, type: 'counter' | 'gauge', help: string];

const rows = {
  replicas: ['gw_fleet_replicas', 'gauge', 'Replicas that report to this process'],
  snapshotRebuildFailures: [
    'gw_snapshot_rebuild_failures_total',
    'counter',
    'Snapshots that could not be published',
  ],
  webhooksDelivered: ['gw_webhooks_delivered_total', 'counter', 'Notifications that were taken'],
  webhooksFailed: ['gw_webhooks_failed_total', 'counter', 'Notifications that were not taken'],
  webhooksDropped: [
    'gw_webhooks_dropped_total',
    'counter',
    'Notifications never sent, because the queue was full or the process ended',
  ],
} as const satisfies Readonly<Record<keyof ControlReadings, Row>>;

export const controlMetricsType = 'text/plain; version=0.0.4; charset=utf-8';

export const controlMetrics = (readings: ControlReadings): string =>
  [
    series(rows.replicas, readings.replicas),
    series(rows.snapshotRebuildFailures, readings.snapshotRebuildFailures),
    series(rows.webhooksDelivered, readings.webhooksDelivered),
    series(rows.webhooksFailed, readings.webhooksFailed),
    series(rows.webhooksDropped, readings.webhooksDropped),
  ].join('');

const series = ([name, type, help]: Row, value: number): string =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name} ${value}\n`;
