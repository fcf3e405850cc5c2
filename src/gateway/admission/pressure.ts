// Decides what a process gives up as memory runs out: first the response cache, then keep-alive connections, then new
// requests. Requests in flight continue.

/** `high`: the cache is emptied. `severe`: answers also close their connection. `critical`: new requests are also refused. */
export type Pressure = 'none' | 'high' | 'severe' | 'critical';

/** The share of the heap in use after a full collection at which each level begins. */
const levels = [
  ['critical', 0.95],
  ['severe', 0.92],
  ['high', 0.85],
] as const;

/** Hysteresis: a level ends this far below its start. */
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
