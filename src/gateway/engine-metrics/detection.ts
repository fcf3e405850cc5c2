// Whether an endpoint publishes engine metrics: when it is asked, when it is given up (specification, "States and transitions", rows
// "Backend engine-metrics detection"; "Limits", engine scrape). Pure: times are monotonic milliseconds.

/** `foreign`: a 404, or a body without a family of a scheduler. `none`: no answer, or one that says nothing, as a busy server's. */
export type Answer = 'reading' | 'foreign' | 'none';

export type Detection =
  | Readonly<{
      kind: 'unknown';
      nextAtMs: number;
      /** When it was first asked; null before. */
      sinceMs: number | null;
      foreign: number;
      /** It was given up before: this question is the last. */
      isLast: boolean;
    }>
  | Readonly<{ kind: 'detected'; nextAtMs: number }>
  /** `mayAskAgain` once it passes a health probe: nothing has answered the question at all. */
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

/** After a question that was put at `askedMs`. An endpoint that has once answered with metrics is asked as long as it stands. */
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

/** It passed a health probe. */
export const afterPass = (detection: Detection, nowMs: number): Detection =>
  detection.kind === 'none' && detection.mayRetry ? unknownFrom(nowMs, true) : detection;
