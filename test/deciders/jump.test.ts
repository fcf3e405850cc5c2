// Tests jumps between frontend models: valid destinations and rejected loops.

import { describe, it } from 'node:test';

import { frontendModelId, ruleId } from '../../src/lib/ids.ts';
import { given } from '../harness/events/test-log.ts';
import {
  frontendModelCreated,
  frontendModelDeleted,
  ruleAdded,
  ruleChanged,
  ruleRemoved,
  storedRule,
} from '../harness/events/routing-examples.ts';

const house = frontendModelCreated(1, 'house');
const jump = (number: number, to: number) =>
  storedRule(number, { action: 'jump', jump_to: frontendModelId.parse(to) });
const to = (jump_to: number) =>
  ({ action: 'jump', jump_to: frontendModelId.parse(jump_to), conditions: {} }) as const;
const add = (frontendModel: number, rule: ReturnType<typeof to> & { position?: number }) =>
  ({ type: 'AddRule', frontendModelId: frontendModelId.parse(frontendModel), rule }) as const;

describe('a jump', () => {
  const three = [house, frontendModelCreated(2, 'annex'), frontendModelCreated(3, 'cellar')];

  it('leads to a frontend model that exists, and not to its own', () => {
    given(three)
      .when(add(1, to(2)))
      .yields([ruleAdded(1, jump(1, 2))]);
    given(three)
      .when(add(1, to(1)))
      .refuses('invalid', /jump_to 1 is the frontend model of the rule itself/, 'jump_to');
    given(three)
      .when(add(1, to(9)))
      .refuses('invalid', /jump_to 9 does not exist/, 'jump_to');
  });

  it('that would close a loop through others is refused, and the loop named', () => {
    const chain = [...three, ruleAdded(1, jump(1, 2)), ruleAdded(2, jump(2, 3))];
    given(chain)
      .when(add(3, to(1)))
      .refuses('invalid', /would close the loop cellar > house > annex > cellar/, 'jump_to');
    given([...chain, ruleAdded(3, storedRule(3))])
      .when({ type: 'UpdateRule', id: ruleId.parse(3), rule: to(2) })
      .refuses('invalid', /the loop cellar > annex > cellar/, 'jump_to');
    given([...chain, ruleRemoved(2, 2)])
      .when(add(3, to(1)))
      .yields([ruleAdded(3, jump(3, 1))]);
  });

  it('may meet another: two paths to one model do not form a loop', () =>
    given([...three, ruleAdded(1, jump(1, 3)), ruleAdded(2, jump(2, 3))])
      .when(add(1, { ...to(2), position: 1 }))
      .yields([ruleAdded(1, { ...jump(3, 2), position: 1 })]));

  it('to what is deleted stays, and the rule can still be changed', () => {
    const dangling = [...three, ruleAdded(1, jump(1, 2)), frontendModelDeleted(2)];
    given(dangling)
      .when({ type: 'UpdateRule', id: ruleId.parse(1), rule: { ...to(2), tag: 'x' } })
      .yields([ruleChanged(1, { ...jump(1, 2), tag: 'x' })]);
    given(dangling)
      .when(add(1, { ...to(2), position: 1 }))
      .refuses('invalid', /jump_to 2 does not exist/, 'jump_to');
  });
});
