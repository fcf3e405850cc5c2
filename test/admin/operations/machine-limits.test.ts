// Tests rate limits handed out to proxies over HTTP (specification, "Control-plane protocol").

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { z } from 'zod';

import { errorOf, member, proxyToken, testAdministrator } from '../../harness/admin/admin.ts';
import { principalId } from '../../../src/lib/ids.ts';
import { person } from '../../harness/control/plane.ts';

const token = proxyToken;
const allotments = z.looseObject({
  minute: z.int(),
  limits: z.array(z.looseObject({ amount: z.int() })),
});
const report = (replica: string, requests: number, principal = 1) => ({
  method: 'POST',
  path: '/limits/reconcile',
  token,
  body: {
    replica_id: replica,
    counts: [{ principal_id: principal, requests, tokens: requests * 10 }],
  },
});

it('a replica gets its allotments, and an older one its share', async (t) => {
  const { ask, plane } = await testAdministrator(t);
  const limits = { requestsPerMin: 60, tokensPerMin: null };
  const command = { type: 'SetLimits', id: principalId.parse(1), limits } as const;
  await plane.execute({ command }, person);
  const asking = async (sequence: number, asked: readonly object[]) => {
    const asks = { sequence, limits: asked };
    const body = { replica_id: 'a', counts: [], asks };
    return ask({ method: 'POST', path: '/limits/reconcile', token, body });
  };
  const { body: first } = await asking(1, []);
  const { minute } = allotments.parse(member(first, 'allotments'));
  const own = { principal_id: 1, dimension: 'requests', minute, keeps: 3, wants: 4, unit: 1 };
  // The minute may end in between; then there is nothing to allot in it.
  const answer = allotments.parse(member((await asking(2, [own])).body, 'allotments'));
  if (answer.minute === minute)
    assert.deepEqual(
      answer.limits.map(({ amount }) => amount),
      [7],
    );
  assert.equal((await asking(2, [])).status, 409);
  assert.deepEqual(member((await ask(report('b', 30))).body, 'allowances'), [
    { principal_id: 1, requests_share: 0.5, tokens_share: 0.5 },
  ]);
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
