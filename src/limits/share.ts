// How a limit is divided among replicas by what each of them was asked for (specification, "Reconciliation").

/** Requests and tokens, in whatever unit. */
export type PerDimension<Value> = Readonly<{ requests: Value; tokens: Value }>;

/** What the replicas were asked for, in the unit of the limit. */
export type Claims = Readonly<{
  /** This replica, since its last report. */
  mine: number;
  /** All replicas, since their last reports. */
  latest: number;
  /** All replicas, in about the last minute. */
  lastMinute: number;
}>;

/**
 * The part of a limit, 0 to 1, of one of the live replicas. Those that were asked since their last reports divide the limit by what
 * they were asked for. A replica that was not asked may have what nobody claimed in the last minute, so that a principal within its
 * limit is served wherever it comes, and an even part at least. One that was asked may have that too, less what all of them will be
 * asked for until the next report at the same rate: otherwise each of them would spend it. Once the claims of a minute come to the
 * limit, the parts of those that were asked come to 1.
 */
export function shareOf(
  { mine, latest, lastMinute }: Claims,
  limit: number,
  liveReplicas: number,
): number {
  const unclaimed = (claims: number): number => (limit <= 0 ? 0 : Math.max(0, 1 - claims / limit));
  return mine > 0
    ? Math.max(mine / Math.max(mine, latest), unclaimed(lastMinute + latest))
    : Math.max(1 / Math.max(1, liveReplicas), unclaimed(lastMinute));
}
