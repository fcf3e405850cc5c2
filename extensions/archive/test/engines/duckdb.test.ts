// Tests that the query of docs/guides/archive.md, run by DuckDB over 30 days, gives the figures of the database.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { prepareFocusValidator } from '../../../../test/harness/focus/validator.ts';
import { archivedMonth, countedStatuses, expectedStatuses, queried } from './month.ts';

it('DuckDB gives the figures of the database over 30 days', async (t) => {
  const { directory, expected } = await archivedMonth(t);
  // The validator includes DuckDB.
  const python = prepareFocusValidator();
  const asked = { engine: 'duckdb', python, directory } as const;
  assert.deepEqual(await queried(asked), expected);
  assert.deepEqual(await countedStatuses(asked), expectedStatuses);
});
