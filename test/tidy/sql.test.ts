// Holds that SQL lies in projections/ and src/db alone (architecture, invariant 4).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { sourcesOfTree } from './tree.ts';

const sqlHome = /^(projections|src\/db)\//;
const program = /^(events|projections|src|ui)\//;

/** The tag, or a statement's opening words in a text. */
const sql = [
  /\bsql`/,
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

test('the fold and the snapshot, which are pure, contain none', () => {
  const wrong = sourcesOfTree()
    .filter(({ path }) => path.startsWith('projections/config/'))
    .filter(({ text }) => hasSql(text))
    .map(({ path }) => path);
  assert.deepEqual(wrong, []);
});

test('the check itself knows SQL from prose', () => {
  assert.equal(hasSql("query('select id from principals where id = 1')"), true);
  assert.equal(hasSql('await db.query(sql`select 1`)'), true);
  assert.equal(hasSql('a note on what to select from a list'), false);
});
