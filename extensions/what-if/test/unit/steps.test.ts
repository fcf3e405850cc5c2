// Tests that the tables of a what-if are built in bounded steps, with pauses between them.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { createConfigSteps } from '../../../../projections/snapshot.ts';
import { routingSnapshot } from '../../../../test/harness/gateway/routed.ts';
import { createSidesOf } from '../../sides.ts';
import { createYieldTurn, inSlices } from '../../../../src/lib/slices.ts';
import { tableSteps } from '../../../../src/snapshot/compile.ts';
import {
  modelCreated,
  plainName,
  principalCreated,
} from '../../../../test/harness/events/examples.ts';
import { append, emptyLog } from '../../../../test/harness/events/test-log.ts';

const count = 600;
const numbers = Array.from({ length: count }, (_, index) => index + 1);
const { state } = append(emptyLog, [
  ...numbers.map((number) => principalCreated(number, plainName(`p-${number}`))),
  ...numbers.map((number) => modelCreated(number, `m-${number}`)),
]);

it('a step makes one entity of the tables, and the members of one page of the configuration', () => {
  const snapshot = routingSnapshot(state);
  const read = new Set<number>();
  const models = snapshot.config.models.map((model) => ({
    ...model,
    get backends() {
      read.add(model.id);
      return model.backends;
    },
  }));
  const counted = { ...snapshot, config: { ...snapshot.config, models } };
  const steps = tableSteps(counted, []);
  for (let before = 0, next = steps.next(); next.done !== true; next = steps.next()) {
    assert.ok(read.size - before <= 1, `${read.size - before} models in one step`);
    before = read.size;
  }
  assert.equal(read.size, count);

  const pages = Math.floor(count / 256) + 1;
  assert.equal([...createConfigSteps()(state)].length, 2 * pages);
});

it('others have their turn while the tables are made', async () => {
  let nowMs = 0;
  let turns = 0;
  const turn = (): void => {
    turns += 1;
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  // Every step takes one millisecond, and a slice ten.
  await inSlices(
    createYieldTurn(() => (nowMs += 1)),
    createSidesOf()(state),
  );
  clearImmediate(next);
  assert.ok(turns >= count / 20, `${turns} turns`);
});
