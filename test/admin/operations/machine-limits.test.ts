// Tests rate limits divided among proxies over HTTP (specification, "Control-plane protocol").

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { errorOf, member, proxyToken, testAdministrator } from '../../harness/admin/admin.ts';
import { principalId } from '../../../src/lib/ids.ts';
import { person } from '../../harness/control/plane.ts';

const token = proxyToken;
const report = (replica: string, requests: number, principal = 1) => ({
  method: 'POST',
  path: '/limits/reconcile',
  token,
  body: {
    replica_id: replica,
    counts: [{ principal_id: principal, requests, tokens: requests * 10 }],
  },
});

it('a replica gets its share of each limit, by the demand at all replicas', async (t) => {
  const { ask, plane } = await testAdministrator(t);
  const limits = { requestsPerMin: 60, tokensPerMin: null };
  const command = { type: 'SetLimits', id: principalId.parse(1), limits } as const;
  await plane.execute({ command }, person);
  const shares = async (request: ReturnType<typeof report>) =>
    member((await ask(request)).body, 'allowances');
  const whole = { principal_id: 1, requests_share: 1, tokens_share: 1 };
  assert.deepEqual(await shares(report('a', 90)), [whole]);
  assert.deepEqual(await shares(report('b', 30)), [{ ...whole, requests_share: 0.25 }]);
  // Principal 2 has no limits, and principal 1 has no recent requests at this replica.
  assert.deepEqual(await shares(report('b', 10, 2)), [{ ...whole, requests_share: 0.5 }]);
  assert.deepEqual(await shares(report('a', 90)), [whole]);
});

it('requires a proxy token, and refuses a malformed report', async (t) => {
  const { ask, cookie } = await testAdministrator(t);
  const { token: _, ...bare } = report('a', 1);
  assert.equal((await ask({ ...bare, cookie })).status, 401);
  assert.equal((await ask({ ...report('a', 1), token: 'another' })).status, 401);
  for (const [body, param] of [
    [{ replica_id: 'a' }, 'counts'],
    [{ replica_id: '', counts: [] }, 'replica_id'],
    [report('a', -1).body, 'counts.0.requests'],
    [report('a', 1.5).body, 'counts.0.requests'],
    [report('a', 1, 0).body, 'counts.0.principal_id'],
  ] as const) {
    assert.deepEqual(errorOf(await ask({ ...bare, token, body })), [400, 'invalid', param]);
  }
});
