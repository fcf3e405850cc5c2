// Tests that database rows are read only if they match their declared types.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { sql } from '@databases/pg';
import { z } from 'zod';

import { rowOf } from '../../src/db/columns.ts';
import { integer, readRow, readRows, readValue, readValues, text } from '../../src/db/rows.ts';
import { testLogDatabase } from '../harness/postgres/log-database.ts';

const person = z.object({ id: integer, name: text.nullable() });

describe('the rows of a statement', () => {
  it('have the declared columns', async (t) => {
    const db = await testLogDatabase(t);
    const rows = await readRows(db, person)`
      select * from (values (1::bigint, 'Ada'), (${2}, null)) held (id, name)`;
    assert.deepEqual(rows, [
      { id: 1, name: 'Ada' },
      { id: 2, name: null },
    ]);
    assert.equal(await readRow(db, person)`select 1 as id, 'Ada' as name where false`, null);
  });

  const wrong = {
    'is renamed': [sql`select 1 as id, 'secret' as title`, /name: must be text, found undefined/],
    'has another type': [
      sql`select 'secret' as id, null as name`,
      /id: must be a number, found string/,
    ],
    'is null in a later row': [
      sql`select * from (values (1, 'secret'), (null, 'b')) held (id, name)`,
      /id: must be a number, found null/,
    ],
  } as const;
  for (const [problem, [statement, message]] of Object.entries(wrong)) {
    it(`are refused when a column ${problem}`, async (t) => {
      const db = await testLogDatabase(t);
      await assert.rejects(readRows(db, person)`${statement}`, (error: Error) => {
        assert.match(error.message, message);
        assert.match(error.message, /^the statement "select /);
        return true;
      });
    });
  }

  it('are refused without telling what they hold', async (t) => {
    const db = await testLogDatabase(t);
    const refused = readRows(db, person)`select ${'secret'}::text as id, 'Ada' as name`;
    await assert.rejects(refused, (error: Error) => !/secret/.test(error.message));
  });
});

describe('the values of a statement', () => {
  it('are those of its only column', async (t) => {
    const db = await testLogDatabase(t);
    assert.deepEqual(await readValues(db, integer)`select generate_series(1, 3)`, [1, 2, 3]);
    assert.equal(await readValue(db, integer)`select 1 where false`, null);
    await assert.rejects(
      readValue(db, integer)`select 1 as a, 2 as b`,
      /did not return one column/,
    );
  });
});

it('the row of declared columns holds their types', () => {
  const row = rowOf({ id: 'bigint not null', at: 'timestamptz', name: 'text' });
  assert.deepEqual(row.parse({ id: 1, at: null, name: 'Ada' }), { id: 1, at: null, name: 'Ada' });
  assert.equal(row.safeParse({ id: null, at: null, name: null }).success, false);
  assert.equal(row.safeParse({ id: 1, at: 'now', name: null }).success, false);
});
