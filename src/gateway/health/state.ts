// Decides when a backend is out of rotation. Probes decide whether the endpoint is reachable,
// traffic whether the backend serves. Neither overrides the other: a stalled engine may still
// answer its model list, so a passed probe does not undo an ejection by timeouts.

export type Reach = Readonly<{
  /** Consecutive failed probes. */
  failures: number;
  isOut: boolean;
  /** A probe has passed, so the path has a model list. */
  hasPassed: boolean;
}>;

/** `unjudged`: the answer says nothing about the endpoint's health. */
export type Finding = 'passed' | 'failed' | 'unjudged';

export const unprobed: Reach = { failures: 0, isOut: false, hasPassed: false };

const passed: Reach = { failures: 0, isOut: false, hasPassed: true };

/** One passed probe brings an endpoint back. `unhealthyAfter` consecutive failures take it out. */
export function afterProbe(reach: Reach, finding: Finding, unhealthyAfter: number): Reach {
  switch (finding) {
    case 'passed':
      return passed;
    case 'unjudged':
      return reach;
    case 'failed': {
      const failures = reach.failures + 1;
      return { ...reach, failures, isOut: reach.isOut || failures >= unhealthyAfter };
    }
  }
}

/** A missing model list is a failure only if there was one before. */
const absentStatuses: ReadonlySet<number> = new Set([404, 405, 501]);

/** A 429 only means that there were too many requests. */
export function findingOf(status: number, { hasPassed }: Pick<Reach, 'hasPassed'>): Finding {
  if (status >= 200 && status < 300) return 'passed';
  if (status === 429 || (!hasPassed && absentStatuses.has(status))) return 'unjudged';
  return 'failed';
}

/** Times are epoch milliseconds; 0 means never. */
export type Traffic = Readonly<{
  /** Consecutive requests without a connection, or whose connection closed before the head of the answer. */
  unreached: number;
  restsUntilMs: number;
  /** Consecutive requests without a first byte in time. */
  timeouts: number;
  /** Since the backend last answered while in rotation. */
  ejections: number;
  ejectedUntilMs: number;
}>;

export const sound: Traffic = {
  unreached: 0,
  restsUntilMs: 0,
  timeouts: 0,
  ejections: 0,
  ejectedUntilMs: 0,
};

/** An unreachable backend is skipped for this long. Then a request may try it. */
export const restMs = 10_000;
export const ejectionMsMin = 30_000;
export const ejectionMsMax = 300_000;

export function afterUnreached(traffic: Traffic, nowMs: number, unhealthyAfter: number): Traffic {
  const unreached = traffic.unreached + 1;
  const restsUntilMs = unreached >= unhealthyAfter ? nowMs + restMs : traffic.restsUntilMs;
  return { ...traffic, unreached, restsUntilMs };
}

/**
 * `threshold` consecutive timeouts eject the backend, each time for twice as long. After an ejection one more timeout
 * is enough. Requests sent before the ejection ended do not count, so a burst that hits one fault counts once.
 */
export function afterTimeout(
  traffic: Traffic,
  { sentMs, nowMs, threshold }: Readonly<{ sentMs: number; nowMs: number; threshold: number }>,
): Traffic {
  if (sentMs < traffic.ejectedUntilMs) return traffic;
  const timeouts = traffic.timeouts + 1;
  if (traffic.ejections === 0 && timeouts < threshold) return { ...traffic, timeouts };
  return ejected(traffic, nowMs);
}

/** The engine's metrics show no progress. Does not extend a running ejection. */
export const afterStall = (traffic: Traffic, nowMs: number): Traffic =>
  nowMs < traffic.ejectedUntilMs ? traffic : ejected(traffic, nowMs);

function ejected(traffic: Traffic, nowMs: number): Traffic {
  const { ejections } = traffic;
  const lastsMs = Math.min(ejectionMsMin * 2 ** Math.min(ejections, 16), ejectionMsMax);
  return { ...traffic, timeouts: 0, ejections: ejections + 1, ejectedUntilMs: nowMs + lastsMs };
}

/** An answer does not shorten an ejection. */
export function afterAnswer(traffic: Traffic, nowMs: number): Traffic {
  if (traffic === sound || traffic.ejectedUntilMs <= nowMs) return sound;
  return afterReached(traffic);
}

/** A probe that reaches the endpoint does not reset timeouts. */
export const afterReached = (traffic: Traffic): Traffic =>
  traffic.unreached === 0 ? traffic : { ...traffic, unreached: 0, restsUntilMs: 0 };

/** Limits the times after the clock was set back. */
export function withinClock(traffic: Traffic, nowMs: number): Traffic {
  const restsUntilMs = Math.min(traffic.restsUntilMs, nowMs + restMs);
  const ejectedUntilMs = Math.min(traffic.ejectedUntilMs, nowMs + ejectionMsMax);
  const isWithin =
    restsUntilMs === traffic.restsUntilMs && ejectedUntilMs === traffic.ejectedUntilMs;
  return isWithin ? traffic : { ...traffic, restsUntilMs, ejectedUntilMs };
}

/** The backend is skipped until then. Infinity until a probe passes. */
export const outUntilMs = ({ isOut }: Reach, traffic: Traffic): number =>
  isOut ? Infinity : Math.max(traffic.restsUntilMs, traffic.ejectedUntilMs);
