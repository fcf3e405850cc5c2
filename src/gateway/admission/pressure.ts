// Decides what a process gives up as its memory runs out, least first: the response cache, then connections that are kept, then new
// requests. What is under way goes on.

/** `high`: nothing is kept in the cache. `severe`: answers close their connection too. `critical`: new requests are refused too. */
export type Pressure = 'none' | 'high' | 'severe' | 'critical';

/** Where each level begins, as the part of the heap that is left in use by a full collection. */
const levels = [
  ['critical', 0.95],
  ['severe', 0.92],
  ['high', 0.85],
] as const;

/** A level ends so far below where it began, so that it does not come and go with every collection. */
const slack = 0.03;

/** `inUse` is 0 to 1. */
export function pressureOf(inUse: number, before: Pressure): Pressure {
  const rank = levels.findIndex(([level]) => level === before);
  for (const [index, [level, from]] of levels.entries()) {
    const isHeld = rank !== -1 && rank <= index;
    if (inUse >= (isHeld ? from - slack : from)) return level;
  }
  return 'none';
}
