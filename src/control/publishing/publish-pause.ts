// Computes how long a control plane waits after publishing, so that a burst of changes is sent to
// proxies together.

/** A smaller configuration is published before the answer to the change. */
const pauseMembersMin = 1_000;
/** Fewer waiting proxies cost next to nothing. */
const pauseWaitingMin = 10;
const pauseMsMax = 100;
/** Publishing takes at most a fifth of the time of the process. */
const pauseShare = 4;

export type PublishCost = Readonly<{
  /** The number of keys, models and principals. */
  members: number;
  /** The number of proxies that wait for the next snapshot. */
  waiting: number;
  /** The duration of the last build, with the answers to waiting proxies. 0 before the first. */
  costMs: number;
}>;

export function publishPauseMs({ members, waiting, costMs }: PublishCost): number {
  if (members < pauseMembersMin && waiting < pauseWaitingMin) return 0;
  return Math.min(pauseMsMax, costMs * pauseShare);
}
