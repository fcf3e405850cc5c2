// The generated types are those of the migrations.

import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';

import { generatedDirectory, generateSchema } from '../../scripts/generate-schema.ts';
import { testDatabase } from '../harness/postgres.ts';

it('the types of the operational tables are fresh', async (t) => {
  const { url } = await testDatabase(t);
  const directory = await mkdtemp(join(tmpdir(), 'gw-schema-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  await generateSchema(url, directory);
  const names = await readdir(directory);
  assert.deepEqual(names.toSorted(), (await readdir(generatedDirectory)).toSorted());
  for (const name of names) {
    const [fresh, kept] = await Promise.all(
      [directory, generatedDirectory].map((from) => readFile(join(from, name), 'utf8')),
    );
    assert.equal(kept, fresh, `${name} is stale: node scripts/generate-schema.ts <server url>`);
  }
});
