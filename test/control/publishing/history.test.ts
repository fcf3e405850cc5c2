// Tests the history of deltas: which it keeps, and from which snapshots it leads to the newest.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createDeltaHistory } from '../../../src/control/publishing/history.ts';
import type { DeltaHistory } from '../../../src/control/publishing/history.ts';
import { snapshotDelta } from '../../../src/snapshot/delta/delta.ts';
import type { SnapshotDelta } from '../../../src/snapshot/delta/delta.ts';

const root = (number: number): string => String(number).padStart(64, '0');

/** From the snapshot with this number to the next. */
const deltaFrom = (number: number, secret = ''): SnapshotDelta => ({
  base: root(number),
  root: root(number + 1),
  version: number + 1,
  config_hash: '',
  log: { id: 'log', position: number + 1, hash: '' },
  config: {},
  secrets: { set: { [`ref-${number}`]: secret }, removed: [] },
  overlay: { seq: number + 1, budgets: { set: [], removed: [] } },
});

const read = (history: DeltaHistory, number: number): SnapshotDelta | null => {
  const found = history.from(root(number));
  return found === null ? null : snapshotDelta.parse(JSON.parse(found.bytes.toString()));
};

describe('the history of deltas', () => {
  it('leads from every snapshot that it knows to the newest', () => {
    const history = createDeltaHistory(() => 0);
    for (const number of [1, 2, 3]) history.add(deltaFrom(number));
    for (const number of [1, 2, 3]) {
      const delta = read(history, number);
      assert.deepEqual([delta?.base, delta?.root], [root(number), root(4)]);
      assert.equal(Object.keys(delta?.secrets.set ?? {}).length, 4 - number);
    }
    assert.equal(read(history, 4), null);
    assert.equal(read(history, 9), null);
  });

  it('forgets deltas after ten minutes, and the secrets in them', () => {
    let now = 0;
    const history = createDeltaHistory(() => now);
    history.add(deltaFrom(1, 'old secret'));
    now = 6 * 60_000;
    history.add(deltaFrom(2));
    history.expire();
    assert.notEqual(read(history, 1), null);
    now = 11 * 60_000;
    history.expire();
    assert.equal(read(history, 1), null);
    assert.equal(read(history, 2)?.root, root(3));
    now = 17 * 60_000;
    history.expire();
    assert.equal(read(history, 2), null);
  });

  it('keeps at most 2 MiB, but always the newest', () => {
    const history = createDeltaHistory(() => 0);
    const megabyte = 'x'.repeat(1024 * 1024);
    for (const number of [1, 2, 3]) history.add(deltaFrom(number, megabyte));
    assert.equal(read(history, 2), null);
    assert.equal(read(history, 3)?.root, root(4));
    history.add(deltaFrom(4, megabyte.repeat(3)));
    assert.equal(read(history, 3), null);
    assert.equal(read(history, 4)?.root, root(5));
  });

  it('keeps at most 1,000', () => {
    const history = createDeltaHistory(() => 0);
    for (let number = 0; number <= 1_000; number++) history.add(deltaFrom(number));
    assert.equal(read(history, 0), null);
    assert.equal(Object.keys(read(history, 1)?.secrets.set ?? {}).length, 1_000);
  });
});
