// Combines the reports of replicas: which backends are down, and which replicas serve an old snapshot.

import { formatCount, formatDuration } from '../text/format.ts';

type Flow = Readonly<{ queued: number }>;
type Backend = Readonly<{
  api_base: string;
  model: string;
  healthy: boolean;
  inflight: number;
  requests_total: number;
  errors_total: number;
  admission?: Flow | undefined;
}>;
type Reported = Readonly<{
  snapshot_version: number;
  reported_at: string;
  age_seconds: number;
  backends: readonly Pick<Backend, 'api_base' | 'model' | 'healthy'>[];
}>;
type Refusing = Readonly<{
  refused_snapshot?: Readonly<{ version: number | null; reason: string }> | null | undefined;
}>;

/** The last published version, and the intervals of polls and reports. */
export type Published = Readonly<{
  version: number | null;
  /** Epoch milliseconds; null is unknown and counts as long ago. */
  at: number | null;
  reportSeconds: number;
  pollSeconds: number;
}>;

export type FleetState = Readonly<{
  replicas: number;
  /** Replicas that serve an older version than the published one. */
  behind: number;
  /** Each backend counts once. */
  backends: number;
  down: number;
}>;

/** A report from before the publication does not count, unless the next one is overdue. */
export function isBehind(
  { snapshot_version, reported_at, age_seconds }: Omit<Reported, 'backends'>,
  { version, at, reportSeconds }: Published,
): boolean {
  if (version === null || snapshot_version >= version) return false;
  return Date.parse(reported_at) > (at ?? 0) || age_seconds > reportSeconds;
}

export function fleetState(
  replicas: readonly Reported[],
  {
    own,
    published,
  }: Readonly<{
    own: readonly Pick<Backend, 'api_base' | 'model' | 'healthy'>[];
    published: Published;
  }>,
): FleetState {
  const seen = [...own, ...replicas.flatMap(({ backends }) => backends)];
  const down = new Set(seen.filter(({ healthy }) => !healthy).map(nameOf));
  return {
    replicas: replicas.length,
    behind: replicas.filter((one) => isBehind(one, published)).length,
    backends: new Set(seen.map(nameOf)).size,
    down: down.size,
  };
}

const nameOf = ({ api_base, model }: Pick<Backend, 'api_base' | 'model'>): string =>
  `${api_base} ${model}`;

type ReplicaState = Readonly<{ tone: 'good' | 'warn' | 'bad' | 'plain'; word: string }>;

/** A replica is stuck if it had time to poll and report and still serves the old version. */
export function replicaState(
  replica: Omit<Reported, 'backends'> & Refusing,
  published: Published,
  now: number,
): ReplicaState {
  const { refused_snapshot: refused = null, snapshot_version: serves } = replica;
  if (refused !== null) {
    const which = refused.version === null ? 'a version' : `v${refused.version}`;
    return { tone: 'bad', word: `refuses ${which}` };
  }
  if (serves === 0) return { tone: 'bad', word: 'no snapshot' };
  if (published.version === null || serves >= published.version) {
    return { tone: 'good', word: 'current' };
  }
  if (!isBehind(replica, published)) return { tone: 'plain', word: 'report pending' };
  const graceMs = (published.pollSeconds + published.reportSeconds) * 1_000;
  const isStuck = published.at === null || now - published.at > graceMs;
  return isStuck ? { tone: 'bad', word: 'stuck' } : { tone: 'warn', word: 'behind' };
}

type Version = Readonly<{ version: number; created_at: string }>;

export type Lag = Readonly<{
  versions: number;
  /** Since the publication of the first version that the replica lacks. */
  ms: number;
  /** The replica lacks more versions than are loaded. */
  isMore: boolean;
}>;

/** `newest` are the loaded versions, newest first; `all` means that there are no older ones. */
export function lagOf(
  { snapshot_version: serves }: Pick<Reported, 'snapshot_version'>,
  { newest, all }: Readonly<{ newest: readonly Version[]; all: boolean }>,
  now: number,
): Lag {
  const lacked = newest.filter(({ version }) => version > serves);
  const oldest = lacked.at(-1);
  if (oldest === undefined) return { versions: 0, ms: 0, isMore: false };
  return {
    versions: lacked.length,
    ms: Math.max(0, now - Date.parse(oldest.created_at)),
    isMore: lacked.length === newest.length && !all,
  };
}

/** `none`, `1 version, 12 s`. */
export const lagText = ({ versions, ms, isMore }: Lag): string =>
  versions === 0
    ? 'none'
    : `${isMore ? 'over ' : ''}${formatCount(versions, 'version')}, ${formatDuration(Math.floor(ms / 1_000) * 1_000)}`;

type Seeing<Seen extends Backend> = Readonly<{ replica: string; backends: readonly Seen[] }>;

export type MatrixRow<Seen extends Backend> = Readonly<{
  key: string;
  api_base: string;
  model: string;
  by: ReadonlyMap<string, Seen>;
  down: number;
  inflight: number;
  queued: number;
  requests: number;
  errors: number;
}>;

/** Backends that are down somewhere come first. Only sums combine replicas. */
export function backendMatrix<Seen extends Backend>(
  replicas: readonly Seeing<Seen>[],
): readonly MatrixRow<Seen>[] {
  const found = new Map<string, Map<string, Seen>>();
  for (const { replica, backends } of replicas) {
    for (const backend of backends) {
      const by = found.get(nameOf(backend)) ?? new Map<string, Seen>();
      found.set(nameOf(backend), by.set(replica, backend));
    }
  }
  const rows = [...found].flatMap(([key, by]) => {
    const seen = [...by.values()];
    const [first] = seen;
    if (first === undefined) return [];
    const sum = (of: (one: Seen) => number): number =>
      seen.reduce((total, one) => total + of(one), 0);
    return {
      key,
      api_base: first.api_base,
      model: first.model,
      by,
      down: seen.filter(({ healthy }) => !healthy).length,
      inflight: sum((one) => one.inflight),
      queued: sum((one) => one.admission?.queued ?? 0),
      requests: sum((one) => one.requests_total),
      errors: sum((one) => one.errors_total),
    };
  });
  return rows.toSorted((a, b) => b.down - a.down || a.model.localeCompare(b.model, 'en'));
}

/** Null if the replica does not have the backend. */
export const seenBy = (
  by: ReadonlyMap<string, Readonly<{ healthy: boolean }>>,
  replicas: readonly string[],
): readonly Readonly<{ name: string; state: 'up' | 'down' | null }>[] =>
  replicas.map((name) => {
    const seen = by.get(name);
    return { name, state: seen === undefined ? null : seen.healthy ? 'up' : 'down' };
  });

export function downText(by: ReadonlyMap<string, Readonly<{ healthy: boolean }>>): string {
  const names = [...by].filter(([, { healthy }]) => !healthy).map(([name]) => name);
  const [shown, rest] = [names.slice(0, 3), names.length - 3];
  return `${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** `healthy on 3 replicas`, `down on 1 of 3`. */
export const healthText = ({
  down,
  by,
}: Readonly<{ down: number; by: ReadonlyMap<string, unknown> }>) =>
  down === 0
    ? `healthy on ${formatCount(by.size, 'replica')}`
    : `down on ${down} of ${formatCount(by.size, 'replica')}`;
