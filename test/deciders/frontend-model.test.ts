// Tests commands on frontend models, the uniqueness of names, and targets whose model is deleted
// and created again.

import { describe, it } from 'node:test';

import type { GwEvent } from '../../events/catalogue.ts';
import type { FrontendModelFields } from '../../src/deciders/frontend-model.ts';
import { frontendModelId, modelId, targetId } from '../../src/lib/ids.ts';
import {
  modelCreated,
  modelDeleted,
  permissionGranted,
  roleCreated,
} from '../harness/events/examples.ts';
import { given } from '../harness/events/test-log.ts';
import {
  frontendModelCreated,
  frontendModelDeleted,
  memberFound,
  memberLost,
  membersSet,
  named,
  poolCreated,
  poolMember,
  ruleAdded,
  storedRule,
  target,
  targetFound,
  targetLost,
  targetsSet,
} from '../harness/events/routing-examples.ts';

const house = frontendModelCreated(1, 'house');
const models = [modelCreated(1, 'small'), modelCreated(2, 'large')];
const id = frontendModelId.parse(1);
const stream = 'frontend_model-1';
const renamed: GwEvent = { stream, type: 'FrontendModelRenamed', data: { id, name: 'home' } };

const bare = { description: null, maxModelLen: null, rules: [], defaultTargets: [] };
const create = (name: string) => ({ type: 'CreateFrontendModel', name, ...bare }) as const;
const update = (fields: FrontendModelFields) =>
  ({ type: 'UpdateFrontendModel', id, fields }) as const;

describe('a frontend model', () => {
  it('is created with the next id, which is never given again', () => {
    given([]).when(create('house')).yields([house]);
    given([house, frontendModelDeleted(1)])
      .when(create('house'))
      .yields([frontendModelCreated(2, 'house')]);
  });

  it('is created whole: its targets have ids of one series', () =>
    given(models)
      .when({
        ...create('house'),
        rules: [{ conditions: {}, targets: [named('small'), named('large')] }],
        defaultTargets: [named('large')],
      })
      .yields([
        house,
        ruleAdded(1, storedRule(1), [target(1, 0, { model: 1 }), target(2, 1, { model: 2 })]),
        targetsSet(1, null, [target(3, 0, { model: 2 })]),
      ]));

  it('is not created for one wrong rule or default', () => {
    given(models)
      .when({ ...create('house'), rules: [{ action: 'jump', conditions: {} }] })
      .refuses('invalid', /rules\.0\.jump_to is needed/, 'rules.0.jump_to');
    given(models)
      .when({ ...create('house'), defaultTargets: [named('nothing')] })
      .refuses('invalid', /^default_targets\.0\.model nothing/, 'default_targets.0.model');
  });

  it('changes in what is named, an event a fact', () => {
    given([house, ...models])
      .when(
        update({
          name: 'home',
          description: 'd',
          maxModelLen: 9,
          defaultTargets: [named('small')],
        }),
      )
      .yields([
        renamed,
        { stream, type: 'FrontendModelDescribed', data: { id, description: 'd' } },
        { stream, type: 'FrontendModelMaxLenSet', data: { id, max_model_len: 9 } },
        targetsSet(1, null, [target(1, 0, { model: 1 })]),
      ]);
    given([house])
      .when(update({ name: 'house', description: null, maxModelLen: null, defaultTargets: [] }))
      .yields([]);
  });

  it('moves no grant when it is renamed: none is on its name', () =>
    given([house, roleCreated(1, 'a'), permissionGranted(1, 'model:invoke', 'model/house')])
      .when(update({ name: 'home' }))
      .yields([renamed]));

  it('is deleted, although others jump to it', () =>
    given([
      house,
      frontendModelCreated(2, 'annex'),
      ruleAdded(2, storedRule(1, { action: 'jump', jump_to: id })),
    ])
      .when({ type: 'DeleteFrontendModel', id })
      .yields([frontendModelDeleted(1)]));

  it('that does not exist is refused', () => {
    given([])
      .when(update({}))
      .refuses('absent', /frontend model 1 does not exist/);
    given([])
      .when({ type: 'AddDefaultTarget', id, target: named('small') })
      .refuses('absent', /frontend model 1 does not exist/);
  });
});

describe('a name', () => {
  const held = [modelCreated(1, 'small'), house, poolCreated(1, 'pair')];
  const ofModel = /model small exists/;
  const ofFrontendModel = /frontend model house exists/;
  const ofPool = /pool pair exists/;

  it('is held by one of its kind, and a pool shares its name with neither of the others', () => {
    const refused = [
      [create('house'), ofFrontendModel],
      [create('pair'), ofPool],
      [{ type: 'CreateModel', name: 'small', fields: {} }, ofModel],
      [{ type: 'CreateModel', name: 'pair', fields: {} }, ofPool],
      [{ type: 'CreatePool', name: 'small', fields: {} }, ofModel],
      [{ type: 'CreatePool', name: 'house', fields: {} }, ofFrontendModel],
      [{ type: 'CreatePool', name: 'pair', fields: {} }, ofPool],
    ] as const;
    for (const [command, message] of refused) {
      given(held).when(command).refuses('conflict', message, 'name');
    }
  });

  it('of a provider model may be that of a frontend model too, which routes to it', () => {
    given(held)
      .when({ ...create('small'), defaultTargets: [named('small')] })
      .yields([
        frontendModelCreated(2, 'small'),
        targetsSet(2, null, [target(1, 0, { model: 1 })]),
      ]);
    given(held)
      .when({ type: 'CreateModel', name: 'house', fields: {} })
      .yields([modelCreated(2, 'house')]);
  });

  it('is not taken by a rename either', () => {
    const others = [modelCreated(2, 'm'), frontendModelCreated(2, 'f'), poolCreated(2, 'p')];
    const now = given([...held, ...others]);
    const model = { type: 'UpdateModel', id: modelId.parse(2) } as const;
    const frontendModel = { type: 'UpdateFrontendModel', id: frontendModelId.parse(2) } as const;
    now.when({ ...model, fields: { name: 'small' } }).refuses('conflict', ofModel, 'name');
    now.when({ ...model, fields: { name: 'pair' } }).refuses('conflict', ofPool, 'name');
    now
      .when({ ...frontendModel, fields: { name: 'house' } })
      .refuses('conflict', ofFrontendModel, 'name');
    now.when({ ...frontendModel, fields: { name: 'pair' } }).refuses('conflict', ofPool, 'name');
  });
});

describe('a default target', () => {
  it('is added and removed by an id of the series of all targets', () => {
    const ruled = ruleAdded(1, storedRule(1), [target(1, 0, { model: 1 })]);
    const defaults = targetsSet(1, null, [target(2, 0, { model: 1 })]);
    given([house, ...models, ruled])
      .when({ type: 'AddDefaultTarget', id, target: named('small') })
      .yields([defaults]);
    given([house, ...models, ruled, defaults])
      .when({ type: 'RemoveDefaultTarget', id: targetId.parse(2) })
      .yields([targetsSet(1, null, [])]);
    given([house, ...models, ruled, defaults])
      .when({ type: 'RemoveDefaultTarget', id: targetId.parse(1) })
      .refuses('absent', /default target 1 does not exist/);
  });
});

describe('a provider model that targets and members refer to', () => {
  const onSmall = [target(1, 0, { model: 1 })];
  const used = [
    ...models,
    house,
    ruleAdded(1, storedRule(1), onSmall),
    frontendModelCreated(2, 'annex'),
    targetsSet(2, null, [target(2, 0, { model: 1 }), target(3, 1, { model: 2 })]),
    poolCreated(1, 'pair'),
    membersSet(1, [poolMember(1, 0, { model: 1 })]),
  ];
  const lost = [
    targetLost(1, 1, 'small'),
    targetLost(2, 1, 'small'),
    memberLost(1, 1, 'small'),
    modelDeleted(1),
  ];

  it('leaves its name with them when it is deleted, an event each', () =>
    given(used)
      .when({ type: 'DeleteModel', id: modelId.parse(1) })
      .yields(lost));

  it('is found by its name when one of that name is created', () =>
    given([...used, ...lost])
      .when({ type: 'CreateModel', name: 'small', fields: {} })
      .yields([
        modelCreated(3, 'small'),
        targetFound(1, 3, 'small'),
        targetFound(2, 3, 'small'),
        memberFound(1, 3, 'small'),
      ]));

  it('is found when another takes that name, and renames carry no event otherwise', () => {
    const large = modelId.parse(2);
    const name = { stream: 'model-2', type: 'ModelRenamed' } as const;
    given([
      ...models,
      house,
      targetsSet(1, null, onSmall),
      targetLost(1, 1, 'small'),
      modelDeleted(1),
    ])
      .when({ type: 'UpdateModel', id: large, fields: { name: 'small' } })
      .yields([{ ...name, data: { id: large, name: 'small' } }, targetFound(1, 2, 'small')]);
    given(used)
      .when({ type: 'UpdateModel', id: large, fields: { name: 'tiny' } })
      .yields([{ ...name, data: { id: large, name: 'tiny' } }]);
  });
});
