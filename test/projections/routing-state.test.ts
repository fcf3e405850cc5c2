// Tests the fold of frontend models and pools: invalid events, references to deleted models, and
// ids that are never assigned again.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { GwEvent } from '../../events/catalogue.ts';
import type { PoolMember } from '../../events/pool.ts';
import { snapshotConfig } from '../../projections/snapshot.ts';
import { modelCreated, modelDeleted } from '../harness/events/examples.ts';
import { append, emptyLog } from '../harness/events/test-log.ts';
import {
  frontendModelCreated,
  frontendModelDeleted,
  memberFound,
  memberLost,
  membersSet,
  poolCreated,
  poolDeleted,
  poolMember,
  ruleAdded,
  ruleChanged,
  ruleRemoved,
  storedRule,
  target,
  targetFound,
  targetLost,
  targetsSet,
} from '../harness/events/routing-examples.ts';

const stateAfter = (events: readonly GwEvent[]) =>
  events.reduce((log, event) => append(log, [event]), emptyLog).state;

const house = frontendModelCreated(1, 'house');
const rule = storedRule(1);

const at = (number: number, position: number) => storedRule(number, { position });

describe('the fold', () => {
  it('stops at an event on a frontend model, a rule or a pool that does not exist', () => {
    const cases: readonly (readonly GwEvent[])[] = [
      [frontendModelDeleted(1)],
      [ruleAdded(1, rule)],
      [targetsSet(1, null, [])],
      [targetLost(1, 1, 'small')],
      [house, ruleChanged(1, rule)],
      [house, ruleRemoved(1, 1)],
      [house, targetsSet(1, 1, [])],
      [poolDeleted(1)],
      [membersSet(1, [])],
      [memberFound(1, 1, 'small')],
    ];
    for (const events of cases) assert.throws(() => stateAfter(events), /which does not exist/);
  });

  it('stops at the creation of what exists', () => {
    const cases = [
      [house, house],
      [house, ruleAdded(1, rule), ruleAdded(1, rule)],
      [poolCreated(1, 'pair'), poolCreated(1, 'pair')],
    ];
    for (const events of cases) assert.throws(() => stateAfter(events), /which exists already/);
  });

  it('keeps rules in the order of their positions, wherever they come and go', () => {
    const { frontend_model } = stateAfter([
      house,
      ruleAdded(1, at(1, 5)),
      ruleAdded(1, at(2, 1)),
      ruleAdded(1, at(3, 9)),
      ruleChanged(1, at(3, 0)),
      ruleRemoved(1, 2),
    ]);
    assert.deepEqual(
      frontend_model.byId.get(1)?.rules.map(({ id }) => id),
      [3, 1],
    );
  });

  it('remembers the highest ids of rules, targets and members, also after deletions', () => {
    const state = stateAfter([
      house,
      ruleAdded(1, storedRule(4), [target(9, 0, { gone: 'small' })]),
      targetsSet(1, 4, []),
      ruleRemoved(1, 4),
      frontendModelDeleted(1),
      poolCreated(1, 'pair'),
      membersSet(1, [poolMember(3, 0, { gone: 'small' })]),
      membersSet(1, []),
      poolDeleted(1),
    ]);
    assert.deepEqual(state.frontend_model.lastParts, { rule: 4, target: 9 });
    assert.deepEqual(state.pool.lastParts, { member: 3 });
    assert.deepEqual(state.model.lastParts, {});
  });
});

const listsOf = (events: readonly GwEvent[]) => {
  const { frontend_model, pool } = stateAfter(events);
  const held = frontend_model.byId.get(1);
  return {
    targets: held?.rules[0]?.targets,
    defaults: held?.defaultTargets,
    members: pool.byId.get(1)?.members,
  };
};

describe('a target or a member whose model is gone', () => {
  const used = [
    modelCreated(1, 'small'),
    house,
    ruleAdded(1, rule, [target(1, 0, { model: 1 }), target(2, 1, { pool: 1 })]),
    targetsSet(1, null, [target(3, 0, { model: 1 })]),
    poolCreated(1, 'pair'),
    membersSet(1, [poolMember(1, 0, { model: 1 }, 7)]),
  ];
  const lost = [targetLost(1, 1, 'small'), memberLost(1, 1, 'small'), modelDeleted(1)];
  it('keeps its name, its place and its id', () =>
    assert.deepEqual(listsOf([...used, ...lost]), {
      targets: [target(1, 0, { gone: 'small' }), target(2, 1, { pool: 1 })],
      defaults: [target(3, 0, { gone: 'small' })],
      members: [poolMember(1, 0, { gone: 'small' }, 7)],
    }));

  it('refers to the model of that name once it is found', () => {
    const found = [
      modelCreated(2, 'small'),
      targetFound(1, 2, 'small'),
      memberFound(1, 2, 'small'),
    ];
    assert.deepEqual(listsOf([...used, ...lost, ...found]), {
      targets: [target(1, 0, { model: 2 }), target(2, 1, { pool: 1 })],
      defaults: [target(3, 0, { model: 2 })],
      members: [poolMember(1, 0, { model: 2 }, 7)],
    });
  });

  it('is left out of what proxies get', () => {
    const config = snapshotConfig(stateAfter([...used, ...lost]));
    const [held] = config.frontend_models;
    assert.deepEqual(held?.rules[0]?.targets, [{ model_id: null, pool_id: 1 }]);
    assert.deepEqual(held.default_targets, []);
    assert.deepEqual(config.pools[0]?.members, []);
  });

  it('that becomes equal to another of its list is removed; the first stays', () => {
    const members: readonly PoolMember[] = [
      poolMember(1, 0, { gone: 'small' }),
      poolMember(2, 1, { model: 1 }),
      poolMember(3, 2, { gone: 'other' }),
    ];
    const { pool } = stateAfter([
      modelCreated(1, 'large'),
      poolCreated(1, 'pair'),
      membersSet(1, members),
      memberFound(1, 1, 'small'),
    ]);
    assert.deepEqual(pool.byId.get(1)?.members, [
      poolMember(1, 0, { model: 1 }),
      poolMember(3, 2, { gone: 'other' }),
    ]);
  });
});
