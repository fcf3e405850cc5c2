// Tests the export of a table: all rows of all pages in each format, up to the limit of a file,
// without formulas.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { writeRows } from '../../../../ui/lib/page/export.ts';
import type { Exported, FileFormat } from '../../../../ui/lib/page/export.ts';

const pages: readonly (readonly Exported[])[] = [[{ id: 3 }, { id: 2 }], [{ id: 1 }]];
const columns = ['id'];

for (const [format, text] of [
  ['csv', 'id\r\n3\r\n2\r\n1\r\n'],
  ['json', '[\n{"id":3},\n{"id":2},\n{"id":1}\n]\n'],
  ['ndjson', '{"id":3}\n{"id":2}\n{"id":1}\n'],
] as const) {
  it(`${format} has every row of every page`, async () => {
    const counted: number[] = [];
    const onRows = (rows: number): void => void counted.push(rows);
    const { parts, rows, isCut } = await writeRows(pages, { format, columns, onRows });
    assert.deepEqual([parts.join(''), rows, isCut, counted], [text, 3, false, [2, 3]]);
    if (format === 'json') assert.equal(JSON.parse(parts.join('')).length, 3);
  });

  it(`${format} of no rows can be read`, async () => {
    const { parts } = await writeRows([], { format, columns });
    const empty: Readonly<Record<FileFormat, string>> = {
      csv: 'id\r\n',
      json: '[\n]\n',
      ndjson: '',
    };
    assert.equal(parts.join(''), empty[format]);
  });
}

it('lines are in chronological order', async () => {
  const { parts } = await writeRows(pages, { format: 'ndjson', columns, isNewestFirst: true });
  assert.equal(parts.join(''), '{"id":1}\n{"id":2}\n{"id":3}\n');
});

it('a file ends at its row limit, reports that there are more, and requests no further page', async () => {
  let asked = 0;
  async function* endless() {
    for (;;) {
      asked += 1;
      yield [{ id: asked }, { id: -asked }];
    }
  }
  const three = await writeRows(endless(), { format: 'json', columns, max: 3 });
  assert.deepEqual([three.rows, three.isCut, asked], [3, true, 2]);
  const all = await writeRows(pages, { format: 'json', columns, max: 3 });
  assert.deepEqual([all.rows, all.isCut], [3, false]);
});

it('a formula is written as text in CSV', async () => {
  const rows = [{ name: '=cmd()', note: 'a "b", c', cost: null, at: -1 }];
  const { parts } = await writeRows([rows], {
    format: 'csv',
    columns: ['name', 'note', 'cost', 'at'],
  });
  assert.equal(parts.join(''), 'name,note,cost,at\r\n\'=cmd(),"a ""b"", c",,-1\r\n');
});
