// Tests the effect of a restore on single entities, and what it does not bring back.

import { describe, it } from 'node:test';
import assert from 'node:assert/strict';

import type { GwEvent } from '../../../events/catalogue.ts';
import type { StoredName } from '../../../events/principal.ts';
import { emptyState } from '../../../projections/config/state.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { planRestore } from '../../../src/deciders/restore.ts';
import type { RestoreCommand } from '../../../src/deciders/restore.ts';
import type { RestoreFacts } from '../../../src/deciders/restore/kind.ts';
import { apiKeyId, modelId, principalId, providerId, roleId } from '../../../src/lib/ids.ts';
import {
  backendAttached,
  credentialOf,
  endpointAt,
  fallbackSet,
  keyCreated,
  keyDeleted,
  keyRevoked,
  modelCreated,
  modelDeleted,
  plainName,
  principalCreated,
  principalDeleted,
  providerCreated,
  providerDeleted,
  roleCreated,
  vaultedName,
} from '../../harness/events/examples.ts';
import { given, testRef } from '../../harness/events/test-log.ts';
import {
  frontendModelCreated,
  membersSet,
  poolCreated,
  poolMember,
  target,
  targetsSet,
} from '../../harness/events/routing-examples.ts';

const stateOf = (events: readonly GwEvent[]): ConfigState =>
  events.length === 0 ? emptyState : given(events).state;

const nothingSince: RestoreFacts = {
  erased: new Set(),
  revokedKeys: new Set(),
  revokedTokens: new Set(),
  passwordsSet: new Map(),
  identitiesLinked: new Map(),
  identitiesUnlinked: new Set(),
};

type Asked = Readonly<{
  only?: readonly string[];
  except?: readonly string[];
  facts?: Partial<RestoreFacts>;
}>;

const restoring = (target: ConfigState, { only, except, facts }: Asked = {}): RestoreCommand => ({
  type: 'RestoreSnapshot',
  target,
  only: only ?? null,
  except: except ?? [],
  facts: { ...nothingSince, ...facts },
});

const rack = {
  endpoint: endpointAt('https://rack.example/v1'),
  credential: credentialOf('old', 1),
};
const served = [
  providerCreated(1, 'rack', rack),
  modelCreated(1, 'm'),
  backendAttached(1, 1, 'm'),
] as const;
const goneAgain = [
  {
    stream: 'model-1',
    type: 'ModelBackendDetached',
    data: { id: modelId.parse(1) },
  },
  modelDeleted(1),
  providerDeleted(1),
] as const satisfies readonly GwEvent[];

describe('a restore', () => {
  it('makes what is gone again under its id, what is referred to first', () => {
    given([...served, ...goneAgain])
      .when(restoring(stateOf(served)))
      .yields([providerCreated(1, 'rack', rack), modelCreated(1, 'm'), backendAttached(1, 1, 'm')]);
  });

  it('deletes what was not there, what refers to others first', () => {
    const { events } = planRestore(stateOf(served), restoring(emptyState));
    assert.deepEqual(
      events.map(({ stream, type }) => `${stream} ${type}`),
      ['model-1 ModelDeleted', 'provider-1 ProviderDeleted'],
    );
  });

  it('of all but some leaves those as they are, and names what stands in their way', () => {
    const then = stateOf([modelCreated(1, 'a'), modelCreated(2, 'b')]);
    const now = stateOf([modelCreated(1, 'a'), modelDeleted(1), modelCreated(3, 'a')]);
    const planned = (...except: readonly string[]) => {
      const { events, conflicts } = planRestore(now, restoring(then, { except }));
      return {
        events: events.map(({ stream, type }) => `${stream} ${type}`),
        conflicts: conflicts.map(({ entity, needs }) => [entity, needs]),
      };
    };
    const [first, second] = ['model-1 ModelCreated', 'model-2 ModelCreated'];
    assert.deepEqual(planned('model-1', 'model-3'), { events: [second], conflicts: [] });
    assert.deepEqual(planned('model-3'), {
      events: [first, second],
      conflicts: [['model-1', 'model-3']],
    });
    assert.deepEqual(planned('model-2', 'model-9'), {
      events: [first, 'model-3 ModelDeleted'],
      conflicts: [['model-9', null]],
    });
    const held = [principalCreated(1, plainName('ci')), keyCreated(1, 1)];
    const gone = planRestore(stateOf(held), restoring(emptyState, { except: ['api_key-1'] }));
    assert.deepEqual(
      gone.conflicts.map(({ entity, message }) => [entity, message]),
      [['api_key-1', 'it would be deleted with the entity that it belongs to']],
    );
  });

  it('of all but some takes nothing away that those refer to', () => {
    const now = stateOf([
      modelCreated(1, 'a'),
      poolCreated(1, 'p'),
      membersSet(1, [poolMember(1, 0, { model: 1 })]),
      frontendModelCreated(1, 'f'),
      targetsSet(1, null, [target(1, 0, { pool: 1 })]),
      fallbackSet(1),
    ]);
    const conflicts = (...except: readonly string[]) =>
      planRestore(now, restoring(emptyState, { except })).conflicts.map(
        ({ entity, needs, message }) => [entity, needs, message],
      );
    assert.deepEqual(conflicts('frontend_model-1'), [['pool-1', null, 'pool p is a target of f']]);
    assert.deepEqual(conflicts('settings-1', 'frontend_model-1', 'pool-1'), [
      ['settings-1', 'model-1', 'model-1, which it references, would be deleted'],
      ['pool-1', 'model-1', 'model-1, which it references, would be deleted'],
    ]);
    assert.deepEqual(conflicts('frontend_model-1', 'pool-1', 'model-1'), []);
  });

  it('of what is as it was changes nothing', () => {
    given(served)
      .when(restoring(stateOf(served)))
      .yields([]);
  });

  it('keeps the credential that stands where the old one is erased, at the same origin alone', () => {
    const present = credentialOf('new', 2);
    const rotated = {
      stream: 'provider-1',
      type: 'ProviderCredentialSet',
      data: { id: providerId.parse(1), credential: present },
    } as const;
    const erased = { facts: { erased: new Set([rack.credential.ref]) } };
    const target = stateOf([providerCreated(1, 'rack', rack)]);
    const here = planRestore(stateOf([served[0], rotated]), restoring(target, erased));
    assert.deepEqual(here.events, []);
    const elsewhere = { endpoint: endpointAt('https://other.example/v1'), credential: present };
    const moved = planRestore(
      stateOf([providerCreated(1, 'rack', elsewhere)]),
      restoring(target, erased),
    );
    assert.deepEqual(
      moved.events.map(({ type }) => type),
      ['ProviderEndpointChanged', 'ProviderCredentialCleared'],
    );
    for (const { missing } of [here, moved]) {
      assert.deepEqual(missing, [{ entity: 'provider-1', field: 'credential', reason: 'erased' }]);
    }
  });

  it('leaves who stands the name and the address that they have where the old ones are erased', () => {
    const id = principalId.parse(1);
    const called = (name: StoredName) =>
      ({ stream: 'principal-1', type: 'PrincipalRenamed', data: { id, name } }) as const;
    const reached = (ref: number) => {
      const data = { id, email_ref: testRef(ref) };
      return { stream: 'principal-1', type: 'PrincipalEmailSet', data } as const;
    };
    const [old, present] = [vaultedName('ada', 1), vaultedName('bob', 2)];
    const began = [principalCreated(1, old), reached(3)];
    const facts = { erased: new Set([testRef(1), testRef(3)]) };
    const missing = ['email', 'name'].map((field) => ({
      entity: 'principal-1',
      field,
      reason: 'erased',
    }));
    const stands = stateOf([...began, called(present), reached(4)]);
    const kept = planRestore(stands, restoring(stateOf(began), { facts }));
    assert.deepEqual([kept.events, kept.missing], [[], missing]);
    const rival = principalCreated(2, present);
    const taken = planRestore(stands, restoring(stateOf([...began, rival]), { facts }));
    assert.deepEqual([taken.events.slice(1), taken.missing], [[called(old)], missing]);
  });

  it('leaves a revoked key revoked, also one that was deleted after that', () => {
    const held = [principalCreated(1, plainName('ci')), keyCreated(1, 1)];
    const target = stateOf(held);
    const missing = [{ entity: 'api_key-1', field: 'disabled', reason: 'revoked' }];
    const revoked = planRestore(stateOf([...held, keyRevoked(1)]), restoring(target));
    assert.deepEqual([revoked.events, revoked.missing], [[], missing]);
    const deleted = [...held, keyRevoked(1), keyDeleted(1), principalDeleted(1)];
    const facts = { revokedKeys: new Set([1]) };
    const back = planRestore(stateOf(deleted), restoring(target, { facts }));
    assert.equal(back.state.api_key.byId.get(apiKeyId.parse(1))?.disabled, true);
    assert.deepEqual(back.missing, missing);
  });

  it('of a key alone needs its principal', () => {
    const held = [principalCreated(1, plainName('ci')), keyCreated(1, 1)];
    given([...held, keyDeleted(1), principalDeleted(1)])
      .when(restoring(stateOf(held), { only: ['api_key-1'] }))
      .refuses('conflict', /api_key-1: principal-1 does not exist$/, 'only');
  });

  it('of one whose name was taken names who has it', () => {
    const { conflicts } = planRestore(
      stateOf([modelCreated(1, 'm'), modelDeleted(1), modelCreated(2, 'm')]),
      restoring(stateOf([modelCreated(1, 'm')]), { only: ['model-1'] }),
    );
    assert.deepEqual(conflicts, [
      { entity: 'model-1', needs: 'model-2', message: 'model-2 has the same name' },
    ]);
  });

  it('of a model is not in the way of a frontend model of its name, and a pool is', () => {
    const target = stateOf([modelCreated(1, 'm')]);
    const { conflicts } = planRestore(
      stateOf([modelCreated(1, 'm'), modelDeleted(1), frontendModelCreated(1, 'm')]),
      restoring(target, { only: ['model-1'] }),
    );
    assert.deepEqual(conflicts, []);
    const { conflicts: ofPool } = planRestore(
      stateOf([modelCreated(1, 'm'), modelDeleted(1), poolCreated(1, 'm')]),
      restoring(target, { only: ['model-1'] }),
    );
    assert.deepEqual(ofPool, [
      { entity: 'model-1', needs: 'pool-1', message: 'pool-1 has the same name' },
    ]);
  });

  it('of two providers that their erased credentials told apart is refused, of one of them is not', () => {
    const { endpoint } = rack;
    const held = [
      providerCreated(1, 'one', { endpoint, credential: credentialOf('a', 1) }),
      providerCreated(2, 'other', { endpoint, credential: credentialOf('b', 2) }),
    ];
    const gone = [...held, providerDeleted(1), providerDeleted(2)];
    const erased = new Set([testRef(1), testRef(2)]);
    const whole = restoring(stateOf(held), { facts: { erased } });
    given(gone)
      .when(whole)
      .refuses(
        'conflict',
        /restored completely; .* in only: provider-1: provider-2 would have the same address/,
        'only',
      );
    const alone = restoring(stateOf(held), { facts: { erased }, only: ['provider-1'] });
    assert.deepEqual(planRestore(stateOf(gone), alone).conflicts, []);
    const one = restoring(stateOf(held), { facts: { erased: new Set([testRef(2)]) } });
    assert.deepEqual(planRestore(stateOf(gone), one).conflicts, []);
  });

  it('deletes no provider alone that still serves', () => {
    const { conflicts } = planRestore(
      stateOf(served),
      restoring(emptyState, { only: ['provider-1'] }),
    );
    assert.match(conflicts[0]?.message ?? '', /still serves 1 model: m/);
  });
});

describe('a restore of a principal that signs on by an identity', () => {
  const id = principalId.parse(1);
  const stream = 'principal-1';
  const identity = { issuer: 'https://id.example', ref: testRef(9), fingerprint: 'ada' };
  const linked = { stream, type: 'PrincipalIdentityLinked', data: { id, identity } } as const;
  const unlinked = { stream, type: 'PrincipalIdentityUnlinked', data: { id } } as const;
  const granted = (role: number, origin: { by_identity?: true } = {}) =>
    ({
      stream,
      type: 'PrincipalRoleGranted',
      data: { id, role_id: roleId.parse(role), ...origin },
    }) as const;
  const revoked = (role: number) =>
    ({ stream, type: 'PrincipalRoleRevoked', data: { id, role_id: roleId.parse(role) } }) as const;
  const byGroup = { by_identity: true } as const;
  const made = [
    roleCreated(1, 'a'),
    roleCreated(2, 'b'),
    principalCreated(1, vaultedName('ada', 1)),
    linked,
  ];
  const then = stateOf([...made, granted(1, byGroup), granted(2)]);
  const rolesAfter = (now: readonly GwEvent[], facts: Partial<RestoreFacts> = {}) => {
    const { state, missing } = planRestore(stateOf(now), restoring(then, { facts }));
    const { roleIds = [], identityRoleIds = [] } = state.principal.byId.get(1) ?? {};
    return { roleIds, identityRoleIds, missing: missing.map(({ field }) => field) };
  };
  const byHandAlone = {
    roleIds: [2],
    identityRoleIds: [],
    missing: ['identity', 'role_ids', 'identity_role_ids'],
  };

  it('gives no role of a group to one whose identity was unlinked', () => {
    const now = [...made, granted(1, byGroup), revoked(1), unlinked];
    assert.deepEqual(rolesAfter(now), byHandAlone);
  });

  it('gives none where the identity does not come back with the principal', () => {
    const now = [...made, principalDeleted(1)];
    assert.deepEqual(rolesAfter(now, { identitiesUnlinked: new Set([1]) }), byHandAlone);
    assert.deepEqual(rolesAfter(now, { erased: new Set([testRef(9)]) }), byHandAlone);
    assert.deepEqual(rolesAfter(now), { roleIds: [1, 2], identityRoleIds: [1], missing: [] });
  });

  it('leaves those that the last login of another identity found', () => {
    const other = { ...linked, data: { id, identity: { ...identity, ref: testRef(8) } } } as const;
    const now = [...made, granted(1, byGroup), revoked(1), unlinked, other, granted(2, byGroup)];
    assert.deepEqual(rolesAfter(now), byHandAlone);
  });
});
