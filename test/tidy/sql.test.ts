// Tests that SQL is only in projections/ and src/db (architecture, invariant 4), and that no row
// type is a mere annotation.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { root, sourcesOfTree } from './tree.ts';

const sqlHome = /^(projections|src\/db)\//;
const program = /^(events|projections|src|ui)\//;

/** The SQL tag, or the first words of a statement in a string. */
const sql = [
  /\b(sql|read(Row|Rows|Value|Values)\([^)]*\))`/,
  /['"`]\s*(select\s.+\sfrom|insert\s+into|update\s.+\sset|delete\s+from)\s/is,
  /['"`]\s*(create|alter|drop)\s+(table|schema|index|database|role)\s/i,
];

const hasSql = (text: string): boolean => sql.some((form) => form.test(text));

test('only projections and the database layer contain SQL', () => {
  const wrong = sourcesOfTree()
    .filter(({ path }) => program.test(path) && !sqlHome.test(path))
    .filter(({ text }) => text.split('\n').some(hasSql))
    .map(({ path }) => path);
  assert.deepEqual(wrong, []);
});

test('the fold and the snapshot contain no SQL because they are pure', () => {
  const wrong = sourcesOfTree()
    .filter(({ path }) => path.startsWith('projections/config/'))
    .filter(({ text }) => hasSql(text))
    .map(({ path }) => path);
  assert.deepEqual(wrong, []);
});

test('every migration has a number of its own', () => {
  const numbers = readdirSync(path.join(root, 'migrations')).map((name) => name.slice(0, 4));
  assert.deepEqual(numbers, [...new Set(numbers)]);
});

/** The text before a statement whose rows are not read, or only counted. */
const unread = /(?:\n\s*await|: unknown\[\] = await|Promise<unknown> =>|\(inner\) =>)\s*$/;

const takesRows = (text: string): boolean =>
  text
    .split(/\b\w+\.query\(/)
    .slice(0, -1)
    .some((before) => !unread.test(before));

test('rows are read with a schema that checks them (src/db/rows.ts)', () => {
  const wrong = sourcesOfTree()
    .filter(({ path }) => sqlHome.test(path) && path !== 'src/db/rows.ts')
    .filter(({ text }) => text.includes("from '@databases/pg'") && takesRows(text))
    .map(({ path }) => path);
  assert.deepEqual(wrong, []);
});

test('the check recognises a row whose type is only an annotation', () => {
  assert.equal(takesRows('const rows: readonly Row[] = await db.query(sql`select 1`)'), true);
  assert.equal(takesRows('(db: Queryable): Promise<readonly Row[]> =>\n  db.query(sql``)'), true);
  assert.equal(takesRows('const gone: unknown[] = await db.query(sql``)'), false);
  assert.equal(takesRows('{\n  await db.query(sql``)'), false);
});

test('the check distinguishes SQL from prose', () => {
  assert.equal(hasSql("query('select id from principals where id = 1')"), true);
  assert.equal(hasSql('await db.query(sql`select 1`)'), true);
  assert.equal(hasSql('await readValue(db, integer)`select 1`'), true);
  assert.equal(hasSql('a note on what to select from a list'), false);
});
