// Tests the view of a table: its address, order, filters and pages, and the rows that are drawn.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import {
  choicesOf,
  compareCells,
  countText,
  createFilter,
  fitsColumn,
  pageOf,
  readView,
  shownColumns,
  sortedBy,
  withColumnTurned,
  withFilter,
  writeView,
} from '../../../../ui/lib/page/table-view.ts';
import { windowOf } from '../../../../ui/lib/page/window.ts';

const written = (query: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(writeView(readView(query))).filter(([, value]) => value !== null),
  );

it('a view can be read from its address', () => {
  const query = { q: 'gpt', sort: '-price', page: '3', rows: '100', cols: 'name,price' };
  assert.deepEqual(written(query), query);
  const filtered = withFilter(readView({ page: '3' }), 'state', '=a&b=c');
  assert.deepEqual(readView({ where: writeView(filtered)['where'] ?? '' }), filtered);
  assert.deepEqual(withFilter(filtered, 'state', '').filters, {});
});

it('an invalid view is the default', () => {
  assert.deepEqual(written({ page: '-4', rows: '7', sort: '' }), {});
});

it('a column filter matches a part of the value in any case, or after = the whole value', () => {
  const cases = [
    ['OpenAI', 'open', true],
    ['OpenAI', '=open', false],
    ['OpenAI', '=OpenAI', true],
    [null, '=', true],
    [true, '=true', true],
    ['a', 'b', false],
  ] as const;
  for (const [value, wanted, fits] of cases) assert.equal(fitsColumn(value, wanted), fits);
});

it('a column with few values offers choices', () => {
  assert.deepEqual(choicesOf(['b', null, 'a', 'b']), ['', 'a', 'b']);
  assert.equal(choicesOf(Array.from({ length: 100 }, (_, index) => index)), null);
});

it('a column is sorted ascending, descending, then not at all', () => {
  const up = sortedBy(readView({ page: '2' }), 'name');
  const down = sortedBy(up, 'name');
  assert.deepEqual([up.sort, up.page], [{ id: 'name', descending: false }, 0]);
  assert.deepEqual(down.sort, { id: 'name', descending: true });
  assert.equal(sortedBy(down, 'name').sort, null);
});

it('the first column is always shown, and optional ones when selected', () => {
  const columns = [{ id: 'name' }, { id: 'price' }, { id: 'id', spare: true }];
  const shown = (cols?: string) =>
    shownColumns(columns, readView(cols === undefined ? {} : { cols })).map(({ id }) => id);
  assert.deepEqual(shown(), ['name', 'price']);
  assert.deepEqual(shown('id'), ['name', 'id']);
  const turned = withColumnTurned(readView({}), columns, 'id');
  assert.deepEqual(turned.columns, ['name', 'price', 'id']);
  assert.deepEqual(withColumnTurned(turned, columns, 'price').columns, ['name', 'id']);
});

it('a table shows its number of rows, matching rows, and whether there are more', () => {
  const rows = { found: 1_200, all: 1_200, noun: 'key', isPartial: false };
  assert.equal(countText(rows), '1,200 keys');
  assert.equal(countText({ ...rows, found: 1_100 }), '1,100 of 1,200 keys');
  assert.equal(countText({ ...rows, isPartial: true }), '1,200 keys shown');
});

it('sorts numbers in texts by size', () => {
  assert.deepEqual(['m-10', 'M-2', 'm-1'].toSorted(compareCells), ['m-1', 'M-2', 'm-10']);
  assert.ok(compareCells(9, 10) < 0);
});

it('a filter matches all words, in any order and case', () => {
  const filter = createFilter(({ text }: { text: string }) => text);
  const row = { text: 'OpenAI gpt-small' };
  assert.deepEqual(
    ['small openai', 'gpt', 'claude'].map((typed) => filter(row, typed)),
    [true, true, false],
  );
});

it('a page beyond the last is the last', () => {
  const rows = Array.from({ length: 51 }, (_, index) => index);
  const last = { rows: [50], page: 1, pages: 2, before: 50 };
  assert.deepEqual(pageOf(rows, { page: 9, size: 50 }), last);
  assert.equal(pageOf(rows, { page: 9, size: 0 }).rows.length, 51);
});

it('draws only the visible of ten thousand rows, and keeps the full height', () => {
  const drawn = windowOf({ count: 10_000, rowPx: 36, topPx: 180_000, heightPx: 900 });
  assert.ok(drawn.from <= 5_000 && drawn.to >= 5_025 && drawn.to - drawn.from < 60);
  assert.equal(drawn.above + drawn.below + (drawn.to - drawn.from) * 36, 360_000);
});
