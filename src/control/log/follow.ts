// Follows the log: learns of other replicas' events by notification, or within a second without
// one.

import type { Listener } from '../../db/listen.ts';

type Dependencies = {
  listen: (onAppended: () => void) => Listener;
  catchUp: () => Promise<void>;
  onFailure: (error: unknown) => void;
};

const pollMs = 1000;

/**
 * Runs `catchUp` on each notification and each poll, without overlap. A notification during a run
 * causes another run.
 */
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
        // Only the first failure, not one every second.
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
