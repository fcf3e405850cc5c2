// Tests the CSV cells of the access review.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { csvCell } from '../../access-csv.ts';

it('no cell of CSV is a formula, or ends its line', () => {
  const cases = [
    ['plain', 'plain'],
    ['=1+1', "'=1+1"],
    ['@x', "'@x"],
    ['-a,b', '"\'-a,b"'],
    ['+"q"', '"\'+""q"""'],
    ['\tx', "'\tx"],
    ['a\nb', '"a\nb"'],
    [7, '7'],
  ] as const;
  for (const [given, cell] of cases) assert.equal(csvCell(given), cell);
});
