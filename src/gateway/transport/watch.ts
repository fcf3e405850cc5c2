// One coarse timer for all attempts in flight: a tick checks who has been silent for too long. A
// timer of its own for each request would cost more than the request's whole routing.

/** An item is late once `deadlineTick` has passed; Infinity while it has nothing to wait for. */
export type Watched = { deadlineTick: number; onLate(): void };

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
  const items = new Set<Watched>();
  const watch: Watch = {
    tick: 0,
    ticks: (milliseconds) => Math.max(1, Math.ceil(milliseconds / tickMs)),
    add: (item) => void items.add(item),
    remove: (item) => void items.delete(item),
    stop: () => clearInterval(timer),
  };
  const timer = setInterval(() => {
    watch.tick++;
    for (const item of items) if (item.deadlineTick < watch.tick) item.onLate();
  }, tickMs).unref();
  return watch;
}
