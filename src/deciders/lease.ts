// The time of leases, as rules without a clock. All times are epoch milliseconds.

/** A provider without a lease reads as not lapsed (specification, "States and transitions"). */
export const isLapsed = (lease: Readonly<{ expiresAt: Date }> | undefined, now: number): boolean =>
  lease !== undefined && lease.expiresAt.getTime() <= now;

/** So many intervals may lie between the end of a sweep and the next one while all is well: one replica has gone, and another took over. */
const watchedIntervals = 2.5;

/**
 * Whether nobody watched since the end of the last sweep: the control plane or its database was away, and agents could not beat. Such
 * time counts against no lease and towards no removal. A sweep itself may take for many intervals, where many hosts are gone.
 */
export const isUnwatched = (
  watchedUntil: number | null,
  { now, intervalMs }: Readonly<{ now: number; intervalMs: number }>,
): boolean => watchedUntil === null || now - watchedUntil > watchedIntervals * intervalMs;
