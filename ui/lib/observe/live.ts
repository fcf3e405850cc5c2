// Computes gauges and rates from the reports of replicas. A rate is the difference of two reports of one replica.

type Backend = Readonly<{
  inflight: number;
  admission?: Readonly<{ in_use: number; queued: number; capacity: number }> | undefined;
}>;
type Counters = Readonly<{
  requests_ok: number;
  requests_failed: number;
  cache_hits: number;
  cache_misses: number;
  rejected_unauthenticated: number;
  rejected_model_not_found: number;
}>;
type Replica = Readonly<{
  replica: string;
  reported_at: string;
  backends: readonly Backend[];
  process: Counters;
}>;

/** A rate is null at first and after a replica restarted. */
export type Sample = Readonly<{
  /** Epoch milliseconds. */
  at: number;
  requestsPerSecond: number | null;
  failedPerSecond: number | null;
  /** Refused for an unknown key or model, so no principal is known. */
  unattributedPerSecond: number | null;
  /** Between 0 and 1; null without lookups. */
  cacheShare: number | null;
  inflight: number;
  admitted: number;
  queued: number;
  capacity: number;
}>;

type Rates = Readonly<{
  ok: number;
  failed: number;
  hits: number;
  misses: number;
  unattributed: number;
}>;

/** Null after a restart or without a new report. */
export function ratesBetween(before: Replica, after: Replica): Rates | null {
  const seconds = (Date.parse(after.reported_at) - Date.parse(before.reported_at)) / 1_000;
  if (seconds <= 0) return null;
  const rate = (name: keyof Counters): number =>
    (after.process[name] - before.process[name]) / seconds;
  const rates = {
    ok: rate('requests_ok'),
    failed: rate('requests_failed'),
    hits: rate('cache_hits'),
    misses: rate('cache_misses'),
    unattributed: rate('rejected_unauthenticated') + rate('rejected_model_not_found'),
  };
  return Object.values(rates).some((one) => one < 0) ? null : rates;
}

type Followed = Readonly<{ now: Replica; before: Replica | null }>;

/** In report intervals: after a longer silence the rate is unknown. */
const silentAfter = 2;

/** `newestMs` is the server time of the newest report of any replica. */
function ratesOf({ now, before }: Followed, newestMs: number): Rates | null {
  if (before === null) return null;
  const reportedMs = Date.parse(now.reported_at);
  const intervalMs = reportedMs - Date.parse(before.reported_at);
  return newestMs - reportedMs > silentAfter * intervalMs ? null : ratesBetween(before, now);
}

/** Replicas report at different times, so each is measured by its own last two reports. */
export function sampleOf(followed: readonly Followed[], at: number): Sample {
  const now = followed.map((one) => one.now);
  const newestMs = Math.max(...now.map(({ reported_at }) => Date.parse(reported_at)));
  const rates = followed.map((one) => ratesOf(one, newestMs));
  const known = rates.filter((one) => one !== null);
  // A sum without one replica would look like a drop.
  const isWhole = known.length === now.length && now.length > 0;
  const sum = (of: (one: Rates) => number): number =>
    known.reduce((total, one) => total + of(one), 0);
  const lookups = sum(({ hits, misses }) => hits + misses);
  const backends = now.flatMap((one) => one.backends);
  const gauge = (of: (one: Backend) => number): number =>
    backends.reduce((total, one) => total + of(one), 0);
  return {
    at,
    requestsPerSecond: isWhole ? sum(({ ok, failed }) => ok + failed) : null,
    failedPerSecond: isWhole ? sum(({ failed }) => failed) : null,
    unattributedPerSecond: isWhole ? sum(({ unattributed }) => unattributed) : null,
    cacheShare: isWhole && lookups > 0 ? sum(({ hits }) => hits) / lookups : null,
    inflight: gauge(({ inflight }) => inflight),
    admitted: gauge(({ admission }) => admission?.in_use ?? 0),
    queued: gauge(({ admission }) => admission?.queued ?? 0),
    capacity: gauge(({ admission }) => admission?.capacity ?? 0),
  };
}

const samplesMax = 720;

/** Adds a sample if there is a new report. */
export function createFollower(): Readonly<{
  take: (replicas: readonly Replica[], at: number) => void;
  samples: () => readonly Sample[];
}> {
  let last = new Map<string, Followed>();
  let samples: readonly Sample[] = [];
  const follow = (one: Replica): Followed => {
    const known = last.get(one.replica);
    if (known === undefined) return { now: one, before: null };
    return known.now.reported_at === one.reported_at ? known : { now: one, before: known.now };
  };
  return {
    take: (replicas, at) => {
      const isNew =
        replicas.length !== last.size ||
        replicas.some((one) => last.get(one.replica)?.now.reported_at !== one.reported_at);
      if (!isNew) return;
      const followed = replicas.map(follow);
      samples = [...samples, sampleOf(followed, at)].slice(-samplesMax);
      last = new Map(followed.map((one) => [one.now.replica, one]));
    },
    samples: () => samples,
  };
}
