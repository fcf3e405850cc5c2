// Tests commands on single targets of a rule.

import { describe, it } from 'node:test';

import { ruleId, targetId } from '../../src/lib/ids.ts';
import { modelCreated } from '../harness/events/examples.ts';
import { given } from '../harness/events/test-log.ts';
import {
  frontendModelCreated,
  named,
  ruleAdded,
  storedRule,
  target,
  targetLost,
  targetsSet,
} from '../harness/events/routing-examples.ts';

const house = frontendModelCreated(1, 'house');
const models = [modelCreated(1, 'small'), modelCreated(2, 'large')];
const addTarget = (name: string, position: number | null = null) =>
  ({ type: 'AddRuleTarget', ruleId: ruleId.parse(1), target: named(name, position) }) as const;

describe('a target', () => {
  const ruled = [house, ...models, ruleAdded(1, storedRule(1), [target(1, 3, { model: 1 })])];

  it('is added after the last, or at its requested position', () => {
    given(ruled)
      .when(addTarget('large'))
      .yields([targetsSet(1, 1, [target(1, 3, { model: 1 }), target(2, 4, { model: 2 })])]);
    given(ruled)
      .when(addTarget('large', 0))
      .yields([targetsSet(1, 1, [target(2, 0, { model: 2 }), target(1, 3, { model: 1 })])]);
    given(ruled)
      .when(addTarget('large', 3))
      .refuses('conflict', /^position 3 is taken/, 'position');
  });

  it('is on a model or a pool that is not one already', () => {
    given(ruled)
      .when(addTarget('small'))
      .refuses('conflict', /^model small is already a target/, 'model');
    given(ruled)
      .when(addTarget('house'))
      .refuses('invalid', /^model house is a frontend model/, 'model');
    given([...ruled, targetLost(1, 1, 'small')])
      .when(addTarget('tiny'))
      .refuses('invalid', /^model tiny is neither/, 'model');
  });

  it('is for a rule that routes', () =>
    given([house, ...models, ruleAdded(1, storedRule(1, { action: 'deny', deny_status: 403 }))])
      .when(addTarget('small'))
      .refuses('invalid', /rule 1 has action deny, which takes no targets/));

  it('is removed by its id, and its id is not given again', () => {
    given(ruled)
      .when({ type: 'RemoveRuleTarget', id: targetId.parse(1) })
      .yields([targetsSet(1, 1, [])]);
    given([...ruled, targetsSet(1, 1, [])])
      .when(addTarget('small'))
      .yields([targetsSet(1, 1, [target(2, 0, { model: 1 })])]);
    given([...ruled, targetsSet(1, null, [target(2, 0, { model: 1 })])])
      .when({ type: 'RemoveRuleTarget', id: targetId.parse(2) })
      .refuses('absent', /rule target 2 does not exist/);
  });
});
