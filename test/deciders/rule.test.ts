// Tests commands on the rules of frontend models.

import { describe, it } from 'node:test';

import type { RuleFields } from '../../src/deciders/rule.ts';
import { frontendModelId, principalId, promptClassId, roleId, ruleId } from '../../src/lib/ids.ts';
import {
  modelCreated,
  plainName,
  principalCreated,
  principalDeleted,
  roleCreated,
  roleDeleted,
} from '../harness/events/examples.ts';
import { given } from '../harness/events/test-log.ts';
import {
  frontendModelCreated,
  frontendModelDeleted,
  named,
  poolCreated,
  ruleAdded,
  ruleChanged,
  ruleRemoved,
  storedRule,
  target,
  targetsSet,
} from '../harness/events/routing-examples.ts';

const house = frontendModelCreated(1, 'house');
const models = [modelCreated(1, 'small'), modelCreated(2, 'large')];
const id = frontendModelId.parse(1);
const one = ruleId.parse(1);

type Fields = Partial<RuleFields> & { position?: number };
const whole = (fields: Fields) => ({ conditions: {}, ...fields });
const add = (fields: Fields = {}, frontendModel = 1) =>
  ({
    type: 'AddRule',
    frontendModelId: frontendModelId.parse(frontendModel),
    rule: whole(fields),
  }) as const;
const update = (fields: Fields) => ({ type: 'UpdateRule', id: one, rule: whole(fields) }) as const;
const replace = (...rules: (Fields & { id?: number })[]) =>
  ({
    type: 'ReplaceRules',
    frontendModelId: id,
    rules: rules.map(({ id, ...rule }) =>
      id === undefined ? whole(rule) : Object.assign(whole(rule), { id: ruleId.parse(id) }),
    ),
  }) as const;

describe('a rule', () => {
  it('is added after the last, and routes by default', () => {
    given([house])
      .when(add())
      .yields([ruleAdded(1, storedRule(1))]);
    given([house, ruleAdded(1, storedRule(1, { position: 7 }))])
      .when(add())
      .yields([ruleAdded(1, storedRule(2, { position: 8 }))]);
  });

  it('has an id that no rule of any frontend model ever had', () =>
    given([
      house,
      frontendModelCreated(2, 'annex'),
      ruleAdded(2, storedRule(1)),
      ruleAdded(2, storedRule(2, { position: 1 })),
      ruleRemoved(2, 2),
      frontendModelDeleted(2),
    ])
      .when(add())
      .yields([ruleAdded(1, storedRule(3))]));

  it('takes its targets by name, each with an id of one series', () =>
    given([
      house,
      ...models,
      poolCreated(1, 'pair'),
      targetsSet(1, null, [target(1, 0, { model: 2 })]),
    ])
      .when(add({ targets: [named('pair'), named('small')] }))
      .yields([
        ruleAdded(1, storedRule(1), [target(2, 0, { pool: 1 }), target(3, 1, { model: 1 })]),
      ]));

  it('orders its targets by position: one without follows the previous one', () =>
    given([house, ...models, poolCreated(1, 'pair')])
      .when(add({ targets: [named('small', 4), named('large'), named('pair', 0)] }))
      .yields([
        ruleAdded(1, storedRule(1), [
          target(3, 0, { pool: 1 }),
          target(1, 4, { model: 1 }),
          target(2, 5, { model: 2 }),
        ]),
      ]));

  it('stands where no other does', () => {
    const taken = ruleAdded(1, storedRule(1, { position: 3 }));
    const other = ruleAdded(1, storedRule(2, { position: 4 }));
    given([house, taken])
      .when(add({ position: 3 }))
      .refuses('conflict', /position 3 is taken/, 'position');
    given([house, taken, other])
      .when(update({ position: 4 }))
      .refuses('conflict', /position 4 is taken/, 'position');
    given([house, taken])
      .when(update({ position: 3 }))
      .yields([]);
    given([house, taken, frontendModelCreated(2, 'annex')])
      .when(add({ position: 3 }, 2))
      .yields([ruleAdded(2, storedRule(2, { position: 3 }))]);
  });

  it('of a frontend model that does not exist is refused', () => {
    given([])
      .when(add())
      .refuses('absent', /frontend model 1 does not exist/);
    given([house])
      .when(update({}))
      .refuses('absent', /rule 1 does not exist/);
    given([house])
      .when({ type: 'RemoveRule', id: one })
      .refuses('absent', /rule 1 does not exist/);
  });

  it('is removed', () =>
    given([house, ruleAdded(1, storedRule(1))])
      .when({ type: 'RemoveRule', id: one })
      .yields([ruleRemoved(1, 1)]));

  it('changes in one event, and only in what is named', () => {
    const before = storedRule(1, { tag: 'a', conditions: { stream: true, min_prompt_tokens: 5 } });
    const conditions = { stream: true, min_prompt_tokens: null, max_prompt_tokens: 9 };
    given([house, ruleAdded(1, before)])
      .when(update({ conditions: { min_prompt_tokens: null, max_prompt_tokens: 9 } }))
      .yields([ruleChanged(1, storedRule(1, { tag: 'a', conditions }))]);
    given([house, ruleAdded(1, before)])
      .when(update({ tag: 'a', conditions: { stream: true } }))
      .yields([]);
  });

  it('can be named and disabled; null clears the name, and a change keeps both', () => {
    given([house])
      .when(add({ name: 'Long prompts', enabled: false }))
      .yields([ruleAdded(1, storedRule(1, { name: 'Long prompts', enabled: false }))]);
    const paused = ruleAdded(1, storedRule(1, { name: 'Long prompts', enabled: false }));
    given([house, paused])
      .when(update({ tag: 'x' }))
      .yields([ruleChanged(1, storedRule(1, { name: 'Long prompts', enabled: false, tag: 'x' }))]);
    given([house, paused])
      .when(update({ name: null, enabled: true }))
      .yields([ruleChanged(1, storedRule(1))]);
    given([house, paused, ruleChanged(1, storedRule(1))])
      .when(update({ enabled: true, name: null }))
      .yields([]);
  });

  it('gets another list of targets, where those that stay keep their ids', () => {
    const held = [target(1, 0, { model: 1 }), target(2, 1, { model: 2 })];
    given([house, ...models, poolCreated(1, 'pair'), ruleAdded(1, storedRule(1), held)])
      .when(update({ targets: [named('large'), named('pair')] }))
      .yields([targetsSet(1, 1, [target(2, 0, { model: 2 }), target(3, 1, { pool: 1 })])]);
    given([house, ...models, ruleAdded(1, storedRule(1), held)])
      .when(update({ targets: [named('small'), named('large')] }))
      .yields([]);
  });
});

const check = (fields: Fields, message: RegExp, param: string): void =>
  given([house, ...models])
    .when(add(fields))
    .refuses('invalid', message, param);

describe('an action', () => {
  const deny = storedRule(1, { action: 'deny', deny_status: 403, deny_message: 'no' });

  it('needs its own fields and takes no others', () => {
    check({ action: 'jump' }, /jump_to is needed for action jump/, 'jump_to');
    check({ deny_status: 403 }, /deny_status 403 is for action deny, not route/, 'deny_status');
    check({ deny_message: 'no' }, /deny_message is for action deny, not route/, 'deny_message');
    check({ action: 'deny', deny_status: 403, jump_to: id }, /jump_to 1 is for action/, 'jump_to');
    const targets = [named('small')];
    check({ action: 'deny', deny_status: 403, targets }, /targets are for action/, 'targets');
  });

  it('that is changed takes the fields of the old one along, but no targets are lost', () => {
    given([house, ruleAdded(1, deny)])
      .when(update({ action: 'route' }))
      .yields([ruleChanged(1, storedRule(1))]);
    given([house, ...models, ruleAdded(1, storedRule(1), [target(1, 0, { model: 1 })])])
      .when(update({ action: 'deny', deny_status: 403 }))
      .refuses('invalid', /targets are for action route, not deny/, 'targets');
    given([house, ...models, ruleAdded(1, storedRule(1), [target(1, 0, { model: 1 })])])
      .when(update({ action: 'deny', deny_status: 403, targets: [] }))
      .yields([
        ruleChanged(1, storedRule(1, { action: 'deny', deny_status: 403 })),
        targetsSet(1, 1, []),
      ]);
  });

  it('deny answers 403 unless a status is named, and keeps the one that was', () => {
    given([house])
      .when(add({ action: 'deny' }))
      .yields([ruleAdded(1, storedRule(1, { action: 'deny', deny_status: 403 }))]);
    const tooLarge = { ...deny, deny_status: 413 };
    given([house, ruleAdded(1, tooLarge)])
      .when(update({ deny_message: null }))
      .yields([ruleChanged(1, { ...tooLarge, deny_message: null })]);
    given([house, ruleAdded(1, tooLarge)])
      .when(update({ deny_status: null }))
      .yields([ruleChanged(1, deny)]);
  });
});

const roles = (...numbers: number[]) => numbers.map((number) => roleId.parse(number));
const ids = (...numbers: number[]) => numbers.map((number) => principalId.parse(number));

describe('conditions', () => {
  it('name roles, which are kept by id, and principals by id, each once and in order', () =>
    given([
      house,
      roleCreated(1, 'a'),
      roleCreated(2, 'b'),
      principalCreated(1, plainName('ci')),
      principalCreated(2, plainName('cd')),
    ])
      .when(
        add({
          conditions: {
            roles: ['b', 'a', 'b'],
            principals: ids(2, 1, 2),
            days: [1, 7],
          },
        }),
      )
      .yields([
        ruleAdded(
          1,
          storedRule(1, {
            conditions: { roles: roles(1, 2), principals: ids(1, 2), days: [1, 7] },
          }),
        ),
      ]));

  it('on what does not exist are refused, but what was there once may stay', () => {
    check({ conditions: { roles: ['a'] } }, /roles: role a does not exist/, 'roles');
    check({ conditions: { principals: ids(4) } }, /principals: 4 does not exist/, 'principals');
    check({ conditions: { class: 'code' } }, /class code does not exist/, 'class');
    const conditions = { roles: roles(1), principals: ids(1), class: promptClassId.parse(1) };
    const gone = [
      house,
      roleCreated(1, 'a'),
      principalCreated(1, plainName('ci')),
      ruleAdded(1, storedRule(1, { conditions })),
      roleDeleted(1),
      principalDeleted(1),
    ];
    given(gone)
      .when(
        update({
          conditions: { roles: ['#1'], principals: ids(1), class: '#1' },
        }),
      )
      .yields([]);
    given(gone)
      .when(update({ conditions: { roles: ['#2'] } }))
      .refuses('invalid', /role #2 does not exist/, 'roles');
  });

  it('that contradict what stands already are refused', () =>
    given([house, ruleAdded(1, storedRule(1, { conditions: { max_prompt_tokens: 5 } }))])
      .when(update({ conditions: { min_prompt_tokens: 6 } }))
      .refuses('invalid', /min_prompt_tokens 6 is above max_prompt_tokens 5/, 'min_prompt_tokens'));
});

describe('the whole list', () => {
  const held = [1, 2, 3].map((number, position) =>
    ruleAdded(1, storedRule(number, { position, tag: `tag ${number}` })),
  );

  it('moves, changes, adds and removes rules in one command', () =>
    given([house, ...held])
      .when(replace({ id: 3 }, { tag: 'new' }, { id: 1, tag: null }))
      .yields([
        ruleRemoved(1, 2),
        ruleChanged(1, storedRule(3, { position: 0, tag: 'tag 3' })),
        ruleAdded(1, storedRule(4, { position: 1, tag: 'new' })),
        ruleChanged(1, storedRule(1, { position: 2 })),
      ]));

  it('as it is changes nothing', () =>
    given([house, ...held])
      .when(replace({ id: 1 }, { id: 2 }, { id: 3 }))
      .yields([]));

  it('names each rule of this frontend model once', () => {
    const other = [frontendModelCreated(2, 'annex'), ruleAdded(2, storedRule(4))];
    given([house, ...held, ...other])
      .when(replace({ id: 1 }, { id: 4 }))
      .refuses('invalid', /rules\.1\.id 4 does not exist in frontend model house/, 'rules.1.id');
    given([house, ...held])
      .when(replace({ id: 1 }, { id: 1 }))
      .refuses('invalid', /rules\.1\.id 1 is given twice/, 'rules.1.id');
  });

  it('is refused whole, and the place of the fault named', () =>
    given([house, ...models, ...held])
      .when(replace({}, { targets: [named('small'), named('nothing')] }))
      .refuses(
        'invalid',
        /rules\.1\.targets\.1\.model nothing is neither a provider model nor a pool/,
        'rules.1.targets.1.model',
      ));

  it('gives the targets of several rules ids of their own', () =>
    given([house, ...models])
      .when(replace({ targets: [named('small')] }, { targets: [named('small'), named('large')] }))
      .yields([
        ruleAdded(1, storedRule(1), [target(1, 0, { model: 1 })]),
        ruleAdded(1, storedRule(2, { position: 1 }), [
          target(2, 0, { model: 1 }),
          target(3, 1, { model: 2 }),
        ]),
      ]));

  it('is bounded', () =>
    given([house])
      .when(replace(...Array.from({ length: 501 }, () => ({}))))
      .refuses('invalid', /rules: 501 items; the maximum is 500/, 'rules'));
});
