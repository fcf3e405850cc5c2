// Following the log: what other replicas append reaches this one by a notification, and within a second without it.

import type { Listener } from '../../db/listen.ts';

type Dependencies = {
  listen: (onAppended: () => void) => Listener;
  catchUp: () => Promise<void>;
  onFailure: (error: unknown) => void;
};

const pollMs = 1000;

/** Runs `catchUp` one at a time, on each hint and on each poll; a hint that comes during a run causes one more. */
export function follow({ listen, catchUp, onFailure }: Dependencies): Listener {
  let running: Promise<void> | null = null;
  let again = false;
  let failing = false;

  const run = async (): Promise<void> => {
    do {
      again = false;
      try {
        await catchUp();
        failing = false;
      } catch (error) {
        // Said once, not every second, while the database is away.
        if (!failing) onFailure(error);
        failing = true;
      }
    } while (again);
    running = null;
  };

  const wake = (): void => {
    if (running === null) running = run();
    else again = true;
  };

  const listener = listen(wake);
  const timer = setInterval(wake, pollMs);
  timer.unref();
  return {
    close: async () => {
      clearInterval(timer);
      await listener.close();
      await running;
    },
  };
}
