// Divides a time range into buckets for a series (specification, "Limits": timeseries): equal width, aligned to the epoch
// in UTC, half open.

/** Bucket widths in seconds. */
export const bucketWidths = [
  10, 30, 60, 300, 900, 3600, 21_600, 86_400, 604_800, 2_592_000,
] as const;
export const bucketsMax = 720;

export type Buckets = Readonly<{
  widthMs: number;
  /** The start of the first bucket, at or before the requested time. */
  startMs: number;
  count: number;
}>;

/**
 * Returns the narrowest buckets that are at least as wide as requested and within the limit. Null when the range is
 * too long or the width exceeds every bucket. Times are epoch milliseconds; `since` is before `until`.
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
