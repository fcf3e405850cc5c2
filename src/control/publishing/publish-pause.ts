// Computes how long a control plane waits after publishing a large configuration.

/** Smaller configurations are built within one or two milliseconds. */
const pauseMembersMin = 1_000;
const pauseMsMax = 1_000;
/** Leaves most of a core for other work. */
const buildShare = 10;

export type PublishCost = Readonly<{
  /** The number of keys, models and principals. */
  members: number;
  /** The duration of the last build, with the work of its listeners. Null before the first. */
  buildMs: number | null;
  /** True if a proxy fetched the last snapshot as a whole, which costs more than its build. */
  isWholeSent: boolean;
}>;

export function publishPauseMs({ members, buildMs, isWholeSent }: PublishCost): number {
  if (members < pauseMembersMin) return 0;
  const wholeMs = Math.min(pauseMsMax, members / 50);
  return isWholeSent || buildMs === null ? wholeMs : Math.min(wholeMs, buildMs * buildShare);
}
