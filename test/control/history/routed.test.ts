// Tests that tables of configurations are built once and in slices.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { createAskRouted, routedMax } from '../../../src/control/history/routed.ts';
import { changingPrelude } from '../../harness/events/changing-configuration.ts';
import { logOf } from '../../harness/events/commands.ts';
import { routedAt } from '../../harness/gateway/routed.ts';

it('compiles a configuration once while it is among the last used, with the same result as directly', async () => {
  const { state } = logOf(changingPrelude);
  const { ofState, ofSnapshot } = createAskRouted(() => 0);
  const [one, same] = await Promise.all([ofState(state), ofState(state)]);
  assert.equal(one, same);
  assert.deepEqual(one, routedAt(state));
  assert.deepEqual((await ofSnapshot(one.snapshot)).tables, one.tables);
  for (let other = 2; other < routedMax; other += 1) await ofState({ ...state });
  assert.equal(await ofState(state), one);
  for (let other = 0; other < routedMax; other += 1) await ofState({ ...state });
  assert.notEqual(await ofState(state), one, 'it is forgotten');
});

it('yields to other work while tables are built', async () => {
  const { state } = logOf(changingPrelude);
  let nowMs = 0;
  let turns = 0;
  const turn = (): void => {
    turns += 1;
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  // Each step takes longer than a slice.
  await createAskRouted(() => (nowMs += 20)).ofState(state);
  clearImmediate(next);
  assert.ok(turns > state.model.byId.size, `${turns} turns`);
});
