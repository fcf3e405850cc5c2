// Tests that unpacking a packed state and folding the rest gives the state of the whole log.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import * as fc from 'fast-check';

import { packState, unpackState } from '../../projections/config/packed.ts';
import { emptyState, fold } from '../../projections/config/state.ts';
import { commandSequence, logOf } from '../harness/events/commands.ts';
import { allEvents } from '../harness/events/test-log.ts';
import { runs } from '../harness/property-runs.ts';

it('a state packed anywhere and folded on from there is the fold at once', () => {
  fc.assert(
    fc.property(commandSequence(80), fc.nat({ max: 200 }), (commands, cut) => {
      const events = allEvents(logOf(commands));
      const before = fold(emptyState, events.slice(0, cut));
      const unpacked = unpackState(packState(before));
      assert.deepEqual(
        Object.keys(unpacked).toSorted(),
        Object.keys(emptyState).toSorted(),
        'every noun is in it',
      );
      const whole = fold(emptyState, events);
      assert.equal(packState(fold(unpacked, events.slice(cut))), packState(whole));
    }),
    runs(100),
  );
});

it('a packed state is JSON without spaces', () => {
  fc.assert(
    fc.property(commandSequence(80), (commands) => {
      const text = packState(fold(emptyState, allEvents(logOf(commands))));
      assert.equal(JSON.stringify(JSON.parse(text)), text);
    }),
    runs(20),
  );
});

it('what no state was packed to is not unpacked', () => {
  assert.throws(() => unpackState('{"position":1}'), /not a packed state/);
});
