// How long a backend cools down after it answered 5xx or 429 or refused a connection. Until then its siblings are asked
// first. It is still in rotation: it is asked when no sibling is left.

/** Times are epoch milliseconds; 0 is never. */
export type Cooldown = Readonly<{
  /** Failures in a row. Those that come during a cooldown belong to the failure that began it. */
  failures: number;
  untilMs: number;
  /** It began with a 429: answers to other requests do not end it. */
  isLimited: boolean;
}>;

export const noCooldown: Cooldown = { failures: 0, untilMs: 0, isLimited: false };

export const cooldownMsMin = 1000;
export const cooldownMsMax = 60_000;
/** A Retry-After counts up to this time, so that a wrong one does not take a backend away for a day. */
export const retryAfterMsMax = 300_000;

/** `status` is null when no connection was made. `retryAfterMs` is what a 429 asked for; null when it asked for nothing. */
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

/** A clock that was set back must not make a cooldown longer than the longest. */
export const cooldownWithinClock = (cooldown: Cooldown, nowMs: number): Cooldown =>
  cooldown.untilMs <= nowMs + retryAfterMsMax
    ? cooldown
    : { ...cooldown, untilMs: nowMs + retryAfterMsMax };

/** The wait that `retry-after-ms` or else `retry-after` asks for, in milliseconds; null when neither can be read. */
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
