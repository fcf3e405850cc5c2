// One coarse timer for all attempts in flight: a tick checks who has been silent for too long. A
// timer of its own for each request would cost more than the request's whole routing.

/** An item is late once `deadlineTick` has passed; Infinity while it has nothing to wait for. */
export type Watched = {
  deadlineTick: number;
  /** Where the watch keeps it, or `unwatched`. */
  watchIndex: number;
  onDeadline(): void;
};

export const unwatched = -1;

export type Watch = {
  /** Grows by one a tick; deadlines are counted in it, so no clock is read for each chunk. */
  tick: number;
  readonly ticks: (milliseconds: number) => number;
  readonly add: (item: Watched) => void;
  readonly remove: (item: Watched) => void;
  readonly stop: () => void;
};

export const tickMsDefault = 250;

export function createWatch(tickMs: number = tickMsDefault): Watch {
  // An array and no Set: each table that a Set leaves for a larger one keeps the items it had and
  // points to the next, so that the collector copies finished requests for as long as it runs.
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
    // Backwards, because what is late leaves, and the last takes its place.
    for (let index = items.length - 1; index >= 0; index--) {
      const item = items[index];
      if (item !== undefined && item.deadlineTick < watch.tick) item.onDeadline();
    }
  }, tickMs).unref();
  return watch;
}
