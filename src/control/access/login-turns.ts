// Queues logins. Until it is decided, each attempt counts as a failure, so that parallel guesses
// cannot exceed the limit. An attempt over the limit waits for the pending attempts of its network,
// because each correct password returns its tokens.

import type { Clock } from '../../lib/clock.ts';
import { isRefusal } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { networkOf } from '../../ingress/network.ts';
import type { LoginAttempt, LoginLimit } from './login-limit.ts';

export type LoginTurns = Readonly<{
  /**
   * Returns the milliseconds to wait before checking the password, usually 0. Refuses if decided
   * failures alone exceed the limit. The caller must conclude each admitted attempt.
   */
  enter: (attempt: LoginAttempt, clock: Clock) => Promise<number | Refusal>;
  /** `failed` is false if the password was correct or was never checked. */
  conclude: (attempt: LoginAttempt, outcome: Readonly<{ failed: boolean }>) => void;
}>;

/** Per network. */
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
      // Those still over the limit wait again.
      for (const wake of line.waiting.splice(0)) wake();
    },
  };
}
