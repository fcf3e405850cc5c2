// Tests commands on pools and their members.

import { describe, it } from 'node:test';

import type { GwEvent } from '../../events/catalogue.ts';
import type { MemberInput, PoolFields } from '../../src/deciders/pool.ts';
import { poolId, poolMemberId } from '../../src/lib/ids.ts';
import { modelCreated } from '../harness/events/examples.ts';
import { given } from '../harness/events/test-log.ts';
import {
  frontendModelCreated,
  membersSet,
  poolCreated,
  poolDeleted,
  poolMember,
  ruleAdded,
  storedRule,
  target,
  targetsSet,
} from '../harness/events/routing-examples.ts';

const id = poolId.parse(1);
const pair = poolCreated(1, 'pair');
const models = [modelCreated(1, 'small'), modelCreated(2, 'large')];
const small = poolMember(1, 0, { model: 1 });
const large = poolMember(2, 1, { model: 2 }, 3);

const member = (name: string, weight = 1, position: number | null = null): MemberInput => ({
  modelId: null,
  name,
  weight,
  position,
});
const create = (fields: PoolFields = {}) => ({ type: 'CreatePool', name: 'pair', fields }) as const;
const update = (fields: PoolFields) => ({ type: 'UpdatePool', id, fields }) as const;
const add = (input: MemberInput) => ({ type: 'AddPoolMember', id, member: input }) as const;

describe('a pool', () => {
  it('is created with the next id, with members or without', () => {
    given([]).when(create()).yields([pair]);
    given([...models, pair, membersSet(1, [small]), poolDeleted(1)])
      .when(create({ members: [member('small'), member('large', 3)] }))
      .yields([
        poolCreated(2, 'pair'),
        membersSet(2, [poolMember(2, 0, { model: 1 }), poolMember(3, 1, { model: 2 }, 3)]),
      ]);
  });

  it('changes in what is named; null clears', () => {
    const policySet = (policy: 'round-robin' | null): GwEvent => ({
      stream: 'pool-1',
      type: 'PoolPolicySet',
      data: { id, policy },
    });
    given([pair])
      .when(update({ name: 'couple', description: 'd', policy: 'round-robin' }))
      .yields([
        { stream: 'pool-1', type: 'PoolRenamed', data: { id, name: 'couple' } },
        { stream: 'pool-1', type: 'PoolDescribed', data: { id, description: 'd' } },
        policySet('round-robin'),
      ]);
    given([pair, policySet('round-robin')])
      .when(update({ policy: null }))
      .yields([policySet(null)]);
    given([pair])
      .when(update({ name: 'pair', policy: null, members: [] }))
      .yields([]);
  });

  it('gets another list of members, where those that stay keep their ids', () =>
    given([...models, pair, membersSet(1, [small, large])])
      .when(update({ members: [member('large', 5)] }))
      .yields([membersSet(1, [poolMember(2, 0, { model: 2 }, 5)])]));

  it('is not deleted while a target or a default uses it: the users are named', () => {
    const house = frontendModelCreated(1, 'house');
    const deletion = { type: 'DeletePool', id } as const;
    given([pair, house, ruleAdded(1, storedRule(1), [target(1, 0, { pool: 1 })])])
      .when(deletion)
      .refuses('conflict', /pool pair is a target of house/);
    given([pair, house, targetsSet(1, null, [target(1, 0, { pool: 1 })])])
      .when(deletion)
      .refuses('conflict', /pool pair is a target of house/);
    given([pair, house])
      .when(deletion)
      .yields([poolDeleted(1)]);
  });

  it('that does not exist is refused', () => {
    given([])
      .when(update({}))
      .refuses('absent', /pool 1 does not exist/);
    given([])
      .when({ type: 'RemovePoolMember', id: poolMemberId.parse(1) })
      .refuses('absent', /pool member 1 does not exist/);
  });
});

describe('a member', () => {
  it('is added after the last, or at its requested position', () => {
    given([...models, pair, membersSet(1, [small])])
      .when(add(member('large', 3)))
      .yields([membersSet(1, [small, large])]);
    given([...models, pair, membersSet(1, [small])])
      .when(add(member('large', 3, 0)))
      .refuses('conflict', /^position 0 is taken/, 'position');
  });

  it('is a provider model, once', () => {
    const cases = [
      ['small', 'conflict', /^model small is already a member/],
      ['pair', 'invalid', /^model pair is not a provider model/],
      ['nothing', 'invalid', /^model nothing is not a provider model/],
    ] as const;
    for (const [name, code, message] of cases) {
      given([...models, pair, membersSet(1, [small])])
        .when(add(member(name)))
        .refuses(code, message, 'model');
    }
    given([...models, pair])
      .when(update({ members: [member('small'), member('small')] }))
      .refuses('conflict', /members\.1\.model small is already a member/, 'members.1.model');
  });

  it('is removed by its id', () =>
    given([...models, pair, membersSet(1, [small, large])])
      .when({ type: 'RemovePoolMember', id: poolMemberId.parse(1) })
      .yields([membersSet(1, [large])]));
});
