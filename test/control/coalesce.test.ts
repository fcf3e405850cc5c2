// Coalescing: whoever asks gets a run that begins after, and there is never more than one.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { coalesce } from '../../src/control/coalesce.ts';

/** Work that ends when the test says so. */
function held() {
  const runs: PromiseWithResolvers<void>[] = [];
  const ask = coalesce(() => {
    const run = Promise.withResolvers<void>();
    runs.push(run);
    return run.promise;
  });
  return { runs, ask };
}

describe('coalesced work', () => {
  it('runs once more for all who asked during a run', async () => {
    const { runs, ask } = held();
    const first = ask();
    const during = [ask(), ask(), ask()];
    assert.equal(runs.length, 1);
    runs[0]?.resolve();
    await first;
    // The second run has begun when the first one is seen to end.
    assert.equal(runs.length, 2);
    const late = ask();
    runs[1]?.resolve();
    await Promise.all(during);
    assert.equal(runs.length, 3);
    runs[2]?.resolve();
    await late;
  });

  it('that fails, fails for those who waited for that run alone', async () => {
    const { runs, ask } = held();
    const first = ask();
    const second = ask();
    runs[0]?.reject(new Error('away'));
    await assert.rejects(first, /away/);
    runs[1]?.resolve();
    await second;
    const third = ask();
    runs[2]?.resolve();
    await third;
  });
});
