// Decides when leases lapse, without a clock. All times are epoch milliseconds.

/** A provider without a lease has not lapsed (specification, "States and transitions"). */
export const isLapsed = (lease: Readonly<{ expiresAt: Date }> | undefined, now: number): boolean =>
  lease !== undefined && lease.expiresAt.getTime() <= now;

/**
 * The longest normal time from one sweep to the next, in intervals: one replica stops and another
 * takes over.
 */
const watchedIntervals = 2.5;

/**
 * True if no sweep ran recently, because the control plane or its database was down and agents
 * could not send heartbeats. That time does not count against leases or towards removal.
 */
export const isUnwatched = (
  watchedUntil: number | null,
  { now, intervalMs }: Readonly<{ now: number; intervalMs: number }>,
): boolean => watchedUntil === null || now - watchedUntil > watchedIntervals * intervalMs;
