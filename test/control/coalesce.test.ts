// Tests coalescing: each caller gets a run that starts after its call, and runs never overlap.

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
  it('runs once more for all calls during a run', async () => {
    const { runs, ask } = held();
    const first = ask();
    const during = [ask(), ask(), ask()];
    assert.equal(runs.length, 1);
    runs[0]?.resolve();
    await first;
    // The second run has started when the first one is seen to end.
    assert.equal(runs.length, 2);
    const late = ask();
    runs[1]?.resolve();
    await Promise.all(during);
    assert.equal(runs.length, 3);
    runs[2]?.resolve();
    await late;
  });

  it('rejects only for the callers that waited for the failed run', async () => {
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
