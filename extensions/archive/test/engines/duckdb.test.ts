// Tests that the query of docs/guides/archive.md, run by DuckDB over 30 days, gives the figures of the database.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { prepareFocusValidator } from '../../../../test/harness/focus/validator.ts';
import { archivedMonth, queried } from './month.ts';

it('DuckDB gives the figures of the database over 30 days', async (t) => {
  const { directory, expected } = await archivedMonth(t);
  // The validator includes DuckDB.
  const python = prepareFocusValidator();
  assert.deepEqual(await queried({ engine: 'duckdb', python, directory }), expected);
});
