// Decides whether an endpoint publishes engine metrics, when it is scraped, and when detection is given up (specification,
// "States and transitions", row "Backend engine-metrics detection"; "Limits", engine scrape). Pure: times are monotonic
// milliseconds.

/** `foreign`: a 404, or a page without scheduler metrics. `none`: no answer, or an inconclusive one such as a busy server's. */
export type Answer = 'reading' | 'foreign' | 'none';

export type Detection =
  | Readonly<{
      kind: 'unknown';
      nextAtMs: number;
      /** Null before the first scrape. */
      sinceMs: number | null;
      foreign: number;
      /** Detection was given up before, so this scrape is the last. */
      isLast: boolean;
    }>
  | Readonly<{ kind: 'detected'; nextAtMs: number }>
  /** `mayRetry`: the endpoint never answered, so it is scraped again after it passes a health probe. */
  | Readonly<{ kind: 'none'; mayRetry: boolean }>;

export const retryMs = 5 * 60_000;
export const giveUpMs = 15 * 60_000;
const foreignMax = 2;

const unknownFrom = (nextAtMs: number, isLast: boolean): Detection => ({
  kind: 'unknown',
  nextAtMs,
  sinceMs: null,
  foreign: 0,
  isLast,
});

export const notDetected = (nextAtMs: number): Detection => unknownFrom(nextAtMs, false);

export const isDue = (detection: Detection, nowMs: number): boolean =>
  detection.kind !== 'none' && detection.nextAtMs <= nowMs;

/** An endpoint that has published metrics once is always scraped. */
export function afterAnswer(
  detection: Detection,
  answer: Answer,
  { scrapedAtMs, intervalMs }: Readonly<{ scrapedAtMs: number; intervalMs: number }>,
): Detection {
  if (answer === 'reading' || detection.kind === 'detected') {
    return { kind: 'detected', nextAtMs: scrapedAtMs + intervalMs };
  }
  if (detection.kind === 'none') return detection;
  if (detection.isLast) return settled;
  const foreign = detection.foreign + (answer === 'foreign' ? 1 : 0);
  if (foreign >= foreignMax) return settled;
  const sinceMs = detection.sinceMs ?? scrapedAtMs;
  if (scrapedAtMs - sinceMs >= giveUpMs) return { kind: 'none', mayRetry: true };
  return { ...detection, nextAtMs: scrapedAtMs + retryMs, sinceMs, foreign };
}

const settled: Detection = { kind: 'none', mayRetry: false };

export const afterPass = (detection: Detection, nowMs: number): Detection =>
  detection.kind === 'none' && detection.mayRetry ? unknownFrom(nowMs, true) : detection;
