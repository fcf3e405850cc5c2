// Tests what-if on random configurations: no change without a proposal, and otherwise the same
// result as the proposal itself gives, wherever the row has the facts. GW_TEST_WHAT_IFS sets the
// number; `npm run test:soak -- what-if` runs 10,000.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import * as fc from 'fast-check';

import type { ConfigState } from '../../../projections/config/state.ts';
import { compareRow } from '../compare-row.ts';
import { createSidesOf } from '../sides.ts';
import type { Sides } from '../sides.ts';
import { createTally } from '../tally.ts';
import type { UsageRecord } from '../../../src/db/usage/usage-events.ts';
import type { Command } from '../../../src/deciders/decide.ts';
import { inOneGo } from '../../../src/lib/steps.ts';
import type { Comparison } from '../compare-request.ts';
import { change, changingPrelude } from '../../../test/harness/events/changing-configuration.ts';
import { eventsOf } from '../../../test/harness/events/commands.ts';
import { append, emptyLog, testMetadata } from '../../../test/harness/events/test-log.ts';
import type { TestLog } from '../../../test/harness/events/test-log.ts';
import { serve, served } from '../../../test/harness/gateway/served.ts';

const wanted = Number(process.env['GW_TEST_WHAT_IFS'] ?? 500);

const run = (log: TestLog, command: Command): TestLog =>
  append(log, eventsOf(log.state, command), testMetadata(command.type));

type Case = Readonly<{
  /** The serving configuration, the present one and the proposal. */
  states: readonly [ConfigState, ConfigState, ConfigState];
  row: UsageRecord;
  /** The proposal's result for the same request. Null if it does not know the name. */
  truth: UsageRecord | null;
}>;

function* cases(seed: number): Generator<Case> {
  const prelude = changingPrelude.reduce(run, emptyLog);
  let log = prelude;
  let states = [log.state, log.state, log.state] as const;
  let number = 0;
  for (let round = 0; ; round++) {
    // A short log is fast to fold and varied enough.
    if (round % 50 === 0) log = prelude;
    const [command] = fc.sample(change, { numRuns: 1, seed: seed + round });
    if (command !== undefined) log = run(log, command);
    states = [states[1], states[2], log.state];
    for (const drawn of fc.sample(served, { numRuns: 3, seed: seed - round })) {
      const one = { ...drawn, out: [], refusal: null };
      const row = serve(states[0], one, (number += 1));
      if (row === null) continue;
      const principals = [...states[2].principal.byId.keys()];
      const principal = principals.indexOf(row.principal_id);
      const truth = serve(states[2], { ...one, principal }, number);
      // The route was chosen while that configuration was live. No key of these callers is in the
      // log.
      const told = { ...row, key_id: null, duration_ms: one.waitedMs + 1 };
      yield { states, row: told, truth };
    }
  }
}

function* compared(seed: number, asked: (one: Case) => readonly [ConfigState, ConfigState]) {
  const stepsOf = createSidesOf();
  const sidesOf = (state: ConfigState): Sides => inOneGo(stepsOf(state));
  let count = 0;
  for (const one of cases(seed)) {
    if (count === wanted) return;
    count += 1;
    const [before, after] = asked(one).map(sidesOf);
    assert.ok(before !== undefined && after !== undefined);
    const comparison = compareRow({ before, after, serving: sidesOf(one.states[0]) }, one.row);
    yield { ...one, comparison };
  }
}

const same = ({ states: [, present] }: Case) => [present, present] as const;
const proposed = ({ states: [, present, next] }: Case) => [present, next] as const;

it('where nothing is proposed nothing changes, and all is told', () => {
  const tally = createTally(10);
  for (const { row, comparison } of compared(3, same)) tally.add(row, comparison);
  const { total, moves, not_told, changed } = tally.summary();
  assert.deepEqual([total.requests, total.same], [wanted, wanted]);
  assert.deepEqual([moves.first, not_told.first, changed], [[], [], []]);
  assert.equal(total.cost_difference, '0.000000');
});

it('what is told of a proposal is what it does', () => {
  const seen = new Map<string, number>();
  for (const { comparison, truth } of compared(5, proposed)) {
    const name = comparison.change ?? 'not told';
    seen.set(name, (seen.get(name) ?? 0) + 1);
    agrees(comparison, truth);
  }
  for (const name of ['same', 'rerouted', 'newly_denied', 'newly_allowed', 'not told']) {
    assert.ok((seen.get(name) ?? 0) > 0, `some are ${name}`);
  }
  // Most rows have the facts.
  assert.ok((seen.get('not told') ?? 0) < wanted / 2, JSON.stringify([...seen]));
});

function agrees({ change, after }: Comparison, truth: UsageRecord | null): void {
  const said = JSON.stringify([change, after, truth]);
  const isDenied = truth === null || truth.refusal === 'authorisation';
  if (change === 'newly_denied') assert.ok(isDenied, said);
  if (change === 'newly_allowed' || change === 'rerouted') assert.ok(!isDenied, said);
  if (after === null) return;
  assert.equal(after.denied !== null, isDenied, said);
  if (truth !== null && after.route !== null) assert.equal(after.ruleId, truth.rule_id, said);
}
