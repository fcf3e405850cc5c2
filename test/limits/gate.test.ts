// Tests the gate of a backend: the ceiling holds, waiters are served in order, and no slot is lost.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { Gate } from '../../src/limits/gate.ts';
import type { FlowControl } from '../../src/snapshot/compile/flow-control.ts';

const settings = (more: Partial<FlowControl> = {}): FlowControl => ({
  concurrentMax: 8,
  highWater: 4,
  queuedMax: 2,
  waitMsMax: 1000,
  ...more,
});

function gateWith(more: Partial<FlowControl> = {}): Gate<string> {
  const gate = new Gate<string>();
  gate.configure(settings(more));
  return gate;
}

const takeAll = (gate: Gate<string>): number => {
  let taken = 0;
  while (gate.take()) taken++;
  return taken;
};

describe('the ceiling', () => {
  it('is what is configured', () => assert.equal(takeAll(gateWith()), 8));

  for (const [name, waiting, capacities] of [
    ['halves on each scrape at the high-water mark', [4, 9, 4, 4, 4], [4, 2, 1, 1, 1]],
    ['stays the same below the high-water mark', [3, 1], [8, 8]],
    ['rises by one on each scrape with none waiting', [4, 4, 0, 0, 2, 0], [4, 2, 3, 4, 4, 5]],
    ['rises to what is configured and no further', [4, 0, 0, 0, 0, 0], [4, 5, 6, 7, 8, 8]],
  ] as const) {
    it(name, () => {
      const gate = gateWith();
      const seen = waiting.map((count) => {
        gate.observe(count);
        return gate.capacity;
      });
      assert.deepEqual(seen, capacities);
    });
  }

  it('keeps requests in flight when it is lowered, and admits none until they fit', () => {
    const gate = gateWith();
    takeAll(gate);
    gate.observe(4);
    assert.deepEqual([gate.capacity, gate.inUse], [4, 8]);
    for (let inUse = 7; inUse >= 4; inUse--) {
      gate.release();
      assert.deepEqual([gate.inUse, gate.take()], [inUse, false]);
    }
    gate.release();
    assert.equal(gate.take(), true);
  });

  it('is reset to the configured value when the engine stops reporting', () => {
    const gate = gateWith();
    gate.observe(4);
    gate.restore();
    assert.equal(gate.capacity, 8);
  });

  for (const [name, lowered, next, capacity] of [
    ['follows a raised setting', false, 16, 16],
    ['follows a lowered setting', false, 2, 2],
    ['stays lowered under a raised setting', true, 16, 4],
    ['is within a lowered setting', true, 2, 2],
  ] as const) {
    it(name, () => {
      const gate = gateWith();
      if (lowered) gate.observe(4);
      gate.configure(settings({ concurrentMax: next }));
      assert.equal(gate.capacity, capacity);
    });
  }
});

describe('the queue', () => {
  it('is first come first served', () => {
    const gate = gateWith({ concurrentMax: 1, queuedMax: 3 });
    takeAll(gate);
    for (const name of ['a', 'b', 'c']) gate.join(name, 0);
    gate.leave('b');
    assert.deepEqual([gate.release(), gate.release(), gate.release()], [['a'], ['c'], []]);
    assert.equal(gate.inUse, 0);
  });

  it('refuses and counts a request when it is full', () => {
    const gate = gateWith();
    takeAll(gate);
    assert.deepEqual(
      [gate.join('a', 0), gate.join('b', 0), gate.join('c', 0)],
      [true, true, false],
    );
    assert.equal(gate.refusedFull, 1);
  });

  it('removes and counts a request that waited for the maximum time', () => {
    const gate = gateWith();
    takeAll(gate);
    gate.join('a', 0);
    gate.join('b', 500);
    assert.equal(gate.deadlineMs(), 1000);
    assert.deepEqual([gate.expire(999), gate.expire(1000), gate.expire(1499)], [[], ['a'], []]);
    assert.equal(gate.refusedTimedOut, 1);
  });

  it('applies a new maximum wait at once', () => {
    const gate = gateWith();
    takeAll(gate);
    gate.join('a', 0);
    gate.configure(settings({ waitMsMax: 100 }));
    assert.deepEqual([gate.deadlineMs(), gate.expire(100)], [100, ['a']]);
  });

  it('advances when the ceiling is raised, and empties when the gate is turned off', () => {
    const gate = gateWith({ concurrentMax: 1, queuedMax: 4 });
    takeAll(gate);
    for (const name of ['a', 'b', 'c']) gate.join(name, 0);
    assert.deepEqual(gate.configure(settings({ concurrentMax: 2 })), ['a']);
    assert.deepEqual(gate.configure(null), ['b', 'c']);
    assert.equal(gate.inUse, 4);
  });
});

it('a gate that is turned on counts the requests in flight', () => {
  const gate = new Gate<string>(3);
  gate.configure(settings({ concurrentMax: 4 }));
  assert.equal(takeAll(gate), 1);
});

/** A linear congruential generator: the same operations in every run. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const operations = Number(process.env['GW_TEST_GATE_OPERATIONS'] ?? 20_000);

it(`in ${operations} random operations no request is admitted above the ceiling and no slot is lost`, () => {
  const random = randomFrom(7);
  const gate = new Gate<number>();
  const served = new Set<number>();
  let waiting: { id: number; sinceMs: number }[] = [];
  let nowMs = 0;
  let arrivals = 0;
  let overAdmissions = 0;
  const admit = (id: number): void => {
    served.add(id);
    if (gate.settings !== null && gate.inUse > gate.capacity) overAdmissions++;
  };
  const admitFirst = (ids: readonly number[]): void => {
    assert.deepEqual(
      ids,
      waiting.slice(0, ids.length).map(({ id }) => id),
    );
    waiting = waiting.slice(ids.length);
    for (const id of ids) admit(id);
  };
  const arrive = (): void => {
    const id = ++arrivals;
    if (gate.take()) admit(id);
    else if (gate.join(id, nowMs)) waiting.push({ id, sinceMs: nowMs });
  };
  const anyOf = <Value>(values: readonly Value[]): Value | undefined =>
    values[random(values.length)];
  const operationsOf: readonly (() => void)[] = [
    arrive,
    arrive,
    arrive,
    () => {
      const id = anyOf([...served]);
      if (id === undefined) return;
      served.delete(id);
      admitFirst(gate.release());
    },
    () => {
      const left = anyOf(waiting);
      if (left === undefined) return;
      waiting = waiting.filter((one) => one !== left);
      gate.leave(left.id);
    },
    () => {
      nowMs += random(400);
      const expired = gate.expire(nowMs);
      const longest = gate.settings?.waitMsMax ?? Infinity;
      assert.deepEqual(
        expired,
        waiting.filter(({ sinceMs }) => sinceMs + longest <= nowMs).map(({ id }) => id),
      );
      waiting = waiting.slice(expired.length);
    },
    () => admitFirst(gate.observe(random(8))),
    () => {
      const isOff = random(10) === 0;
      const next = settings({
        concurrentMax: 1 + random(16),
        queuedMax: random(12),
        waitMsMax: random(2000),
      });
      if (random(20) === 0) admitFirst(gate.configure(isOff ? null : next));
    },
    () => {
      if (random(50) === 0) admitFirst(gate.restore());
    },
  ];
  for (let count = 0; count < operations; count++) {
    anyOf(operationsOf)?.();
    assert.equal(gate.inUse, served.size);
    assert.equal(gate.queued, waiting.length);
    assert.ok(waiting.length === 0 || !gate.hasSlot, 'no request waits while a slot is free');
    const most = gate.settings?.concurrentMax ?? Infinity;
    assert.ok(gate.capacity >= 1 && gate.capacity <= most);
  }
  assert.equal(overAdmissions, 0);
  assert.ok(arrivals > operations / 5 && gate.admitted > 0 && gate.refusedTimedOut > 0);
  while (served.size > 0) {
    const [id = 0] = served;
    served.delete(id);
    admitFirst(gate.release());
  }
  assert.deepEqual([gate.inUse, gate.queued], [0, 0]);
});
