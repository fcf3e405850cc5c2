// Tests a pause: work requested during it runs once at its end.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { createPause } from '../../src/control/pause.ts';

function resting(test: TestContext) {
  test.mock.timers.enable({ apis: ['setTimeout'] });
  const done = { count: 0 };
  const rest = createPause(() => void (done.count += 1));
  return { rest, done, pass: (ms: number) => test.mock.timers.tick(ms) };
}

describe('a rest', () => {
  it('is over before it starts, and with length 0', (t) => {
    const { rest, done, pass } = resting(t);
    assert.ok(rest.isOver());
    rest.take(0);
    assert.ok(rest.isOver());
    pass(1);
    assert.equal(done.count, 0);
  });

  it('runs requested work once at its end', (t) => {
    const { rest, done, pass } = resting(t);
    rest.take(100);
    assert.deepEqual([rest.isOver(), rest.isOver()], [false, false]);
    pass(99);
    assert.equal(done.count, 0);
    pass(1);
    assert.equal(done.count, 1);
    assert.ok(rest.isOver());
  });

  it('runs nothing when nothing was requested or when it is closed', (t) => {
    const { rest, done, pass } = resting(t);
    rest.take(100);
    pass(100);
    rest.take(100);
    assert.ok(!rest.isOver());
    rest.close();
    pass(100);
    assert.equal(done.count, 0);
  });
});
