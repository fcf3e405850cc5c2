// Tests commands on roles and their permissions.

import { describe, it } from 'node:test';

import { principalId, roleId } from '../../src/lib/ids.ts';
import { verb as verbs } from '../../src/lib/vocabulary.ts';
import type { Verb } from '../../src/lib/vocabulary.ts';
import {
  permissionGranted,
  permissionRevoked,
  plainName,
  principalCreated,
  roleCreated,
  roleGranted,
  roleRevoked,
  vaultedName,
} from '../harness/events/examples.ts';
import { given } from '../harness/events/test-log.ts';

const one = roleId.parse(1);
const principalOne = principalId.parse(1);
const readers = roleCreated(1, 'readers');
const writers = roleCreated(2, 'writers');

describe('a role', () => {
  it('is created with the next id', () =>
    given([readers])
      .when({ type: 'CreateRole', name: 'writers', description: null })
      .yields([writers]));

  it('does not take a name that is held', () =>
    given([readers])
      .when({ type: 'CreateRole', name: 'readers', description: null })
      .refuses('conflict', /role readers exists/, 'name'));

  it('never gets the id of one that was deleted', () =>
    given([readers, { stream: 'role-1', type: 'RoleDeleted', data: { id: one } }])
      .when({ type: 'CreateRole', name: 'writers', description: null })
      .yields([writers]));
});

const update = (change: { name?: string; description?: string | null }) =>
  ({
    type: 'UpdateRole',
    role: 'readers',
    name: change.name,
    description: change.description,
  }) as const;

describe('an update of a role', () => {
  it('renames the address alone: holders and permissions keep the id', () => {
    const renamed = {
      stream: 'role-1',
      type: 'RoleRenamed',
      data: { id: one, name: 'viewers' },
    } as const;
    const held = [
      readers,
      permissionGranted(1, 'usage:read', '*'),
      principalCreated(1, plainName('ci')),
      roleGranted(1, 1),
    ];
    given(held)
      .when(update({ name: 'viewers' }))
      .yields([renamed]);
    given([...held, renamed])
      .when({ type: 'RevokeRole', id: principalOne, role: 'viewers' })
      .yields([roleRevoked(1, 1)]);
  });

  it('does not take a name that another holds', () =>
    given([readers, writers])
      .when(update({ name: 'writers' }))
      .refuses('conflict', /role writers exists/, 'name'));

  it('redescribes, and clears the description', () => {
    const described = {
      stream: 'role-1',
      type: 'RoleDescribed',
      data: { id: one, description: 'look' },
    } as const;
    given([readers])
      .when(update({ description: 'look' }))
      .yields([described]);
    given([readers, described])
      .when(update({ description: null }))
      .yields([{ ...described, data: { id: one, description: null } }]);
  });

  it('to what it is changes nothing', () =>
    given([readers])
      .when(update({ name: 'readers', description: null }))
      .yields([]));

  it('of one that does not exist is refused', () =>
    given([])
      .when(update({}))
      .refuses('absent', /role readers does not exist/));
});

describe('the deletion of a role', () => {
  const deletion = { type: 'DeleteRole', role: 'readers' } as const;

  it('is refused while principals hold it; services are named, users by id', () =>
    given([
      readers,
      principalCreated(1, plainName('ci')),
      principalCreated(2, vaultedName('ada', 1)),
      principalCreated(3, plainName('build')),
      roleGranted(1, 1),
      roleGranted(2, 1),
    ])
      .when(deletion)
      .refuses('conflict', /^role readers is held by ci, principal 2$/));

  it('takes its permissions along', () =>
    given([readers, permissionGranted(1, 'usage:read', '*')])
      .when(deletion)
      .yields([{ stream: 'role-1', type: 'RoleDeleted', data: { id: one } }]));

  it('is possible again when the last holder is gone', () =>
    given([readers, principalCreated(1, plainName('ci')), roleGranted(1, 1), roleRevoked(1, 1)])
      .when(deletion)
      .yields([{ stream: 'role-1', type: 'RoleDeleted', data: { id: one } }]));
});

const grant = (verb: Verb, resource: string) =>
  ({ type: 'GrantPermission', role: 'readers', verb, resource }) as const;

const revoke = (verb: Verb, resource: string) =>
  ({ type: 'RevokePermission', role: 'readers', verb, resource }) as const;

describe('a permission', () => {
  const accepted: Record<Verb, readonly string[]> = {
    'model:invoke': ['model/gpt', 'model/*', 'model/org/name'],
    'mcp:invoke': ['mcp/search', 'mcp/*'],
    'agent:invoke': ['agent/helper', 'agent/*'],
    'usage:read': ['*'],
    'key:create': ['*'],
    'key:revoke': ['*'],
    'config:write': ['*'],
    'provider:register': ['*'],
  };
  const refused: Record<Verb, readonly string[]> = {
    'model:invoke': ['*', 'model/', 'gpt', 'mcp/search', 'Model/gpt', ''],
    'mcp:invoke': ['*', 'mcp/', 'model/gpt'],
    'agent:invoke': ['*', 'agent/', 'role/readers'],
    'usage:read': ['', 'usage', 'model/*'],
    'key:create': ['key/*'],
    'key:revoke': ['key/1'],
    'config:write': ['config/*', 'provider/1'],
    'provider:register': ['provider/1', ''],
  };

  for (const verb of verbs.options) {
    it(`on ${verb} is granted on the resources of that verb alone`, () => {
      for (const resource of accepted[verb]) {
        given([readers])
          .when(grant(verb, resource))
          .yields([permissionGranted(1, verb, resource)]);
      }
      for (const resource of refused[verb]) {
        given([readers])
          .when(grant(verb, resource))
          .refuses('invalid', /^resource .* must be /, 'resource');
      }
    });
  }

  it('is granted once, however often it is asked for', () =>
    given([readers, permissionGranted(1, 'model:invoke', 'model/a')])
      .when(grant('model:invoke', 'model/a'))
      .yields([]));

  it('is revoked, and others with the same verb stay', () =>
    given([
      readers,
      permissionGranted(1, 'model:invoke', 'model/a'),
      permissionGranted(1, 'model:invoke', 'model/b'),
    ])
      .when(revoke('model:invoke', 'model/a'))
      .yields([permissionRevoked(1, 'model:invoke', 'model/a')]));

  it('that is not held is not revoked', () =>
    given([readers])
      .when(revoke('usage:read', '*'))
      .refuses('absent', /role readers does not hold usage:read on \*/));

  it('is not granted on a role that does not exist', () =>
    given([])
      .when(grant('usage:read', '*'))
      .refuses('absent', /role readers does not exist/));
});
