// Tests that ClickHouse (PyPI: chdb) and DuckDB give the same figures over 30 days. Run by
// `npm run test:archive-engines` and not by `npm test`, because chdb takes 550 MB.

import assert from 'node:assert/strict';
import path from 'node:path';
import { it } from 'node:test';

import { prepareFocusValidator } from '../../../../test/harness/focus/validator.ts';
import { preparePython } from '../../../../test/harness/python/packages.ts';
import { archivedMonth, countedStatuses, expectedStatuses, queried } from './month.ts';

it('ClickHouse and DuckDB give the figures of the database over 30 days', async (t) => {
  const { directory, expected } = await archivedMonth(t);
  const chdb = preparePython({
    name: 'chdb-4.4.0',
    requirements: path.join(import.meta.dirname, 'requirements.txt'),
    purpose: 'the test of the archive with ClickHouse',
  });
  const asked = { engine: 'chdb', python: chdb, directory } as const;
  assert.deepEqual(await queried(asked), expected);
  assert.deepEqual(await countedStatuses(asked), expectedStatuses);
  const duckdb = prepareFocusValidator();
  assert.deepEqual(await queried({ engine: 'duckdb', python: duckdb, directory }), expected);
});
