// Cuts a time into buckets for a series (specification, "Limits": timeseries): of one width, aligned to the epoch in UTC, half open.

/** Seconds; at most so wide a bucket, and so many of them. */
export const bucketWidths = [
  10, 30, 60, 300, 900, 3600, 21_600, 86_400, 604_800, 2_592_000,
] as const;
export const bucketsMax = 720;

export type Buckets = Readonly<{
  widthMs: number;
  /** Where the first one begins; at or before the time asked for. */
  startMs: number;
  count: number;
}>;

/**
 * The narrowest buckets that are no narrower than asked and not too many; null when the time is too long, or the width asked for
 * wider than any. Times are epoch milliseconds, `since` before `until`.
 */
export function bucketsOf(
  time: Readonly<{ sinceMs: number; untilMs: number }>,
  widthSecondsMin: number,
): Buckets | null {
  for (const seconds of bucketWidths) {
    if (seconds < widthSecondsMin) continue;
    const widthMs = seconds * 1000;
    const startMs = Math.floor(time.sinceMs / widthMs) * widthMs;
    const count = Math.ceil((time.untilMs - startMs) / widthMs);
    if (count <= bucketsMax) return { widthMs, startMs, count };
  }
  return null;
}
