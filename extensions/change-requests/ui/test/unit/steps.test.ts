// Tests which steps of a change request a user is offered.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { awaitedStep, kindsText, stepsFor } from '../../steps.ts';

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

it('a request waits for the person who can take its next step', () => {
  const waits = (
    state: 'open' | 'approved' | 'scheduled' | 'review_due',
    approvers: number[] = [],
  ) =>
    [boss, second].map((me) =>
      awaitedStep({ ...open, state, approvals: approvers.map((id) => ({ by: { id } })) }, me),
    );
  assert.deepEqual(waits('open'), [null, 'approve']);
  assert.deepEqual(waits('open', [second]), [null, null]);
  assert.deepEqual(waits('approved', [second]), ['apply', null]);
  assert.deepEqual(waits('scheduled', [second]), [null, null]);
  assert.deepEqual(waits('review_due'), [null, 'review']);
});

it('kinds are always listed in the same order', () => {
  assert.equal(kindsText(['routing', 'prices']), 'prices, routing');
  assert.equal(kindsText([]), '');
});
