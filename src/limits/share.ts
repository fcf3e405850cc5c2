// How a limit is divided among replicas: each gets of it what it has of the demand (specification, "Reconciliation").

/** Requests and tokens, in whatever unit. */
export type PerDimension<Value> = Readonly<{ requests: Value; tokens: Value }>;

/**
 * The part of a limit, 0 to 1, of a replica that saw `mine` of `total` demand. The parts of all that saw any come to 1. A replica
 * that saw none gets an even part, so that its first requests are not refused; that takes nothing from the others. Where nobody saw any,
 * each has what it has of a principal that nobody asked for yet.
 */
export function shareOf(
  { mine, total }: Readonly<{ mine: number; total: number }>,
  liveReplicas: number,
): number {
  if (total <= 0) return firstShare(liveReplicas);
  if (mine <= 0) return 1 / Math.max(1, liveReplicas);
  return Math.min(1, mine / total);
}

/**
 * The part of a limit, 0 to 1, of a replica that knows nothing of the demand. So much that one replica alone is not refused soon, and so
 * little that all of them let through at most one window beyond the limit in a spike, whether it meets all of them unprepared or all but
 * those between which it was divided ("Reconciliation").
 */
export const firstShare = (liveReplicas: number): number => 1 / Math.max(1, liveReplicas - 1);
