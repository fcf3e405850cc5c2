// Tests that a new log starts with exactly what the specification lists.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { decide } from '../../src/deciders/decide.ts';
import { isRefusal } from '../../src/lib/refusal.ts';
import { plainName, roleCreated } from '../harness/events/examples.ts';
import { append, emptyLog, given } from '../harness/events/test-log.ts';

const seed = { type: 'SeedLog', bootstrapName: plainName('bootstrap') } as const;

describe('the seed', () => {
  const events = decide(emptyLog.state, seed);
  assert.ok(!isRefusal(events));
  const { state } = append(emptyLog, events);

  it('holds principal 1, a service account with role inference', () => {
    const [principal, ...others] = [...state.principal.byId.values()];
    assert.deepEqual(others, []);
    assert.equal(principal?.id, 1);
    assert.equal(principal.kind, 'service_account');
    assert.equal(principal.passwordRef, null);
    assert.deepEqual(
      principal.roleIds.map((id) => state.role.byId.get(id)?.name),
      ['inference'],
    );
  });

  it('holds the built-in roles with their permissions', () => {
    const roles = [...state.role.byId.values()].map(({ name, permissions }) => [
      name,
      permissions.map(({ verb, resource }) => `${verb} ${resource}`),
    ]);
    const operations = ['config:write *', 'key:create *', 'key:revoke *'];
    assert.deepEqual(Object.fromEntries(roles), {
      inference: ['model:invoke model/*'],
      operator: [...operations, 'usage:read *'],
      admin: [
        'agent:invoke agent/*',
        ...operations,
        'mcp:invoke mcp/*',
        'model:invoke model/*',
        'provider:register *',
        'usage:read *',
      ],
    });
  });

  it('holds no key, no provider and no model', () => {
    const { api_key: keys, provider: providers, model: models } = state;
    assert.deepEqual([keys.lastId, providers.lastId, models.lastId], [0, 0, 0]);
  });

  it('is given to a new log alone', () =>
    given([roleCreated(1, 'x')])
      .when(seed)
      .yields([]));
});
