// Tests commands on tokens of the admin API.

import { describe, it } from 'node:test';

import { adminTokenId, principalId } from '../../src/lib/ids.ts';
import type { AdminVerb } from '../../src/lib/vocabulary.ts';
import {
  permissionGranted,
  plainName,
  principalCreated,
  roleCreated,
  roleGranted,
  tokenCreated,
  tokenRevoked,
} from '../harness/events/examples.ts';
import { given, testRef } from '../harness/events/test-log.ts';

const one = principalId.parse(1);
const holder = [
  principalCreated(1, plainName('ci')),
  roleCreated(1, 'readers'),
  permissionGranted(1, 'usage:read', '*'),
  permissionGranted(1, 'config:write', '*'),
  roleGranted(1, 1),
];

const create = (permissions: readonly AdminVerb[]) =>
  ({
    type: 'CreateAdminToken',
    name: 'token 1',
    principalId: one,
    prefix: 'gwt-abcdefgh',
    verifierRef: testRef(801),
    permissions,
    expiresAt: '2030-01-02T03:04:05Z',
    boundBy: null,
  }) as const;

describe('the creation of an admin token', () => {
  it('gives permissions that the principal holds', () =>
    given(holder)
      .when(create(['usage:read']))
      .yields([tokenCreated(1, 1)]));

  it('refuses a principal that does not exist', () =>
    given(holder)
      .when({ ...create(['usage:read']), principalId: principalId.parse(9) })
      .refuses('invalid', /principal_id 9 does not exist/, 'principal_id'));

  it('refuses a permission that the principal does not hold, by its name', () =>
    given(holder)
      .when(create(['usage:read', 'key:create']))
      .refuses('invalid', /principal 1 does not hold key:create/, 'permissions'));

  it('refuses a permission that the creating token does not carry', () => {
    const boundBy = { principalId: one, tokenId: adminTokenId.parse(1) };
    given([...holder, tokenCreated(1, 1)])
      .when({ ...create(['config:write']), boundBy })
      .refuses('forbidden', /the token of this request does not hold config:write/, 'permissions');
  });
});

describe('the revocation of an admin token', () => {
  const revoke = { type: 'RevokeAdminToken', id: adminTokenId.parse(1) } as const;

  it('ends it', () =>
    given([...holder, tokenCreated(1, 1)])
      .when(revoke)
      .yields([tokenRevoked(1)]));

  it('a second time changes nothing', () =>
    given([...holder, tokenCreated(1, 1), tokenRevoked(1)])
      .when(revoke)
      .yields([]));

  it('of a token that does not exist is refused', () =>
    given(holder)
      .when(revoke)
      .refuses('absent', /token 1 does not exist/));
});
