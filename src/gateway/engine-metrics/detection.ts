// Whether an endpoint publishes engine metrics: when it is asked, when it is given up (specification, "States and transitions", rows
// "Backend engine-metrics detection"; "Limits", engine scrape). Pure: times are monotonic milliseconds.

/** `foreign`: a 404, or a body without a family of a scheduler. `none`: no answer, or one that says nothing, as a busy server's. */
export type Answer = 'reading' | 'foreign' | 'none';

export type Detection =
  | Readonly<{
      kind: 'unknown';
      askAtMs: number;
      /** When it was first asked; null before. */
      sinceMs: number | null;
      foreign: number;
      /** It was given up before: this question is the last. */
      isLast: boolean;
    }>
  | Readonly<{ kind: 'detected'; askAtMs: number }>
  /** `mayAskAgain` once it passes a health probe: nothing has answered the question at all. */
  | Readonly<{ kind: 'none'; mayAskAgain: boolean }>;

export const askAgainMs = 5 * 60_000;
export const giveUpMs = 15 * 60_000;
const foreignMax = 2;

const askFrom = (askAtMs: number, isLast: boolean): Detection => ({
  kind: 'unknown',
  askAtMs,
  sinceMs: null,
  foreign: 0,
  isLast,
});

export const undetected = (askAtMs: number): Detection => askFrom(askAtMs, false);

export const isDue = (detection: Detection, nowMs: number): boolean =>
  detection.kind !== 'none' && detection.askAtMs <= nowMs;

/** After a question that was put at `askedMs`. An endpoint that has once answered with metrics is asked as long as it stands. */
export function afterAnswer(
  detection: Detection,
  answer: Answer,
  { askedMs, intervalMs }: Readonly<{ askedMs: number; intervalMs: number }>,
): Detection {
  if (answer === 'reading' || detection.kind === 'detected') {
    return { kind: 'detected', askAtMs: askedMs + intervalMs };
  }
  if (detection.kind === 'none') return detection;
  if (detection.isLast) return settled;
  const foreign = detection.foreign + (answer === 'foreign' ? 1 : 0);
  if (foreign >= foreignMax) return settled;
  const sinceMs = detection.sinceMs ?? askedMs;
  if (askedMs - sinceMs >= giveUpMs) return { kind: 'none', mayAskAgain: true };
  return { ...detection, askAtMs: askedMs + askAgainMs, sinceMs, foreign };
}

const settled: Detection = { kind: 'none', mayAskAgain: false };

/** It passed a health probe. */
export const afterPass = (detection: Detection, nowMs: number): Detection =>
  detection.kind === 'none' && detection.mayAskAgain ? askFrom(nowMs, true) : detection;
