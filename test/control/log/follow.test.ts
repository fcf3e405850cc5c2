// Tests following the log: one catch-up at a time and none lost, with or without notifications.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { follow } from '../../../src/control/log/follow.ts';
import { until } from '../../harness/wait.ts';

/** A follower with notifications and catch-ups controlled by the test. */
function followed(catchUp: () => Promise<void>) {
  const failures: unknown[] = [];
  const hints: { hint: () => void; closed: boolean } = { hint: () => {}, closed: false };
  const follower = follow({
    listen: (onAppended) => {
      hints.hint = onAppended;
      return {
        close: async () => {
          hints.closed = true;
        },
      };
    },
    catchUp,
    onFailure: (error) => failures.push(error),
  });
  return { follower, failures, hints };
}

function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { promise, open: resolve };
}

describe('following', () => {
  it('catches up after a notification, and once more for those that arrive during the run', async (t) => {
    const running = gate();
    let runs = 0;
    const { follower, hints } = followed(async () => {
      runs += 1;
      if (runs === 1) await running.promise;
    });
    t.after(() => follower.close());
    for (let hint = 0; hint < 5; hint++) hints.hint();
    assert.equal(runs, 1);
    running.open();
    await until(() => runs === 2, { what: 'the second run' });
    await follower.close();
    assert.equal(runs, 2);
  });

  it('catches up within two seconds without a notification', async (t) => {
    let runs = 0;
    const { follower } = followed(async () => {
      runs += 1;
    });
    t.after(() => follower.close());
    await until(() => runs > 0, { limitMs: 2000, what: 'a poll' });
  });

  it('reports a failure once until it has succeeded, and continues', async (t) => {
    const outcomes = ['fail', 'fail', 'succeed', 'fail'];
    const done: string[] = [];
    const { follower, failures, hints } = followed(async () => {
      const outcome = outcomes[done.length] ?? 'succeed';
      done.push(outcome);
      if (outcome === 'fail') throw new Error(`failure ${done.length}`);
    });
    t.after(() => follower.close());
    for (let run = 1; run <= outcomes.length; run++) {
      hints.hint();
      await until(() => done.length >= run, { what: `run ${run}` });
    }
    await until(() => failures.length === 2, { what: 'the second report' });
    assert.deepEqual(failures.map(String), ['Error: failure 1', 'Error: failure 4']);
  });

  it('closes after the run in progress, and runs no more', async () => {
    const running = gate();
    let runs = 0;
    let ended = false;
    const { follower, hints } = followed(async () => {
      runs += 1;
      await running.promise;
      ended = true;
    });
    hints.hint();
    const closing = follower.close();
    running.open();
    await closing;
    assert.deepEqual([ended, hints.closed, runs], [true, true, 1]);
  });
});
