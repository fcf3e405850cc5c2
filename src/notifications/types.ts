// Lists the notifications that gw sends: what each is called, how severe it is and what it says.
// Plain data without imports, because the browser reads it too.

type BackendData = Readonly<{ replica: string; api_base: string; model: string }>;

/** The data of each type, as receivers get it. */
export type NotificationData = Readonly<{
  backend_down: BackendData;
  backend_recovered: BackendData;
  /**
   * `replica` is the control process that could not publish. `consecutive` counts consecutive
   * failures.
   */
  snapshot_rebuild_failed: Readonly<{ replica: string; error: string; consecutive: number }>;
  /** A signed note of the log, to be stored outside of the database. */
  log_checkpoint: Readonly<{ position: number; checkpoint: string }>;
  /** `replica`, hashes and `epoch` are null if no replica observed the difference. */
  log_alarm: Readonly<{
    position: number;
    problem: string;
    replica: string | null;
    seen_hash: string | null;
    log_hash: string | null;
    epoch: number | null;
  }>;
  /**
   * The spending of a budget reached `percent` of its cap. `principal` is null for people. `spent`
   * and `cap` are tokens, or micro-units of money.
   */
  budget_threshold: Readonly<{
    principal_id: number;
    principal: string | null;
    kind: 'tokens' | 'money';
    percent: number;
    spent: number;
    cap: number;
    window_start: string;
    window_end: string;
  }>;
  /**
   * The spending of an hour is more than `factor` times the median of the same hour on the 14 days
   * before. Both ids are null for the sum of all principals; `principal` is null for people too.
   * `spent` and `median` are micro-units of `currency`.
   */
  spend_anomaly: Readonly<{
    principal_id: number | null;
    principal: string | null;
    currency: string;
    hour: string;
    spent: number;
    median: number;
    factor: number;
  }>;
  webhook_test: Readonly<{ webhook: string }>;
}>;

export type NotificationType = keyof NotificationData;

export type NotificationOf<Type extends NotificationType> = Readonly<{
  type: Type;
  data: NotificationData[Type];
  /** When it happened, in epoch milliseconds; the time of the call if absent. */
  at?: number;
}>;

export type Notification = {
  [Type in NotificationType]: NotificationOf<Type>;
}[NotificationType];

export type Severity = 'critical' | 'error' | 'warning' | 'info';

type TypeFacts<Data> = Readonly<{
  /** The name in lists, in sentence case. */
  title: string;
  /** Completes "gw sends it when …". */
  when: string;
  /** One sentence about this notification. */
  summary: (data: Data) => string;
  severity: Severity;
  /**
   * Equal for all notifications of one incident, so that a later one updates it. PagerDuty gets it
   * as the deduplication key.
   */
  incident: (data: Data) => string;
  /** True if the notification ends its incident. */
  isRecovery?: true;
  /**
   * True if webhooks get it only if they select it, because it is frequent or has no meaning for
   * others.
   */
  isOptional?: true;
  /** Data for tests and for the reference. */
  example: Data;
}>;

const backendIncident = ({ replica, api_base, model }: BackendData): string =>
  ['backend', replica, api_base, model].join(' ');
const backendExample = {
  replica: 'proxy-1-9f86d081',
  api_base: 'http://10.0.0.5:8000/v1',
  model: 'Qwen/Qwen3-8B',
};

/** Money has two decimals. */
const amountOf = (kind: 'tokens' | 'money', amount: number): string =>
  kind === 'tokens' ? `${amount} tokens` : (amount / 1_000_000).toFixed(2);

const moneyOf = (micros: number, currency: string): string =>
  `${amountOf('money', micros)} ${currency}`;

type Spender = Readonly<{ principal_id: number | null; principal: string | null }>;

const spenderOf = ({ principal_id: id, principal }: Spender): string =>
  id === null ? 'All principals together' : (principal ?? `Principal ${id}`);

type Table = { readonly [Type in NotificationType]: TypeFacts<NotificationData[Type]> };

export const notificationTypes: Table = {
  backend_down: {
    title: 'Backend down',
    when: 'a replica reports that a backend became unhealthy; not with its first report',
    summary: ({ replica, api_base, model }) =>
      `Backend ${model} at ${api_base} is down, as seen by replica ${replica}.`,
    severity: 'error',
    incident: backendIncident,
    example: backendExample,
  },
  backend_recovered: {
    title: 'Backend recovered',
    when: 'a replica reports that the backend is healthy again',
    summary: ({ replica, api_base, model }) =>
      `Backend ${model} at ${api_base} is healthy again, as seen by replica ${replica}.`,
    severity: 'info',
    incident: backendIncident,
    isRecovery: true,
    example: backendExample,
  },
  snapshot_rebuild_failed: {
    title: 'Snapshot not published',
    when: 'a change in the database cannot be published, once for each change',
    summary: ({ replica, error, consecutive }) =>
      `Control process ${replica} could not publish a snapshot (failure ${consecutive}): ${error}`,
    severity: 'critical',
    incident: ({ replica }) => `snapshot ${replica}`,
    example: { replica: 'control-1', error: 'connection terminated', consecutive: 1 },
  },
  log_checkpoint: {
    title: 'Checkpoint signed',
    when: 'gw signs a checkpoint of the event log',
    summary: ({ position }) => `Signed a checkpoint of the event log at position ${position}.`,
    severity: 'info',
    incident: () => 'checkpoint',
    isOptional: true,
    example: { position: 1204, checkpoint: 'gw/log\n1204\nTszzRgjTG6x…\n' },
  },
  log_alarm: {
    title: 'Event log altered',
    when: 'gw detects that the event log was modified outside of gw',
    summary: ({ position, problem }) =>
      `The event log was altered at position ${position}: ${problem}`,
    severity: 'critical',
    incident: ({ position }) => `log ${position}`,
    example: {
      position: 1204,
      problem: 'a replica saw another event at this position',
      replica: 'proxy-1-9f86d081',
      seen_hash: 'c0ffee',
      log_hash: 'decade',
      epoch: 1,
    },
  },
  budget_threshold: {
    title: 'Budget threshold reached',
    when: 'the spending of a budget reaches a percentage of `alert_at_percent` or 100 % of its cap; once per window',
    summary: ({ principal, principal_id, kind, percent, spent, cap, window_end }) =>
      `${principal ?? `Principal ${principal_id}`} has spent ${percent} % of its ${kind} budget: ` +
      `${amountOf(kind, spent)} of ${amountOf(kind, cap)}. The window ends at ${window_end}.`,
    severity: 'warning',
    incident: ({ principal_id, kind, window_start }) =>
      `budget ${principal_id} ${kind} ${window_start}`,
    example: {
      principal_id: 12,
      principal: 'nightly',
      kind: 'money',
      percent: 80,
      spent: 40_120_000,
      cap: 50_000_000,
      window_start: '2026-10-31T23:00:00.000Z',
      window_end: '2026-11-30T23:00:00.000Z',
    },
  },
  spend_anomaly: {
    title: 'Unusual spending',
    when: 'the spending of an hour is more than a multiple of the median of the same hour on the 14 days before; once per hour',
    summary: ({ currency, hour, spent, median, factor, ...spender }) =>
      `${spenderOf(spender)} spent ${moneyOf(spent, currency)} in the hour from ${hour}. ` +
      `That is more than ${factor} times the median of this hour, ${moneyOf(median, currency)}.`,
    severity: 'warning',
    incident: ({ principal_id: id, currency, hour }) =>
      `spending ${id ?? 'all'} ${currency} ${hour}`,
    example: {
      principal_id: 12,
      principal: 'nightly',
      currency: 'USD',
      hour: '2026-11-23T12:00:00.000Z',
      spent: 412_500_000,
      median: 30_200_000,
      factor: 5,
    },
  },
  webhook_test: {
    title: 'Test',
    when: 'someone sends a test; webhooks cannot select it',
    summary: ({ webhook }) => `This is a test of the webhook ${webhook}.`,
    severity: 'info',
    incident: ({ webhook }) => `test ${webhook}`,
    isOptional: true,
    example: { webhook: 'alerts' },
  },
};

export const isNotificationType = (text: string): text is NotificationType =>
  Object.hasOwn(notificationTypes, text);

/** The types that a webhook can select. A test is only sent on request. */
export const selectableTypes: readonly NotificationType[] = Object.keys(notificationTypes)
  .filter(isNotificationType)
  .filter((type) => type !== 'webhook_test');

/** Null selects all types that are not optional. */
export const isSelected = (selected: readonly string[] | null, type: string): boolean =>
  selected?.includes(type) ??
  (isNotificationType(type) && notificationTypes[type].isOptional !== true);

type Facts = Readonly<{
  title: string;
  summary: string;
  severity: Severity;
  incident: string;
  isRecovery: boolean;
}>;

/** The texts and the severity of a notification. Generic, so that the compiler pairs type and data. */
export function factsOf<Type extends NotificationType>({
  type,
  data,
}: NotificationOf<Type>): Facts {
  const facts: TypeFacts<NotificationData[Type]> = notificationTypes[type];
  const { title, severity, isRecovery = false } = facts;
  const summary = facts.summary(data);
  return { title, summary, severity, incident: facts.incident(data), isRecovery };
}
