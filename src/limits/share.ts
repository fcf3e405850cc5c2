// Divides a limit among replicas by their demand (specification, "Reconciliation").

export type PerDimension<Value> = Readonly<{ requests: Value; tokens: Value }>;

/** In the unit of the limit. */
export type Claims = Readonly<{
  /** This replica, since its last report. */
  mine: number;
  /** All replicas, since their last reports. */
  latest: number;
  /** All replicas, in about the last minute. */
  lastMinute: number;
}>;

/** Returns the share (0 to 1) of one live replica. */
/**
 * Replicas with demand since their last report divide the limit by that demand. A replica without demand gets what
 * was not claimed in the last minute, and at least an even share, so that a principal within its limit is served by
 * any replica.
 */
/**
 * A replica with demand may also get the unclaimed part, reduced by the expected demand until the next report:
 * otherwise several replicas would spend it. Once the demand of a minute reaches the limit, the shares of the
 * replicas with demand add up to 1.
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
