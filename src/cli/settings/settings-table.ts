// Lists every setting of the serving roles. Options, help, /admin/config and the reference page come from this table.

import { availableParallelism } from 'node:os';

import { z } from 'zod';

import { egressEntryForms, readEgressEntry } from '../../egress/egress-list.ts';
import * as extensions from '../../../extensions/settings.ts';
import type { SettingsPart } from '../../../extensions/settings.ts';
import { classifierSettings } from './classifier-settings.ts';
import { managedSettings } from './cluster-settings.ts';
import { fileSettings } from './file-settings.ts';
import { forwardingSettings } from './forwarding-settings.ts';
import { providerSettings } from './provider-settings.ts';
import { telemetrySettings } from './telemetry-settings.ts';
import {
  choice,
  define,
  hexKey,
  httpUrl,
  list,
  onOrOff,
  oneServerUrl,
  postgresUrl,
  text,
  wholeNumber,
} from './setting.ts';
import type { ValuesOf } from './setting.ts';

/** A value without a scheme is a file path. */
const urlOrFile = text.refine(
  (place) => !/^[a-z][a-z\d+.-]*:\/\//i.test(place) || /^(?:https?|file):\/\/./i.test(place),
  { error: 'must be an http://, https:// or file:// address, or the path of a file' },
);

const egressList = list.refine(
  (entries) => entries.every((entry) => readEgressEntry(entry) !== null),
  { error: `must be ${egressEntryForms}` },
);

const workersMax = 256;

/** `cores` means one per core that this process may use. */
const workerCount = z
  .string()
  .transform((count) => (count === 'cores' ? String(availableParallelism()) : count))
  .pipe(wholeNumber({ from: 1, to: workersMax }));

const none: readonly string[] = [];
const port = wholeNumber({ from: 0, to: 65_535 });

/** Named after their flags. `unit` is the unit of a number. */
const coreSettings = {
  role: define({
    flag: '--role',
    variable: 'GW_ROLE',
    schema: choice(['proxy', 'control', 'all']),
    fallback: 'proxy',
    description:
      'proxy forwards requests, control serves the admin API, all does both in one process',
  }),
  config: define({
    flag: '-c,--config',
    variable: 'GW_CONFIG',
    schema: text,
    fallback: null,
    description: 'configuration file of a proxy without a control plane (File mode)',
  }),
  host: define({
    flag: '--host',
    variable: 'GW_HOST',
    schema: text,
    fallback: '127.0.0.1',
    description: 'listen address of both listeners',
  }),
  port: define({
    flag: '-p,--port',
    variable: 'GW_PORT',
    schema: port,
    fallback: 4000,
    description: 'port of the gateway; 0 is any free port',
  }),
  adminPort: define({
    flag: '--admin-port',
    variable: 'GW_ADMIN_PORT',
    schema: port,
    fallback: 4001,
    description: 'port of the admin API and UI; 0 is any free port',
  }),
  gatewayUrl: define({
    flag: '--gateway-url',
    variable: 'GW_GATEWAY_URL',
    schema: httpUrl,
    fallback: null,
    description:
      'address at which clients reach the gateway, for the management UI; role all knows its own',
  }),
  databaseUrl: define({
    flag: '--database-url',
    variable: 'GW_DATABASE_URL',
    schema: postgresUrl,
    fallback: null,
    secret: true,
    description:
      'Postgres database of the control plane; may name several servers (postgres://…@a:5432,b:5432/gw)',
  }),
  databaseReadUrl: define({
    flag: '--database-read-url',
    variable: 'GW_DATABASE_READ_URL',
    schema: oneServerUrl,
    fallback: null,
    secret: true,
    description: 'one standby of the database, for usage reports that may be up to 30 s old',
  }),
  databaseMaxConnections: define({
    flag: null,
    variable: 'GW_DATABASE_MAX_CONNECTIONS',
    schema: wholeNumber({ from: 2, to: 1000 }),
    fallback: 8,
    description: 'maximum Postgres connections for commands; reports and LISTEN need three more',
  }),
  controlUrl: define({
    flag: '--control-url',
    variable: 'GW_CONTROL_URL',
    schema: httpUrl,
    fallback: null,
    description: 'admin address of the control plane; a proxy follows it (Http mode)',
  }),
  proxyToken: define({
    flag: '--proxy-token',
    variable: 'GW_PROXY_TOKEN',
    schema: text,
    fallback: null,
    secret: true,
    description: 'token with which proxies authenticate at the control plane',
  }),
  snapshotCache: define({
    flag: '--snapshot-cache',
    variable: 'GW_SNAPSHOT_CACHE',
    schema: text,
    fallback: '/var/lib/gw/snapshot.json',
    description:
      'file with the last snapshot and log position, from which a proxy starts while its control plane is unavailable',
  }),
  configPoll: define({
    flag: '--config-poll',
    variable: 'GW_CONFIG_POLL',
    schema: wholeNumber({ from: 1, to: 3600 }),
    fallback: 5,
    unit: 'seconds',
    description: 'time between requests of a proxy for a newer snapshot',
  }),
  acceptLog: define({
    flag: '--accept-log',
    variable: 'GW_ACCEPT_LOG',
    schema: text,
    fallback: null,
    description: 'id of a new event log that a proxy may follow instead of the current one',
  }),
  snapshotRebuildInterval: define({
    flag: '--snapshot-rebuild-interval',
    variable: 'GW_SNAPSHOT_REBUILD_INTERVAL',
    schema: wholeNumber({ from: 1, to: 3600 }),
    fallback: 5,
    unit: 'seconds',
    description: 'time between updates of budget windows and of the spend that proxies receive',
  }),
  usageSpool: define({
    flag: '--usage-spool',
    variable: 'GW_USAGE_SPOOL',
    schema: text,
    fallback: null,
    description: 'directory that buffers usage while the control plane is unavailable',
  }),
  usageSpoolMaxMb: define({
    flag: '--usage-spool-max-mb',
    variable: 'GW_USAGE_SPOOL_MAX_MB',
    schema: wholeNumber({ from: 1, to: 1_048_576 }),
    fallback: 256,
    unit: 'MiB',
    description: 'maximum size of that buffer; beyond it, rows are dropped and counted',
  }),
  usageRetention: define({
    flag: '--usage-retention',
    variable: 'GW_USAGE_RETENTION',
    schema: wholeNumber({ from: 1, to: 3650 }),
    fallback: 90,
    unit: 'days',
    description: 'retention of single usage rows; older ones are kept as hourly sums',
  }),
  spendAnomalyFactor: define({
    flag: '--spend-anomaly-factor',
    variable: 'GW_SPEND_ANOMALY_FACTOR',
    schema: wholeNumber({ from: 0, to: 1000 }),
    fallback: 5,
    description:
      'notify when an hour costs more than this many times the median of the same hour on the 14 days before; 0 never',
  }),
  spendAnomalyFloor: define({
    flag: '--spend-anomaly-floor',
    variable: 'GW_SPEND_ANOMALY_FLOOR',
    schema: wholeNumber({ from: 0, to: 1_000_000_000 }),
    fallback: 100,
    description: 'an hour that costs less is never an anomaly, in whole units of any currency',
  }),
  rateLimitReconcileInterval: define({
    flag: '--rate-limit-reconcile-interval',
    variable: 'GW_RATE_LIMIT_RECONCILE_INTERVAL',
    schema: wholeNumber({ from: 1, to: 3600 }),
    fallback: 5,
    unit: 'seconds',
    description: 'time between requests of a proxy for its allotments of rate limits and budgets',
  }),
  rateLimitOnOutage: define({
    flag: '--rate-limit-on-outage',
    variable: 'GW_RATE_LIMIT_ON_OUTAGE',
    schema: wholeNumber({ from: 0, to: 100 }),
    fallback: 100,
    description:
      'percentage of each rate limit that a proxy enforces while no control plane answers; 0 refuses',
  }),
  budgetOnOutage: define({
    flag: '--budget-on-outage',
    variable: 'GW_BUDGET_ON_OUTAGE',
    schema: wholeNumber({ from: 0, to: 100 }),
    fallback: 100,
    description:
      'percentage of what is left of each budget that a proxy may spend while no control plane answers; 0 refuses',
  }),
  healthReportInterval: define({
    flag: '--health-report-interval',
    variable: 'GW_HEALTH_REPORT_INTERVAL',
    schema: wholeNumber({ from: 1, to: 3600 }),
    fallback: 10,
    unit: 'seconds',
    description: 'time between health reports of a proxy',
  }),
  healthInterval: define({
    flag: '--health-interval',
    variable: 'GW_HEALTH_INTERVAL',
    schema: wholeNumber({ from: 1, to: 3600 }),
    fallback: 10,
    unit: 'seconds',
    description: 'time between health probes of each endpoint (a request for its model list)',
  }),
  healthTimeout: define({
    flag: '--health-timeout',
    variable: 'GW_HEALTH_TIMEOUT',
    schema: wholeNumber({ from: 1, to: 300 }),
    fallback: 3,
    unit: 'seconds',
    description: 'timeout of a health probe',
  }),
  webhookUrl: define({
    flag: '--webhook-url',
    variable: 'GW_WEBHOOK_URL',
    schema: z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' }),
    fallback: null,
    secret: true,
    description: 'address that receives notifications about the fleet',
  }),
  webhookSecret: define({
    flag: '--webhook-secret',
    variable: 'GW_WEBHOOK_SECRET',
    schema: text,
    fallback: null,
    secret: true,
    description: 'secret that signs each notification in x-gw-signature (HMAC-SHA256)',
  }),
  ...forwardingSettings,
  ...providerSettings,
  ...classifierSettings,
  shutdownGrace: define({
    flag: '--shutdown-grace',
    variable: 'GW_SHUTDOWN_GRACE',
    schema: wholeNumber({ from: 0, to: 3600 }),
    fallback: 25,
    unit: 'seconds',
    description: 'time for requests in flight to finish after SIGTERM',
  }),
  shutdownDelay: define({
    flag: '--shutdown-delay',
    variable: 'GW_SHUTDOWN_DELAY',
    schema: wholeNumber({ from: 0, to: 3600 }),
    fallback: null,
    unit: 'seconds',
    description:
      'time that a gateway keeps serving after SIGTERM while /readyz answers 503; default 5 under Kubernetes, else 0',
  }),
  workers: define({
    flag: '--workers',
    variable: 'GW_WORKERS',
    schema: workerCount,
    fallback: 1,
    description: 'proxy processes that share the port: a number, or cores for one per core',
  }),
  tlsCert: define({
    flag: '--tls-cert',
    variable: 'GW_TLS_CERT',
    schema: text,
    fallback: null,
    description: 'PEM certificate of the admin listener',
  }),
  tlsKey: define({
    flag: '--tls-key',
    variable: 'GW_TLS_KEY',
    schema: text,
    fallback: null,
    description: 'PEM key of the admin listener',
  }),
  caBundle: define({
    flag: '--ca-bundle',
    variable: 'GW_CA_BUNDLE',
    schema: text,
    fallback: null,
    description:
      'PEM certificates to trust in addition to the built-in ones, for control plane and backends',
  }),
  egressAllow: define({
    flag: '--egress-allow',
    variable: 'GW_EGRESS_ALLOW',
    schema: egressList,
    fallback: none,
    description: `only these addresses may be dialled: ${egressEntryForms}`,
  }),
  egressDeny: define({
    flag: '--egress-deny',
    variable: 'GW_EGRESS_DENY',
    schema: egressList,
    fallback: none,
    description: 'these addresses are never dialled; same syntax as --egress-allow',
  }),
  priceAggregatorUrl: define({
    flag: '--price-aggregator-url',
    variable: 'GW_PRICE_AGGREGATOR_URL',
    schema: urlOrFile,
    fallback: 'https://openrouter.ai/api/v1/models',
    description: 'first source of prices: URL or file of an aggregator',
  }),
  priceCatalogueUrl: define({
    flag: '--price-catalogue-url',
    variable: 'GW_PRICE_CATALOGUE_URL',
    schema: urlOrFile,
    fallback:
      'https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json',
    description: 'second source of prices: URL or file of a price catalogue',
  }),
  strictKeyMint: define({
    flag: '--strict-key-mint',
    variable: 'GW_STRICT_KEY_MINT',
    schema: onOrOff,
    fallback: false,
    description:
      'callers without config:write create keys only for principals with no more permissions than their own',
  }),
  ...telemetrySettings,
  ...managedSettings,
  ...fileSettings,
  encryptionKey: define({
    flag: null,
    variable: 'GW_ENCRYPTION_KEY',
    schema: hexKey,
    fallback: null,
    secret: true,
    description: 'key that encrypts provider credentials and personal data',
  }),
  secretRetention: define({
    flag: '--secret-retention',
    variable: 'GW_SECRET_RETENTION',
    schema: wholeNumber({ from: 1, to: 3650 }),
    fallback: 30,
    unit: 'days',
    description: 'time until the vault erases secrets and personal data that nothing refers to',
  }),
  encryptionKeyPrevious: define({
    flag: null,
    variable: 'GW_ENCRYPTION_KEY_PREVIOUS',
    schema: hexKey,
    fallback: null,
    secret: true,
    description: 'previous encryption key, for decryption until `gw reencrypt-backends` is done',
  }),
} as const;

export type SettingsTable = typeof coreSettings;
export type SettingName = keyof SettingsTable;

export type SettingValues = ValuesOf<SettingsTable>;

export const settingsParts: readonly SettingsPart[] = Object.values<SettingsPart>(extensions);

/** The types know only the settings of the core; an extension reads its own with `valuesIn`. */
export const settingsTable: SettingsTable = Object.assign(
  {},
  coreSettings,
  ...settingsParts.map(({ table }) => table),
);
