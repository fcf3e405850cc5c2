// Logins in turns. Each attempt counts as a failure until it is decided, so that guesses cannot run ahead of the limit. An attempt that
// finds no room therefore waits for those of its network that are under way: they may be right passwords, which give their room back.

import type { Clock } from '../../lib/clock.ts';
import { isRefusal } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { networkOf } from '../../ingress/network.ts';
import type { LoginAttempt, LoginLimit } from './login-limit.ts';

export type LoginTurns = Readonly<{
  /**
   * Milliseconds to wait before the password is checked, mostly 0. Refuses when failures alone leave no room. Each admitted attempt must
   * be concluded.
   */
  enter: (attempt: LoginAttempt, clock: Clock) => Promise<number | Refusal>;
  /** `failed` is false for a right password, and for one that was never checked. */
  conclude: (attempt: LoginAttempt, outcome: Readonly<{ failed: boolean }>) => void;
}>;

/** How many attempts of one network may wait; the next one is refused. */
export const waitingMax = 64;

type Line = { underWay: number; waiting: (() => void)[] };

export function createLoginTurns(limit: LoginLimit): LoginTurns {
  const lines = new Map<string, Line>();
  return {
    enter: async (attempt, clock) => {
      const network = networkOf(attempt.address);
      for (;;) {
        const admitted = limit.admit(attempt, clock());
        const line = lines.get(network) ?? { underWay: 0, waiting: [] };
        if (!isRefusal(admitted)) {
          line.underWay += 1;
          lines.set(network, line);
          return admitted;
        }
        if (line.underWay === 0 || line.waiting.length >= waitingMax) return admitted;
        await new Promise<void>((resolve) => line.waiting.push(resolve));
      }
    },
    conclude: (attempt, { failed }) => {
      if (!failed) limit.giveBack(attempt);
      const network = networkOf(attempt.address);
      const line = lines.get(network);
      if (line === undefined) return;
      line.underWay -= 1;
      if (line.underWay === 0) lines.delete(network);
      // In the order in which they came; those that still find no room wait again.
      for (const wake of line.waiting.splice(0)) wake();
    },
  };
}
