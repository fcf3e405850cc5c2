// Tests that the fold stops at an invalid log: it never guesses, skips or overwrites.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { GwEvent } from '../../events/catalogue.ts';
import { emptyState, fold, streamVersion } from '../../projections/config/state.ts';
import {
  endpointAt,
  fallbackSet,
  keyCreated,
  keyDeleted,
  keyRevoked,
  modelCreated,
  modelDeleted,
  plainName,
  principalCreated,
  principalDeleted,
  providerCreated,
  providerDeleted,
  roleCreated,
  roleDeleted,
  roleGranted,
} from '../harness/events/examples.ts';
import { allEvents, append, emptyLog } from '../harness/events/test-log.ts';

const after = (events: readonly GwEvent[]) =>
  events.reduce((log, event) => append(log, [event]), emptyLog);

const created: readonly GwEvent[] = [
  principalCreated(1, plainName('ci')),
  roleCreated(1, 'readers'),
  keyCreated(1, 1),
  providerCreated(1, 'p', { endpoint: endpointAt('https://here.example') }),
  modelCreated(1, 'gpt'),
];

describe('the fold', () => {
  it('stops at a gap, at a repetition and at events out of order', () => {
    const [first, second, third] = allEvents(after(created));
    assert.ok(first && second && third);
    const state = fold(emptyState, [first]);
    assert.throws(() => fold(state, [third]), /event 3 does not follow position 1/);
    assert.throws(() => fold(state, [first]), /event 1 does not follow position 1/);
    assert.throws(() => fold(state, [third, second]), /event 3 does not follow position 1/);
  });

  it('stops at an event on what does not exist', () => {
    const events: readonly GwEvent[] = [
      principalDeleted(1),
      roleGranted(1, 1),
      keyDeleted(1),
      keyRevoked(1),
      providerDeleted(1),
      modelDeleted(1),
    ];
    for (const event of events) assert.throws(() => after([event]), /which does not exist/);
  });

  it('stops at an event on what has been deleted', () => {
    const events = [modelCreated(1, 'gpt'), modelDeleted(1), modelDeleted(1)];
    assert.throws(() => after(events), /ModelDeleted on model-1, which does not exist/);
  });

  it('stops at the creation of what exists: an id that is given twice overwrites nothing', () => {
    for (const event of created) {
      assert.throws(() => after([...created, event]), /Created creates .*, which exists already/);
    }
  });

  it('stops at an event of another noun than its stream', () => {
    const misplaced: GwEvent = { ...modelDeleted(1), stream: 'provider-1' };
    assert.throws(
      () => after([...created, misplaced]),
      /ModelDeleted does not belong on provider-1/,
    );
  });

  it('continues to count the events of a stream after a deletion', () => {
    const { state } = after([roleCreated(1, 'a'), roleDeleted(1), roleCreated(2, 'a')]);
    assert.equal(streamVersion(state, 'role-1'), 2);
    assert.equal(streamVersion(state, 'role-2'), 1);
    assert.equal(streamVersion(state, 'role-3'), 0);
  });

  it('moves the version with events that touch the snapshot, and the position with all', () => {
    const nothing: GwEvent = { stream: 'settings-1', type: 'NoChange', data: {} };
    const { state } = after([...created, fallbackSet(1), nothing]);
    assert.deepEqual([state.position, state.version], [7, 6]);
  });
});
