// Tests that requests under a changing configuration are explained by their rows alone: routing
// again on the snapshot that served each gives the recorded route. GW_TEST_EXPLAINED is their
// number; `npm run test:soak -- explained` uses 10,000.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import * as fc from 'fast-check';

import { explainRow } from '../../../src/control/history/explain.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import { ruleInputs } from '../../../src/usage/rule-inputs.ts';
import { change, changingPrelude } from '../../harness/events/changing-configuration.ts';
import { eventsOf } from '../../harness/events/commands.ts';
import { append, emptyLog, testMetadata } from '../../harness/events/test-log.ts';
import type { TestLog } from '../../harness/events/test-log.ts';
import type { Command } from '../../../src/deciders/decide.ts';
import { routedAt } from '../../harness/gateway/routed.ts';
import { serve, served } from '../../harness/gateway/served.ts';

const wanted = Number(process.env['GW_TEST_EXPLAINED'] ?? 600);
const requestsAChange = 4;

const run = (log: TestLog, command: Command): TestLog =>
  append(log, eventsOf(log.state, command), testMetadata(command.type));

function* rows(seed: number) {
  const prelude = changingPrelude.reduce(run, emptyLog);
  let log = prelude;
  let number = 0;
  for (let round = 0; ; round++) {
    // A short log folds quickly and changes as much as a long one.
    if (round % 50 === 0) log = prelude;
    const [command] = fc.sample(change, { numRuns: 1, seed: seed + round });
    if (command !== undefined) log = run(log, command);
    for (const one of fc.sample(served, { numRuns: requestsAChange, seed: seed - round })) {
      const row = serve(log.state, one, (number += 1));
      if (row !== null) yield { state: log.state, row };
    }
  }
}

it('explains every request by its row: routing again gives the recorded route', () => {
  const seen = new Set<string>();
  let explained = 0;
  for (const { state, row } of rows(7)) {
    if (explained === wanted) break;
    const explanation = explainRow(routedAt(state), row);
    assert.ok(!isRefusal(explanation));
    assert.deepEqual(explanation.differences, [], JSON.stringify(explanation));
    assert.deepEqual(
      explanation.rules.flatMap(({ unknown }) => unknown),
      [],
    );
    explained += 1;
    const inputs = ruleInputs.nullable().parse(row.rule_inputs);
    const kinds = [
      row.refusal ?? /^[a-z]+/.exec(row.route ?? '')?.[0] ?? '',
      (inputs?.crowded_rules.length ?? 0) > 0 ? 'crowded' : '',
      Object.keys(inputs?.headers ?? {}).length > 0 ? 'headers' : '',
    ];
    for (const kind of kinds) seen.add(kind);
  }
  for (const kind of ['authorisation', 'no_backend', 'rate_limit', 'concrete', 'default', 'rule']) {
    assert.ok(seen.has(kind), `some are ${kind}`);
  }
  assert.ok(seen.has('backend_overloaded'), 'some are backend_overloaded');
  for (const kind of ['jump', 'crowded', 'headers']) assert.ok(seen.has(kind), `some are ${kind}`);
});

it('lists unknown facts and uses the recorded ones when rule inputs are missing', () => {
  let open = 0;
  let explained = 0;
  for (const { state, row } of rows(11)) {
    if (explained === 200) break;
    explained += 1;
    const old = { ...row, rule_inputs: null };
    // Times and prices of the row and its snapshot, which may differ from current ones.
    const explanation = explainRow(routedAt(state), old);
    assert.ok(!isRefusal(explanation));
    const unknown = explanation.rules.filter((rule) => rule.unknown.length > 0);
    open += unknown.length;
    assert.equal(
      explanation.not_recorded.filter((one) => one.includes(' that rule ')).length,
      unknown.length,
    );
  }
  assert.ok(open > 0);
});

function servedByRule() {
  for (const one of rows(13)) if (one.row.rule_id !== null && one.row.refusal === null) return one;
  throw new Error('a rule decides sooner or later');
}

it('detects a tampered row by its different route', () => {
  const one = servedByRule();
  const cases = [
    { route: 'rule:99' },
    { rule_id: 999 },
    { frontend_model_id: 999 },
    { tag: 'forged' },
    { model_id: 999, refusal: null, status: 200 },
  ];
  for (const forged of cases) {
    const explanation = explainRow(routedAt(one.state), { ...one.row, ...forged });
    assert.ok(!isRefusal(explanation));
    assert.equal(explanation.agrees, false, JSON.stringify(forged));
  }
});
