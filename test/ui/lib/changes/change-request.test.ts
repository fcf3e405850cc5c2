// Tests which steps of a change request a user is offered, and which saves can be proposed.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { draftCallsOf, kindsText, stepsFor } from '../../../../ui/lib/changes/change-request.ts';

const boss = 2;
const second = 3;
const open = { state: 'open', author: { id: boss }, approvals: [] } as const;

it('the author can withdraw a change request, and another user decides', () => {
  const now = { isPossible: true, isCovered: false };
  assert.deepEqual(stepsFor(open, { ...now, me: boss }), ['withdraw']);
  assert.deepEqual(stepsFor(open, { ...now, me: second }), ['approve', 'refuse']);
});

it('both can apply an approved change request, now or at a scheduled time', () => {
  const approved = { ...open, state: 'approved' } as const;
  const now = { isPossible: true, isCovered: true };
  assert.deepEqual(stepsFor(approved, { ...now, me: boss }), ['apply', 'schedule', 'withdraw']);
  assert.deepEqual(stepsFor(approved, { ...now, me: second }), ['apply', 'schedule', 'refuse']);
});

it('a change request with another effect than approved, or an invalid one, cannot be applied', () => {
  const approved = { ...open, state: 'scheduled' } as const;
  const lost = { me: second, isPossible: true, isCovered: false };
  assert.deepEqual(stepsFor(approved, lost), ['approve', 'refuse']);
  const refused = { me: second, isPossible: false, isCovered: false };
  assert.deepEqual(stepsFor(approved, refused), ['refuse']);
});

it('another user reviews an immediate change; a closed request has no steps', () => {
  const now = { isPossible: false, isCovered: false };
  const made = { ...open, state: 'review_due' } as const;
  assert.deepEqual(stepsFor(made, { ...now, me: second }), ['review']);
  assert.deepEqual(stepsFor(made, { ...now, me: boss }), []);
  for (const state of ['applied', 'refused', 'withdrawn', 'expired', 'reviewed'] as const) {
    assert.deepEqual(stepsFor({ ...open, state }, { ...now, me: second }), []);
  }
});

it('a save can be proposed if its calls can be part of a change request', () => {
  const path = '/admin/provider-models/3';
  const body = { input_price_per_mtok: 1 };
  assert.deepEqual(draftCallsOf({ method: 'PATCH', path, body }), [
    { method: 'PATCH', path, body },
  ]);
  const removal = { method: 'DELETE', path, body: undefined };
  assert.deepEqual(draftCallsOf(removal), [{ method: 'DELETE', path }]);
  const calls = [{ method: 'PATCH', path, body }];
  const set = { method: 'POST', path: '/admin/change-sets/apply', body: { calls } };
  assert.deepEqual(draftCallsOf(set), calls);
  const restore = { method: 'POST', path: '/admin/snapshots/7/restore', body: {} };
  assert.deepEqual(draftCallsOf(restore), [restore]);
  for (const other of ['/admin/keys', '/admin/snapshot/rebuild', '/admin/rolesmith']) {
    assert.equal(draftCallsOf({ method: 'POST', path: other, body: {} }), null);
  }
});

it('kinds are always listed in the same order', () => {
  assert.equal(kindsText(['routing', 'prices']), 'prices, routing');
  assert.equal(kindsText([]), '');
});
