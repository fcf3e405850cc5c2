// Lists every metric that gw exports: name, type, meaning and labels (specification, "Logs,
// metrics, traces"). A page omits families that the process does not measure; it never shows them
// as zero.

type Shape<Labels> = Readonly<{ name: string; help: string; labels: Labels }>;

/**
 * `merge` combines two readings of one series, from one process or several workers: their sum, or
 * the worse state.
 */
export type Metric = Shape<readonly string[]> &
  Readonly<{ type: 'counter' | 'gauge' | 'histogram'; merge: 'sum' | 'min' | 'max' }>;

const counter = <const Labels extends readonly string[]>(
  name: string,
  help: string,
  ...labels: Labels
) => ({ type: 'counter', merge: 'sum', name, help, labels }) as const;

const gauge = <const Labels extends readonly string[]>(
  name: string,
  help: string,
  ...labels: Labels
) => ({ type: 'gauge', merge: 'sum', name, help, labels }) as const;

/** Merges to the minimum. */
const least = <const Labels extends readonly string[]>(
  name: string,
  help: string,
  ...labels: Labels
) => ({ type: 'gauge', merge: 'min', name, help, labels }) as const;

/** Merges to the maximum. */
const greatest = <const Labels extends readonly string[]>(
  name: string,
  help: string,
  ...labels: Labels
) => ({ type: 'gauge', merge: 'max', name, help, labels }) as const;

const histogram = <const Labels extends readonly string[]>(
  name: string,
  help: string,
  ...labels: Labels
) => ({ type: 'histogram', merge: 'sum', name, help, labels }) as const;

/** `model` is the upstream's name of the model. */
const backend = ['api_base', 'model'] as const;

/** At `/metrics` of the gateway's listener. */
export const gatewayMetrics = {
  requests: counter('gw_requests_total', 'Requests on the proxied routes'),
  requestsFailed: counter('gw_requests_failed_total', 'Requests answered with 5xx or cut off'),
  outcomes: counter('gw_request_outcomes_total', 'Requests by outcome', 'outcome'),
  rejections: counter(
    'gw_rejections_total',
    'Requests refused by the gateway itself, by reason',
    'reason',
  ),
  requestDuration: histogram('gw_request_duration_seconds', 'Time from request to end of answer'),
  firstToken: histogram(
    'gw_time_to_first_token_seconds',
    'Time from request to the first byte of the answer',
  ),
  upstreamStatus: counter(
    'gw_upstream_status_total',
    'Answers of backends by class of status; 429 apart from other 4xx',
    'class',
  ),
  retries: counter('gw_retries_total', 'Retries on a sibling backend of the same model'),
  failovers: counter('gw_failovers_total', 'Moves to the next model of a chain'),
  fallbackUsed: counter('gw_fallback_used_total', 'Requests that the fallback model answered'),
  modelRequests: counter('gw_model_requests_total', 'Requests by the model that answered', 'model'),
  modelTokens: counter(
    'gw_model_tokens_total',
    'Tokens that answers reported, by the model that answered',
    'model',
    'kind',
  ),
  tokens: counter(
    'gw_tokens_total',
    'Tokens that answers reported, each under one kind: input and output are those of no other kind',
    'model',
    'kind',
  ),
  usageClamped: counter(
    'gw_usage_clamped_total',
    'Answers that reported more tokens of some kinds than in total; they were limited to the total',
  ),
  modelDuration: histogram(
    'gw_model_duration_seconds',
    'Duration of requests by the model that answered',
    'model',
  ),
  modelFirstToken: histogram(
    'gw_model_time_to_first_token_seconds',
    'Time to the first byte of the answer by the model that answered',
    'model',
  ),
  backendRequests: counter('gw_backend_requests_total', 'Attempts at a backend', ...backend),
  backendErrors: counter(
    'gw_backend_errors_total',
    'Attempts that failed or were answered with 5xx',
    ...backend,
  ),
  backendDuration: histogram(
    'gw_backend_duration_seconds',
    'Duration of attempts whose answer was complete',
    ...backend,
  ),
  backendInFlight: gauge('gw_backend_inflight', 'Attempts in flight', ...backend),
  backendHealthy: least(
    'gw_backend_healthy',
    '1 while the backend is considered healthy, else 0',
    ...backend,
  ),
  backendEjections: counter(
    'gw_backend_ejections_total',
    'Times that a backend was ejected from rotation because of failed traffic',
    ...backend,
  ),
  // All workers read the same engine, so their readings are not added up.
  backendEngineRequests: greatest(
    'gw_backend_engine_requests',
    "Requests in the engine, by the engine's own metrics",
    'state',
    ...backend,
  ),
  admissionMaxConcurrent: gauge(
    'gw_admission_max_concurrent',
    'Configured ceiling of concurrent requests to the engine',
    ...backend,
  ),
  admissionCapacity: gauge(
    'gw_admission_capacity',
    'Current ceiling, lowered while the engine queues',
    ...backend,
  ),
  admissionInUse: gauge('gw_admission_in_use', 'Slots of the ceiling in use', ...backend),
  admissionQueued: gauge('gw_admission_queued', 'Requests waiting for a slot', ...backend),
  admissionAdmitted: counter('gw_admission_admitted_total', 'Requests that got a slot', ...backend),
  admissionRefused: counter(
    'gw_admission_refused_total',
    'Requests that got no slot: the queue was full or the wait timed out',
    'reason',
    ...backend,
  ),
  snapshots: counter(
    'gw_snapshots_received_total',
    'Snapshots from the control plane: whole, as a delta, or with another root than stated',
    'kind',
  ),
  snapshotRefused: greatest(
    'gw_snapshot_refused',
    '1 while the newest configuration cannot be served and an older one is, else 0',
  ),
  cache: counter('gw_cache_total', 'Response cache: hits, misses and stored answers', 'kind'),
  cacheEntries: gauge('gw_cache_entries', 'Answers held by the response cache'),
  cacheBytes: gauge('gw_cache_bytes', 'Bytes held by the response cache'),
  classifiedFast: counter('gw_classified_fast_total', 'Prompts that the fast tier classified'),
  classifiedRefined: counter(
    'gw_classified_refined_total',
    'Prompts that the refined tier classified',
  ),
  unclassified: counter('gw_unclassified_total', 'Prompts that matched no class'),
  classifyEscalations: counter(
    'gw_classify_escalations_total',
    'Prompts that the fast tier passed on to the refined tier',
  ),
  classifyDuration: histogram('gw_classify_duration_seconds', 'Time to classify a prompt'),
  allotmentsUsed: counter(
    'gw_allotments_used_total',
    'Amounts of rate limits and budgets that this process admitted; budgets by estimates',
    'dimension',
  ),
  allotmentsRefused: counter(
    'gw_allotments_refused_total',
    'Requests refused because the allotment of this process was used up, while more may be left',
    'of',
  ),
  allotmentsOutage: greatest(
    'gw_allotments_outage',
    '1 while no control plane has given allotments for 90 seconds, or since the start, else 0',
  ),
  usageDropped: counter(
    'gw_usage_reports_dropped_total',
    'Usage events dropped because the queue was full',
  ),
  usageSpoolBytes: gauge('gw_usage_spool_bytes', 'Undelivered usage in the files of the spool'),
  usageSpoolBytesMax: gauge(
    'gw_usage_spool_max_bytes',
    'Limit of the usage spool; usage beyond it waits in memory, then is dropped',
  ),
  traceSpans: counter(
    'gw_trace_spans_total',
    'Spans of sampled requests: exported, refused by the collector, dropped by a full queue',
    'result',
  ),
} as const satisfies Readonly<Record<string, Metric>>;

/** On both listeners. */
export const processMetrics = {
  buildInfo: least('gw_build_info', 'Constant 1, with the version', 'version'),
  snapshotVersion: least(
    'gw_snapshot_version',
    'Version of the configuration that is served or published; 0 before the first',
  ),
  snapshotAge: greatest(
    'gw_snapshot_age_seconds',
    'Seconds since this configuration was last known to be the newest',
  ),
  processStart: least('process_start_time_seconds', 'Start of the process in Unix time'),
  processCpu: counter('process_cpu_seconds_total', 'User and system time of the process'),
  processMemory: gauge('process_resident_memory_bytes', 'Resident memory of the process'),
  eventLoop: counter(
    'gw_event_loop_seconds_total',
    'Time of the event loop by state; the share of active shows how busy its thread is',
    'state',
  ),
  connectionsRefused: counter(
    'gw_connections_refused_total',
    'Connections that the listener closed at once: over the limit of their address, or of all',
    'reason',
  ),
} as const satisfies Readonly<Record<string, Metric>>;

/** At `/metrics` of the admin listener. */
export const controlMetrics = {
  logHead: gauge('gw_log_head_position', 'Last known end position of the event log'),
  logRead: gauge('gw_log_read_position', 'Position up to which this process has read the log'),
  logLag: gauge('gw_log_lag_events', 'Events that this process has not read yet'),
  logAlarms: gauge(
    'gw_log_alarms',
    'Alarms that the log was changed or rolled back without a new epoch',
  ),
  logUnsigned: gauge(
    'gw_log_unsigned_seconds',
    'Seconds since all events were last covered by a signed checkpoint; only if an audit signing key is set',
  ),
  appendDuration: histogram(
    'gw_log_append_duration_seconds',
    'Duration of committed mutations, from waiting for the lock to the commit',
  ),
  snapshotBuildDuration: histogram(
    'gw_snapshot_build_duration_seconds',
    'Time to build a snapshot and publish it',
  ),
  snapshotRebuildFailures: counter(
    'gw_snapshot_rebuild_failures_total',
    'Snapshots that could not be published; the previous one stays in use',
  ),
  databaseConnections: gauge('gw_database_connections', 'Open connections to Postgres', 'pool'),
  databaseConnectionsMax: gauge(
    'gw_database_connections_max',
    'Maximum connections of a pool',
    'pool',
  ),
  databaseQueries: gauge('gw_database_queries', 'Statements in progress', 'pool'),
  databaseErrors: counter(
    'gw_database_errors_total',
    'Statements that failed, by the class of their SQLSTATE: 53 is a full disk or another resource, 25 a read-only server',
    'pool',
    'class',
  ),
  webhooksDelivered: counter(
    'gw_webhooks_delivered_total',
    'Notifications that were accepted by the receiver',
  ),
  webhooksFailed: counter(
    'gw_webhooks_failed_total',
    'Notifications that were not accepted by the receiver',
  ),
  webhooksDropped: counter(
    'gw_webhooks_dropped_total',
    'Notifications never sent, because the queue was full or the process ended',
  ),
  webhookPending: gauge(
    'gw_webhook_pending',
    'Notifications that wait for delivery to a webhook, by the id of the webhook',
    'endpoint',
  ),
  webhookDropped: gauge(
    'gw_webhook_dropped',
    'Notifications that a webhook never gets, because its queue was full, since it was created',
    'endpoint',
  ),
  webhookFailures: counter(
    'gw_webhook_failed_attempts_total',
    'Attempts of this process that a webhook did not accept',
    'endpoint',
  ),
  notificationsUnstored: counter(
    'gw_notifications_unstored_total',
    'Notifications that no webhook gets, because the database was unavailable for too long',
  ),
  reviewsDue: gauge(
    'gw_change_reviews_due',
    'Changes made without the required approval that await a review',
  ),
  fleetReplicas: gauge(
    'gw_fleet_replicas',
    'Replicas that report to any control plane, at the last count',
  ),
  allotmentsGranted: counter(
    'gw_allotments_granted_total',
    'Amounts of rate limits and budgets handed out to proxies, beyond what they kept',
    'dimension',
  ),
  allotmentsShort: counter(
    'gw_allotments_short_total',
    'Times that a proxy needed more of a rate limit or budget than was left for it',
    'dimension',
  ),
  budgetDrift: gauge(
    'gw_budget_drift',
    'Budgets whose counter differed from the sum of their usage rows at the last check',
  ),
  archiveHours: greatest('gw_usage_archive_hours', 'Hours in the archive of usage'),
  archiveBytes: greatest('gw_usage_archive_bytes', 'Size of the segments of the archive of usage'),
  archivePending: greatest(
    'gw_usage_archive_pending_hours',
    'Hours that should be in the archive of usage and are not',
  ),
  archiveFailed: greatest(
    'gw_usage_archive_failed_hours',
    'Hours that could not be archived or verified at the last attempt',
  ),
  archiveFailures: counter(
    'gw_usage_archive_failures_total',
    'Runs of this process that could not archive or verify everything that was due',
  ),
  archiveUnused: greatest(
    'gw_usage_archive_unused',
    '1 while the archive settings of this process are not used, because others differ, else 0',
  ),
} as const satisfies Readonly<Record<string, Metric>>;

/** At `/metrics` of the listener of `gw operator`. */
export const operatorMetrics = {
  operatorLeading: greatest('gw_operator_leading', '1 while this operator leads, else 0'),
  operatorPasses: counter(
    'gw_operator_passes_total',
    'Passes over all managed deployments: done, repeated at once, failed',
    'result',
  ),
  operatorWrites: counter(
    'gw_operator_writes_total',
    'Writes of objects: written, in conflict with another writer, refused by the API server',
    'result',
  ),
  operatorDeployments: gauge(
    'gw_operator_deployments',
    'Managed deployments by phase at the last pass; reported by the leader',
    'phase',
  ),
} as const satisfies Readonly<Record<string, Metric>>;

export const metricTable = {
  ...processMetrics,
  ...gatewayMetrics,
  ...controlMetrics,
  ...operatorMetrics,
} as const;

export type MetricName = keyof typeof metricTable;

export type LabelsOf<Name extends MetricName> = Readonly<
  Record<(typeof metricTable)[Name]['labels'][number], string>
>;
