// Tests that CSV is written safely for spreadsheets, and read back.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { array, assert as holds, constantFrom, property, string } from 'fast-check';

import { csvCell, csvLine, csvRecords, withoutFormulaGuard } from '../../src/lib/csv.ts';

const read = (text: string) => {
  const malformed: number[] = [];
  return { records: [...csvRecords(text, (line) => malformed.push(line))], malformed };
};

describe('a CSV cell', () => {
  it('is never a formula and never ends its line', () => {
    const cases = [
      ['plain', 'plain'],
      ['=1+1', "'=1+1"],
      ['@x', "'@x"],
      ['-a,b', '"\'-a,b"'],
      ['+"q"', '"\'+""q"""'],
      ['\tx', "'\tx"],
      ['a\nb', '"a\nb"'],
      [7, '7'],
      [null, ''],
      ['-0.25', '-0.25'],
      ['-0.25+cmd', "'-0.25+cmd"],
    ] as const;
    for (const [given, cell] of cases) assert.equal(csvCell(given), cell);
  });

  it('is read back as it was written', () => {
    const text = string({ unit: constantFrom('=', '-', ',', '"', '\r', '\n', "'", 'a', '1', ' ') });
    holds(
      property(array(array(text, { minLength: 2, maxLength: 4 }), { maxLength: 4 }), (rows) => {
        const { records, malformed } = read(rows.map(csvLine).join(''));
        assert.deepEqual(malformed, []);
        const cells = records.map((record) => record.cells.map(withoutFormulaGuard));
        const shown = rows.map((row) => row.map((cell) => withoutFormulaGuard(cell)));
        assert.deepEqual(cells, shown);
      }),
    );
  });
});

describe('CSV records', () => {
  it('have the line where they start, and skip empty lines', () => {
    const { records } = read('\uFEFFa,b\r\n\r\n"x\ny",2\n3,\n4');
    assert.deepEqual(records, [
      { line: 1, cells: ['a', 'b'] },
      { line: 3, cells: ['x\ny', '2'] },
      { line: 5, cells: ['3', ''] },
      { line: 6, cells: ['4'] },
    ]);
  });

  it('end at a quoted cell that is malformed, which is named by its line', () => {
    assert.deepEqual(read('a\n"b\nc'), { records: [{ line: 1, cells: ['a'] }], malformed: [2] });
    assert.deepEqual(read('a\n"b"c'), { records: [{ line: 1, cells: ['a'] }], malformed: [2] });
  });
});
