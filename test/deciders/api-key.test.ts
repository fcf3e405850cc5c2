// Tests commands on API keys.

import { describe, it } from 'node:test';

import type { GwEvent } from '../../events/catalogue.ts';
import { apiKeyId, principalId } from '../../src/lib/ids.ts';
import type { Verb } from '../../src/lib/vocabulary.ts';
import {
  keyCreated,
  keyDeleted,
  keyRevoked,
  permissionGranted,
  plainName,
  principalCreated,
  principalDeleted,
  roleCreated,
  roleGranted,
} from '../harness/events/examples.ts';
import { given, testRef } from '../harness/events/test-log.ts';

const ci = principalCreated(1, plainName('ci'));

const create = {
  type: 'CreateApiKey',
  name: 'laptop',
  principalId: principalId.parse(1),
  prefix: 'gw-abcdefghi',
  verifierRef: testRef(4),
  expiresAt: '2030-01-02T03:04:05+02:00',
} as const;

const created = (number: number) =>
  ({
    stream: `api_key-${number}`,
    type: 'ApiKeyCreated',
    data: {
      id: apiKeyId.parse(number),
      principal_id: principalId.parse(1),
      name: 'laptop',
      prefix: 'gw-abcdefghi',
      verifier_ref: testRef(4),
      expires_at: '2030-01-02T03:04:05+02:00',
    },
  }) as const;

describe('an API key', () => {
  it('is created for its principal, with the ref of its verifier and nothing of the key', () =>
    given([ci])
      .when(create)
      .yields([created(1)]));

  it('may bear a name that another key bears', () =>
    given([ci, created(1)])
      .when(create)
      .yields([created(2)]));

  it('is not created for a principal that does not exist', () =>
    given([])
      .when(create)
      .refuses('invalid', /principal_id 1 does not exist/, 'principal_id'));

  it('never gets the id of one that was deleted', () =>
    given([
      ci,
      keyCreated(1, 1),
      keyDeleted(1),
      principalDeleted(1),
      principalCreated(2, plainName('x')),
    ])
      .when({ ...create, principalId: principalId.parse(2) })
      .yields([
        { ...created(2), data: { ...created(2).data, principal_id: principalId.parse(2) } },
      ]));
});

const target = (verb: Verb, resource: string): GwEvent[] => [
  roleCreated(2, 'target'),
  permissionGranted(2, verb, resource),
  roleGranted(1, 2),
];

describe('an API key whose maker is bound by its own grants', () => {
  const maker = [
    principalCreated(2, plainName('maker')),
    roleCreated(1, 'makers'),
    permissionGranted(1, 'key:create', '*'),
    roleGranted(2, 1),
  ];
  const bound = { ...create, boundBy: { principalId: principalId.parse(2), tokenId: null } };

  it('is made for a principal that may do nothing, and for the maker itself', () => {
    given([ci, ...maker])
      .when(bound)
      .yields([created(1)]);
    const own = { ...bound, principalId: principalId.parse(2) };
    given([ci, ...maker])
      .when(own)
      .yields([{ ...created(1), data: { ...created(1).data, principal_id: own.principalId } }]);
  });

  const beyond: readonly (readonly [held: string, wanted: string])[] = [
    ['model/a', 'model/b'],
    ['model/a', 'model/*'],
    ['model/a', 'model/a/b'],
    ['mcp/*', 'model/a'],
  ];
  for (const [held, wanted] of beyond) {
    it(`is not made for one that may invoke ${wanted} by one that may invoke ${held}`, () => {
      const verb = held.startsWith('mcp') ? 'mcp:invoke' : 'model:invoke';
      given([ci, ...maker, permissionGranted(1, verb, held), ...target('model:invoke', wanted)])
        .when(bound)
        .refuses(
          'forbidden',
          /principal_id 1 has permissions that you do not have/,
          'principal_id',
        );
    });
  }

  it('is not made for one that may write the configuration', () =>
    given([ci, ...maker, ...target('config:write', '*')])
      .when(bound)
      .refuses('forbidden', /requires config:write/, 'principal_id'));

  const within: readonly (readonly [held: string, wanted: string])[] = [
    ['model/a', 'model/a'],
    ['model/*', 'model/a'],
    ['model/*', 'model/a/b'],
    ['model/*', 'model/*'],
  ];
  for (const [held, wanted] of within) {
    it(`is made for one that may invoke ${wanted} by one that may invoke ${held}`, () =>
      given([
        ci,
        ...maker,
        permissionGranted(1, 'model:invoke', held),
        ...target('model:invoke', wanted),
      ])
        .when(bound)
        .yields([created(1)]));
  }

  it('is made for anyone by who may write the configuration', () =>
    given([
      ci,
      ...maker,
      permissionGranted(1, 'config:write', '*'),
      ...target('model:invoke', 'model/*'),
    ])
      .when(bound)
      .yields([created(1)]));
});

describe('the revocation of an API key', () => {
  const revoke = { type: 'RevokeApiKey', id: apiKeyId.parse(1) } as const;

  it('disables it', () =>
    given([ci, keyCreated(1, 1)])
      .when(revoke)
      .yields([keyRevoked(1)]));

  it('a second time changes nothing', () =>
    given([ci, keyCreated(1, 1), keyRevoked(1)])
      .when(revoke)
      .yields([]));

  it('of one that does not exist is refused', () =>
    given([ci])
      .when(revoke)
      .refuses('absent', /key 1 does not exist/));

  it('that was revoked is enabled again, and one that was not is left alone', () => {
    const enable = { type: 'EnableApiKey', id: apiKeyId.parse(1) } as const;
    const enabled = {
      stream: 'api_key-1',
      type: 'ApiKeyEnabled',
      data: { id: enable.id },
    } as const;
    given([ci, keyCreated(1, 1), keyRevoked(1)])
      .when(enable)
      .yields([enabled]);
    given([ci, keyCreated(1, 1)])
      .when(enable)
      .yields([]);
    given([ci])
      .when(enable)
      .refuses('absent', /key 1 does not exist/);
  });

  it('is given another expiry, and none', () => {
    const id = apiKeyId.parse(1);
    const set = (expiresAt: string | null) => ({ type: 'SetApiKeyExpiry', id, expiresAt }) as const;
    const changed = (expires_at: string | null) =>
      ({ stream: 'api_key-1', type: 'ApiKeyExpirySet', data: { id, expires_at } }) as const;
    const keyed = given([ci, created(1)]);
    keyed.when(set('2031-01-01T00:00:00Z')).yields([changed('2031-01-01T00:00:00Z')]);
    keyed.when(set(null)).yields([changed(null)]);
    keyed.when(set('2030-01-02T03:04:05+02:00')).yields([]);
  });
});
