// Tests that handlers get only a call and the dependencies of their topic, each with few members.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { z } from 'zod';

import { none, route, served } from '../../../src/admin/http/route.ts';
import { testAdmin } from '../../harness/admin/admin.ts';

const membersMax = 20;

test(`no record that a handler is given has more than ${membersMax} members`, async (t) => {
  const given: string[] = [];
  const recordCall = route({
    method: 'GET',
    path: '/call',
    operation: 'recordCall',
    permission: 'open',
    summary: 'Records what a call holds',
    refusals: [],
    params: none,
    query: none,
    body: none,
    response: z.object({}),
    handle: (_input, call) => {
      given.push(...Object.keys(call));
      return { body: {} };
    },
  });
  const { ask, admin } = await testAdmin(t, { moreRoutes: served([recordCall], null) });
  assert.equal((await ask({ path: '/call' })).status, 200);
  const records = { call: given, ...mapped(admin.needs) };
  const large = Object.entries(records).filter(([, names]) => names.length > membersMax);
  assert.ok(given.includes('caller') && Object.keys(records).length > 5);
  assert.deepEqual(large, []);
});

const mapped = (needs: Readonly<Record<string, object>>): Record<string, readonly string[]> =>
  Object.fromEntries(Object.entries(needs).map(([topic, record]) => [topic, Object.keys(record)]));
