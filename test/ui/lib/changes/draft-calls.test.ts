// Tests which saves can be drafted or previewed as calls.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { draftCallsOf } from '../../../../ui/lib/changes/draft-calls.ts';

it('a save can be proposed if its calls can be part of a change request', () => {
  const path = '/admin/provider-models/3';
  const body = { input_price_per_mtok: 1 };
  assert.deepEqual(draftCallsOf({ method: 'PATCH', path, body }), [
    { method: 'PATCH', path, body },
  ]);
  const removal = { method: 'DELETE', path, body: undefined };
  assert.deepEqual(draftCallsOf(removal), [{ method: 'DELETE', path }]);
  const revocation = { method: 'DELETE', path: '/admin/keys/7', body: undefined };
  assert.deepEqual(draftCallsOf(revocation), [{ method: 'DELETE', path: '/admin/keys/7' }]);
  const calls = [{ method: 'PATCH', path, body }];
  const set = { method: 'POST', path: '/admin/change-sets/apply', body: { calls } };
  assert.deepEqual(draftCallsOf(set), calls);
  const restore = { method: 'POST', path: '/admin/snapshots/7/restore', body: {} };
  assert.deepEqual(draftCallsOf(restore), [restore]);
  for (const other of ['/admin/keys', '/admin/snapshot/rebuild', '/admin/rolesmith']) {
    assert.equal(draftCallsOf({ method: 'POST', path: other, body: {} }), null);
  }
});
