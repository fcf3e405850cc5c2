// Reads the form of the managed deployment, and describes its status.

export type Spec = Readonly<{
  image: string;
  proxy: Readonly<{
    replicas: number;
    policy: string;
    upstream_timeout: number;
    workers: number;
    pool_max_idle: number;
    autoscaling: Readonly<{
      enabled: boolean;
      minReplicas: number;
      maxReplicas: number;
      targetCpuUtilizationPercentage: number;
    }>;
  }>;
}>;

export const policies = ['cacheAffinity', 'leastLoaded', 'roundRobin', 'lowestLatency'] as const;
type Policy = (typeof policies)[number];
const policyOf = (text: string): Policy => policies.find((one) => one === text) ?? 'cacheAffinity';

export const fieldsOf = ({ image, proxy }: Spec) => ({
  image,
  replicas: proxy.replicas,
  policy: policyOf(proxy.policy),
  upstream_timeout: proxy.upstream_timeout,
  workers: proxy.workers,
  pool_max_idle: proxy.pool_max_idle,
  autoscaling_enabled: proxy.autoscaling.enabled,
  autoscaling_min_replicas: proxy.autoscaling.minReplicas,
  autoscaling_max_replicas: proxy.autoscaling.maxReplicas,
  autoscaling_target_cpu: proxy.autoscaling.targetCpuUtilizationPercentage,
});

export const numberFields = [
  { name: 'replicas', label: 'Replicas', hint: 'While autoscaling is off' },
  { name: 'upstream_timeout', label: 'Upstream timeout', hint: 'Seconds' },
  { name: 'workers', label: 'Workers', hint: 'Processes of each replica' },
  { name: 'pool_max_idle', label: 'Idle connections', hint: 'Kept open to each backend' },
  { name: 'autoscaling_min_replicas', label: 'Min replicas', hint: 'While autoscaling is on' },
  { name: 'autoscaling_max_replicas', label: 'Max replicas', hint: 'While autoscaling is on' },
  {
    name: 'autoscaling_target_cpu',
    label: 'CPU target',
    hint: 'Percent of each pod’s Kubernetes CPU request',
  },
] as const;

type NumberField = (typeof numberFields)[number]['name'];

/** An empty number resets the field to its default. */
export type DeploymentDraft = Readonly<
  Record<NumberField, string> & { image: string; policy: Policy; autoscaling_enabled: boolean }
>;

export const draftOf = (spec: Spec): DeploymentDraft => {
  const fields = fieldsOf(spec);
  const texts = numberFields.map(({ name }) => [name, String(fields[name])]);
  return { ...fields, ...(Object.fromEntries(texts) as Record<NumberField, string>) };
};

/** Only changed fields. */
export function changeOf(draft: DeploymentDraft, spec: Spec) {
  const before = fieldsOf(spec);
  const image = draft.image.trim();
  const numbers = numberFields.flatMap(({ name }) => {
    const text = draft[name].trim();
    if (text === String(before[name])) return [];
    return [[name, text === '' ? null : Number(text)] as const];
  });
  return {
    ...(image === before.image ? {} : { image }),
    ...(draft.policy === before.policy ? {} : { policy: draft.policy }),
    ...(draft.autoscaling_enabled === before.autoscaling_enabled
      ? {}
      : { autoscaling_enabled: draft.autoscaling_enabled }),
    ...(Object.fromEntries(numbers) as Partial<Record<NumberField, number | null>>),
  };
}

export type Condition = Readonly<{
  type: string;
  status: string;
  reason: string;
  message: string;
  since: string;
}>;

export type Status = Readonly<{
  phase: string;
  /** The status describes the desired state. */
  isObserved: boolean;
  image: string | null;
  control: string | null;
  proxy: string | null;
  conditions: readonly Condition[];
}>;

const textIn = (value: object, name: string): string | null => {
  const found: unknown = Reflect.get(value, name);
  return typeof found === 'string' ? found : null;
};

/** Null before an operator writes it. Ignores unknown fields of other releases. */
export function statusOf({
  generation,
  status,
}: Readonly<{ generation: number; status: object | null }>): Status | null {
  if (status === null) return null;
  const conditions: unknown = Reflect.get(status, 'conditions');
  return {
    phase: textIn(status, 'phase') ?? 'unknown',
    isObserved: Reflect.get(status, 'observedGeneration') === generation,
    image: textIn(status, 'observedImage'),
    control: textIn(status, 'controlReplicas'),
    proxy: textIn(status, 'proxyReplicas'),
    conditions: (Array.isArray(conditions) ? conditions : [])
      .filter((one: unknown): one is object => typeof one === 'object' && one !== null)
      .map((one) => ({
        type: textIn(one, 'type') ?? '',
        status: textIn(one, 'status') ?? 'Unknown',
        reason: textIn(one, 'reason') ?? '',
        message: textIn(one, 'message') ?? '',
        since: textIn(one, 'lastTransitionTime') ?? '',
      })),
  };
}

/** Kubernetes conditions are good when true, except those that report a problem or progress. */
export function toneOfCondition({ type, status }: Pick<Condition, 'type' | 'status'>) {
  if (status !== 'True' && status !== 'False') return 'plain';
  if (type === 'Progressing') return status === 'True' ? 'info' : 'plain';
  const isGood = type === 'Degraded' ? status === 'False' : status === 'True';
  return isGood ? 'good' : 'warn';
}

export function rolloutOf(status: Status | null) {
  if (status === null) return { tone: 'plain', word: 'no operator' } as const;
  if (!status.isObserved) return { tone: 'info', word: 'waiting for operator' } as const;
  if (status.phase === 'Ready') return { tone: 'good', word: 'Ready' } as const;
  if (status.phase === 'Degraded') return { tone: 'bad', word: 'Degraded' } as const;
  return { tone: 'info', word: status.phase } as const;
}

/** The actual value is absent if the operator does not report it. */
export type Field = Readonly<{
  id: string;
  label: string;
  wanted: string;
  live: string;
  tone: 'good' | 'info' | 'warn' | 'plain';
}>;

/** The operator reports fields without their own status as a whole. */
export function fieldsBeside(spec: Spec, status: Status | null): readonly Field[] {
  const fields = fieldsOf(spec);
  const isDone = status !== null && status.isObserved && status.phase === 'Ready';
  const waiting =
    status === null
      ? 'no operator yet'
      : status.isObserved
        ? 'being rolled out'
        : 'waiting for operator';
  const tone = isDone ? 'good' : status?.phase === 'Degraded' ? 'warn' : 'info';
  const field = (id: string, label: string, wanted: string, live: string | null = null): Field => {
    if (live === null) return { id, label, wanted, live: isDone ? wanted : waiting, tone };
    return { id, label, wanted, live, tone: live === wanted ? 'good' : tone };
  };
  const scaled = fields.autoscaling_enabled;
  const off = (text: string): string => (scaled ? text : `${text}, while it is on`);
  return [
    field('image', 'Image', fields.image, status?.image ?? null),
    {
      ...field('replicas', 'Replicas', scaled ? 'scaled' : String(fields.replicas)),
      live:
        status?.proxy === undefined || status.proxy === null ? waiting : `${status.proxy} ready`,
      tone: isReady(status?.proxy ?? null) ? 'good' : tone === 'good' ? 'info' : tone,
    },
    field('autoscaling_enabled', 'Autoscaling', scaled ? 'on' : 'off'),
    field('autoscaling_min_replicas', 'Min replicas', off(`${fields.autoscaling_min_replicas}`)),
    field('autoscaling_max_replicas', 'Max replicas', off(`${fields.autoscaling_max_replicas}`)),
    field('autoscaling_target_cpu', 'CPU target', off(`${fields.autoscaling_target_cpu} %`)),
    field('policy', 'Balancing', fields.policy),
    field('upstream_timeout', 'Upstream timeout', `${fields.upstream_timeout} s`),
    field('workers', 'Workers per replica', String(fields.workers)),
    field('pool_max_idle', 'Idle connections', `${fields.pool_max_idle} to each backend`),
  ];
}

/** `2/2`. */
const isReady = (counts: string | null): boolean => {
  const [ready, wanted] = (counts ?? '').split('/');
  return ready !== '' && ready === wanted;
};
