// Tests how many rows of an access review are on one page.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { accessPage, pageKeysMax } from '../../../projections/access-page.ts';

const rowsOf = (count: number, keys: number) =>
  Array.from({ length: count }, () => ({ keys: Array.from({ length: keys }, (_, id) => id + 1) }));

it('ends a page at a number of rows, or at the row that reaches a number of keys', () => {
  const third = Math.ceil(pageKeysMax / 3);
  const cases: readonly (readonly [number, number, number, number, boolean])[] = [
    // rows, keys of each, asked, shown, more
    [3, 1, 5, 3, false],
    [5, 1, 5, 5, false],
    [6, 1, 5, 5, true],
    [0, 0, 5, 0, false],
    [4, third, 1_000, 3, true],
    [3, third, 1_000, 3, false],
    [2, 2 * pageKeysMax, 1_000, 1, true],
  ];
  for (const [count, keys, asked, shown, more] of cases) {
    const { rows, hasMore } = accessPage(rowsOf(count, keys), asked);
    assert.deepEqual([rows.length, hasMore], [shown, more], `${count} rows of ${keys} keys`);
  }
});
