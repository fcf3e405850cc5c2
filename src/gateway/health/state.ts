// Decides when a backend is out of rotation, from what was found of it. Two judges, and neither
// undoes the other's verdict: probes say whether its endpoint can be reached, traffic whether the
// backend serves. A wedged engine still answers its model list, so a passing probe does not bring
// back what requests took out by their timeouts.

/** The findings of the probes of an endpoint. */
export type Reach = Readonly<{
  /** Failed probes in a row. */
  failures: number;
  isOut: boolean;
  /** Some probe passed: there is a model list at the path. */
  hasPassed: boolean;
}>;

/** `unjudged`: an answer that says nothing of the endpoint's health. */
export type Finding = 'passed' | 'failed' | 'unjudged';

export const unprobed: Reach = { failures: 0, isOut: false, hasPassed: false };

const passed: Reach = { failures: 0, isOut: false, hasPassed: true };

/** One that passes brings an endpoint back; `unhealthyAfter` that fail in a row take it out. */
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

/** A missing model list is a fault only in an endpoint that had one before: its engine is gone. */
const absentStatuses: ReadonlySet<number> = new Set([404, 405, 501]);

/** Judges the status that a probe was answered with. A 429 only says that the endpoint was asked too often. */
export function findingOf(status: number, { hasPassed }: Pick<Reach, 'hasPassed'>): Finding {
  if (status >= 200 && status < 300) return 'passed';
  if (status === 429 || (!hasPassed && absentStatuses.has(status))) return 'unjudged';
  return 'failed';
}

/** The findings of requests to a backend. Times are epoch milliseconds; 0 is never. */
export type Traffic = Readonly<{
  /** Requests in a row that found no connection, or lost it before the answer's head. */
  unreached: number;
  restsUntilMs: number;
  /** Requests in a row whose first byte did not come in time. */
  timeouts: number;
  /** Ejections since the backend last answered while in rotation. */
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

/** A backend that could not be reached is skipped for this long. After that, a request may try it. */
export const restMs = 10_000;
export const ejectionMsMin = 30_000;
export const ejectionMsMax = 300_000;

export function afterUnreached(traffic: Traffic, nowMs: number, unhealthyAfter: number): Traffic {
  const unreached = traffic.unreached + 1;
  const restsUntilMs = unreached >= unhealthyAfter ? nowMs + restMs : traffic.restsUntilMs;
  return { ...traffic, unreached, restsUntilMs };
}

/**
 * `threshold` in a row eject, for twice as long as the time before. After an ejection the backend
 * is on probation: one more is enough. What was sent before the ejection ended is old news, and a
 * burst that was caught by one fault counts as one.
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

/** The engine's own metrics say that it makes no progress. An ejection that is in force is not prolonged by it. */
export const afterStall = (traffic: Traffic, nowMs: number): Traffic =>
  nowMs < traffic.ejectedUntilMs ? traffic : ejected(traffic, nowMs);

function ejected(traffic: Traffic, nowMs: number): Traffic {
  const { ejections } = traffic;
  const lastsMs = Math.min(ejectionMsMin * 2 ** Math.min(ejections, 16), ejectionMsMax);
  return { ...traffic, timeouts: 0, ejections: ejections + 1, ejectedUntilMs: nowMs + lastsMs };
}

/** It can be reached. An answer does not shorten an ejection. */
export function afterAnswer(traffic: Traffic, nowMs: number): Traffic {
  if (traffic === sound || traffic.ejectedUntilMs <= nowMs) return sound;
  return afterReached(traffic);
}

/** A probe reached the endpoint, which says nothing of timeouts. */
export const afterReached = (traffic: Traffic): Traffic =>
  traffic.unreached === 0 ? traffic : { ...traffic, unreached: 0, restsUntilMs: 0 };

/** A clock that was set back must not keep a backend out for longer than it was taken out for. */
export function withinClock(traffic: Traffic, nowMs: number): Traffic {
  const restsUntilMs = Math.min(traffic.restsUntilMs, nowMs + restMs);
  const ejectedUntilMs = Math.min(traffic.ejectedUntilMs, nowMs + ejectionMsMax);
  const isWithin =
    restsUntilMs === traffic.restsUntilMs && ejectedUntilMs === traffic.ejectedUntilMs;
  return isWithin ? traffic : { ...traffic, restsUntilMs, ejectedUntilMs };
}

/** Until when a backend is passed over; Infinity until a probe passes. */
export const outUntilMs = ({ isOut }: Reach, traffic: Traffic): number =>
  isOut ? Infinity : Math.max(traffic.restsUntilMs, traffic.ejectedUntilMs);
