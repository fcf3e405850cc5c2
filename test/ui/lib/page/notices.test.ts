// Holds which notices stand at the edge of the page, and which can be looked at again.

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

it('four stand at the edge of the page, the newest ones, and older ones do not come back there', () => {
  const notices = many(6);
  assert.deepEqual(ids(shownOf(notices)), [3, 4, 5, 6]);
  assert.deepEqual(ids(shownOf(withoutToast(notices, 6))), [3, 4, 5]);
});

it('the last thirty can be looked at again, those that went away too', () => {
  assert.deepEqual(
    ids(many(32)),
    Array.from({ length: 30 }, (_, index) => index + 3),
  );
  assert.deepEqual(ids(withoutToast(many(2), 1)), [1, 2]);
});

it('a plain one that offers nothing is forgotten when it goes', () => {
  const action = { label: 'Open', run: () => {} };
  const notices = [notice(1, { tone: 'plain' }), notice(2, { tone: 'plain', action })];
  assert.deepEqual(ids(withoutToast(notices, 1)), [2]);
  assert.deepEqual(ids(withoutToast(notices, 2)), [1, 2]);
});

it('what became of a change is said wherever it is told of, and nowhere else', () => {
  const notices = [notice(1, { change: 'a' }), notice(2, { change: 'b' })];
  const told = changedWhere(notices, ({ change }) => change === 'a', { outcome: 'Undone' });
  assert.deepEqual(
    told.map(({ outcome }) => outcome),
    ['Undone', ''],
  );
});
