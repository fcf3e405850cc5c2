// What replicas report, seen again and again: gauges as they are, and rates from the differences between two reports of one replica.

type Backend = Readonly<{
  inflight: number;
  admission?: Readonly<{ in_use: number; queued: number; capacity: number }> | undefined;
}>;
type Counters = Readonly<{
  requests_ok: number;
  requests_failed: number;
  cache_hits: number;
  cache_misses: number;
}>;
type Replica = Readonly<{
  replica: string;
  reported_at: string;
  backends: readonly Backend[];
  process: Counters;
}>;

/** One look at the fleet. A rate is null where it is not known: at first, and when a replica began anew. */
export type Sample = Readonly<{
  /** Epoch milliseconds. */
  at: number;
  requestsPerSecond: number | null;
  failedPerSecond: number | null;
  /** Between 0 and 1; null when nothing was looked up. */
  cacheShare: number | null;
  inflight: number;
  admitted: number;
  queued: number;
  capacity: number;
}>;

type Rates = Readonly<{ ok: number; failed: number; hits: number; misses: number }>;

/** What a replica did in a second, from its report before and this one; null when it counts anew, or has not reported since. */
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
  };
  return Object.values(rates).some((one) => one < 0) ? null : rates;
}

/** `before` has the last report of each replica that is another one than its report now. */
export function sampleOf(
  now: readonly Replica[],
  before: ReadonlyMap<string, Replica>,
  at: number,
): Sample {
  const rates = now.map((one) => {
    const earlier = before.get(one.replica);
    return earlier === undefined ? null : ratesBetween(earlier, one);
  });
  const known = rates.filter((one) => one !== null);
  // A sum that lacks a replica would look like a fall.
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
    cacheShare: isWhole && lookups > 0 ? sum(({ hits }) => hits) / lookups : null,
    inflight: gauge(({ inflight }) => inflight),
    admitted: gauge(({ admission }) => admission?.in_use ?? 0),
    queued: gauge(({ admission }) => admission?.queued ?? 0),
    capacity: gauge(({ admission }) => admission?.capacity ?? 0),
  };
}

const samplesMax = 720;

/** Follows the fleet over its looks; a look without a new report adds nothing. */
export function createFollower(): Readonly<{
  take: (replicas: readonly Replica[], at: number) => void;
  samples: () => readonly Sample[];
}> {
  let last = new Map<string, Replica>();
  let samples: readonly Sample[] = [];
  return {
    take: (replicas, at) => {
      const isNew =
        replicas.length !== last.size ||
        replicas.some((one) => last.get(one.replica)?.reported_at !== one.reported_at);
      if (!isNew) return;
      samples = [...samples, sampleOf(replicas, last, at)].slice(-samplesMax);
      last = new Map(replicas.map((one) => [one.replica, one]));
    },
    samples: () => samples,
  };
}
