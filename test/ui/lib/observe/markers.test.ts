// Tests how the changes that a chart marks are placed and grouped.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { groupsOn } from '../../../../ui/lib/observe/markers.ts';

const axis = { since: 1_000, until: 2_000, width: 500 };
const marker = (id: number, at: number) => ({ id, at, text: `change ${id}`, about: 'boss' });
const placed = (...times: readonly number[]) =>
  groupsOn(
    axis,
    times.map((at, index) => marker(index, at)),
  ).map(({ x, members }) => [x, members.map(({ id }) => id)].flat());

it('a change is placed at its time', () => {
  assert.deepEqual(placed(1_000, 1_500), [
    [0, 0],
    [250, 1],
  ]);
});

it('changes that are closer than a mark is wide are one group, oldest first', () => {
  assert.deepEqual(placed(1_520, 1_500, 1_540, 1_560), [
    [250, 1, 0, 2],
    [280, 3],
  ]);
});

it('a change after the last value is at the end, and one before the first is left out', () => {
  assert.deepEqual(placed(900, 2_300), [[500, 1]]);
});

it('an axis without a span has one group', () => {
  const groups = groupsOn({ since: 5, until: 5, width: 100 }, [marker(1, 5), marker(2, 9)]);
  assert.equal(groups.length, 1);
});
