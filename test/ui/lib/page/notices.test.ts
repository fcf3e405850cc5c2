// Tests which notifications are shown at the edge of the page, and which are kept in the list.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import {
  changedWhere,
  shownOf,
  withNotice,
  withoutToast,
} from '../../../../ui/lib/page/notices.ts';
import type { Notice } from '../../../../ui/lib/page/notices.ts';

const notice = (id: number, over: Partial<Notice> = {}): Notice => ({
  id,
  at: 0,
  tone: 'good',
  text: `notice ${id}`,
  detail: '',
  action: null,
  outcome: '',
  change: null,
  isShown: true,
  ...over,
});

const ids = (notices: readonly Notice[]): readonly number[] => notices.map(({ id }) => id);

const many = (count: number): readonly Notice[] =>
  Array.from({ length: count }, (_, index) => notice(index + 1)).reduce(
    withNotice,
    [] as readonly Notice[],
  );

it('the newest four are shown at the edge of the page, and older ones do not return', () => {
  const notices = many(6);
  assert.deepEqual(ids(shownOf(notices)), [3, 4, 5, 6]);
  assert.deepEqual(ids(shownOf(withoutToast(notices, 6))), [3, 4, 5]);
});

it('the last thirty are kept, including dismissed ones', () => {
  assert.deepEqual(
    ids(many(32)),
    Array.from({ length: 30 }, (_, index) => index + 3),
  );
  assert.deepEqual(ids(withoutToast(many(2), 1)), [1, 2]);
});

it('a notification without an action is dropped when it disappears', () => {
  const action = { label: 'Open', run: () => {} };
  const notices = [notice(1, { tone: 'plain' }), notice(2, { tone: 'plain', action })];
  assert.deepEqual(ids(withoutToast(notices, 1)), [2]);
  assert.deepEqual(ids(withoutToast(notices, 2)), [1, 2]);
});

it('the outcome of a change is shown in all its notifications and in no others', () => {
  const notices = [notice(1, { change: 'a' }), notice(2, { change: 'b' })];
  const told = changedWhere(notices, ({ change }) => change === 'a', { outcome: 'Undone' });
  assert.deepEqual(
    told.map(({ outcome }) => outcome),
    ['Undone', ''],
  );
});
