// Tests that the access review agrees with the gateway's own tables for every principal and model,
// over random histories, and that it reports the differences between two positions.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import * as fc from 'fast-check';

import { accessChanges, accessOf } from '../../projections/access.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import type { Command } from '../../src/deciders/decide.ts';
import { compileTables } from '../../src/snapshot/compile.ts';
import { mayInvoke, principalCompiler } from '../../src/snapshot/compile/callers.ts';
import { change, changingPrelude } from '../harness/events/changing-configuration.ts';
import { commandSequence, logOf } from '../harness/events/commands.ts';
import { routingSnapshot } from '../harness/gateway/routed.ts';
import { runs } from '../harness/property-runs.ts';

const pairs = (state: ConfigState): readonly string[] =>
  [...accessOf(state)].map(({ principalId, modelId }) => `${principalId}.${modelId}`);

/** The answer of the gateway's tables. */
function allowed(state: ConfigState): readonly string[] {
  const snapshot = routingSnapshot(state);
  const { models } = compileTables(snapshot, []);
  const callerOf = principalCompiler(snapshot, models);
  return snapshot.config.principals.flatMap((principal) =>
    [...models.values()]
      .filter((model) => mayInvoke(callerOf(principal), model))
      .map(({ id }) => `${principal.id}.${id}`),
  );
}

const changing = fc
  .array(change, { maxLength: 30, size: 'max' })
  .map((commands): readonly Command[] => changingPrelude.concat(commands));
const history = fc.oneof(changing, commandSequence(60));

it('of every history, access is what the tables of the gateway allow', () => {
  fc.assert(
    fc.property(history, (commands) => {
      const { state } = logOf(commands);
      assert.deepEqual(pairs(state), allowed(state));
    }),
    runs(40),
  );
});

it('between two moments, access is what one has and the other has not', () => {
  let changes = 0;
  fc.assert(
    fc.property(changing, fc.nat(30), (commands, cut) => {
      const before = logOf(commands.slice(0, commands.length - cut)).state;
      const after = logOf(commands).state;
      const [old, now] = [new Set(pairs(before)), new Set(pairs(after))];
      const found = [...accessChanges(before, after)].map(
        ({ change, access: { principalId, modelId } }) => `${change} ${principalId}.${modelId}`,
      );
      changes += found.length;
      assert.deepEqual(
        found.toSorted(),
        [
          ...[...now].filter((pair) => !old.has(pair)).map((pair) => `gained ${pair}`),
          ...[...old].filter((pair) => !now.has(pair)).map((pair) => `lost ${pair}`),
        ].toSorted(),
      );
    }),
    runs(20),
  );
  assert.ok(changes > 0);
});

it('a list continues after its last row', () => {
  const { state } = logOf(changingPrelude);
  const all = [...accessOf(state)];
  assert.ok(all.length > 4);
  for (const [index, held] of all.entries()) {
    assert.deepEqual([...accessOf(state, held)], all.slice(index + 1));
  }
});
