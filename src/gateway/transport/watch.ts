// One coarse timer checks the deadlines of all attempts in flight. A timer per request would cost more than routing it.

/** The deadline passes when the tick exceeds `deadlineTick`. Infinity means no deadline. */
export type Watched = {
  deadlineTick: number;
  /** The index in the list, or `unwatched`. */
  watchIndex: number;
  onDeadline(): void;
};

export const unwatched = -1;

export type Watch = {
  /** Increases by one per tick. Deadlines are in ticks, so that no clock is read per chunk. */
  tick: number;
  readonly ticks: (milliseconds: number) => number;
  readonly add: (item: Watched) => void;
  readonly remove: (item: Watched) => void;
  readonly stop: () => void;
};

export const tickMsDefault = 250;

export function createWatch(tickMs: number = tickMsDefault): Watch {
  // An array, not a Set: when a Set grows, its old tables keep finished requests reachable for the garbage collector.
  const items: Watched[] = [];
  const watch: Watch = {
    tick: 0,
    ticks: (milliseconds) => Math.max(1, Math.ceil(milliseconds / tickMs)),
    add: (item) => {
      if (item.watchIndex === unwatched) item.watchIndex = items.push(item) - 1;
    },
    remove: (item) => {
      const { watchIndex } = item;
      if (watchIndex === unwatched) return;
      item.watchIndex = unwatched;
      const last = items.pop();
      if (last === undefined || last === item) return;
      items[watchIndex] = last;
      last.watchIndex = watchIndex;
    },
    stop: () => clearInterval(timer),
  };
  const timer = setInterval(() => {
    watch.tick++;
    // Backwards, because removal moves the last item into the gap.
    for (let index = items.length - 1; index >= 0; index--) {
      const item = items[index];
      if (item !== undefined && item.deadlineTick < watch.tick) item.onDeadline();
    }
  }, tickMs).unref();
  return watch;
}
