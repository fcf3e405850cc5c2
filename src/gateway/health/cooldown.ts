// Computes the cooldown of a backend after a 5xx, a 429 or a refused connection. During a cooldown other backends are
// preferred. The backend stays in rotation and is used when no other is left.

/** Times are epoch milliseconds; 0 means never. */
export type Cooldown = Readonly<{
  /** Consecutive failures. Failures during a cooldown count as the one that started it. */
  failures: number;
  untilMs: number;
  /** A 429 started the cooldown, so answers to other requests do not end it. */
  isLimited: boolean;
}>;

export const noCooldown: Cooldown = { failures: 0, untilMs: 0, isLimited: false };

export const cooldownMsMin = 1000;
export const cooldownMsMax = 60_000;
/**
 * A longer Retry-After is cut to this, so that a wrong value cannot disable a backend for a day.
 */
export const retryAfterMsMax = 300_000;

/** `status` is null when no connection was made. `retryAfterMs` is the wait that a 429 requested, or null. */
export function afterFailure(
  cooldown: Cooldown,
  {
    status,
    retryAfterMs,
    nowMs,
  }: Readonly<{ status: number | null; retryAfterMs: number | null; nowMs: number }>,
): Cooldown {
  const isLimited = status === 429;
  const askedMs = isLimited ? Math.min(retryAfterMs ?? 0, retryAfterMsMax) : 0;
  if (nowMs < cooldown.untilMs) {
    const untilMs = Math.max(cooldown.untilMs, nowMs + askedMs);
    return { ...cooldown, untilMs, isLimited: isLimited || cooldown.isLimited };
  }
  const doubledMs = cooldownMsMin * 2 ** Math.min(cooldown.failures, 16);
  const lastsMs = askedMs > 0 ? askedMs : Math.min(doubledMs, cooldownMsMax);
  return { failures: cooldown.failures + 1, untilMs: nowMs + lastsMs, isLimited };
}

/** The backend answered with another status. */
export const afterServed = (cooldown: Cooldown, nowMs: number): Cooldown =>
  cooldown.isLimited && nowMs < cooldown.untilMs ? cooldown : noCooldown;

/** Limits a cooldown after the clock was set back. */
export const cooldownWithinClock = (cooldown: Cooldown, nowMs: number): Cooldown =>
  cooldown.untilMs <= nowMs + retryAfterMsMax
    ? cooldown
    : { ...cooldown, untilMs: nowMs + retryAfterMsMax };

/** From `retry-after-ms`, otherwise `retry-after`. Null when neither is valid. */
export function retryAfterMsOf(headers: readonly string[], nowMs: number): number | null {
  let askedMs: number | null = null;
  for (let index = 0; index < headers.length; index += 2) {
    const value = headers[index + 1] ?? '';
    const name = headers[index];
    if (name === 'retry-after-ms' && /^\d{1,12}(\.\d+)?$/.test(value)) return Number(value);
    if (name !== 'retry-after') continue;
    if (/^\d{1,9}$/.test(value)) askedMs = Number(value) * 1000;
    else {
      const atMs = Date.parse(value);
      if (atMs > nowMs) askedMs = atMs - nowMs;
    }
  }
  return askedMs;
}
