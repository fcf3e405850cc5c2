// Checks that a plan reads each applied configuration once, and that reading in parts gives the same as reading the whole log.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import {
  createManagedFiles,
  noManagedFiles,
  withApplied,
} from '../../../src/control/configuration/managed-files.ts';
import { appliedConfigurations } from '../../../src/db/applied-configuration.ts';
import { testAdministrator } from '../../harness/admin/admin.ts';

it('reads only what was applied since the last plan, and the same as the whole log', async (t) => {
  const { send, plane } = await testAdministrator(t);
  const { db } = plane;
  const read = createManagedFiles(db);
  const apply = async (set: string, ...names: readonly string[]) => {
    const resources = { roles: names.map((name) => ({ name })) };
    const body = { resources, set, reason: 'commit 1' };
    assert.equal((await send('POST', '/admin/configuration/apply', body)).status, 200);
  };
  assert.deepEqual(await read(), noManagedFiles);
  await apply('one', 'a', 'b');
  await Promise.all([read(), read()]);
  await apply('two', 'c');
  await apply('one', 'b');

  const parts = await read();
  assert.deepEqual(
    [...parts.managed.values()].map(({ set, name }) => [set, name]),
    [
      ['one', 'b'],
      ['two', 'c'],
    ],
  );
  assert.deepEqual(parts, withApplied(noManagedFiles, await appliedConfigurations(db, 0)));
  assert.deepEqual(await createManagedFiles(db)(), parts);
  assert.deepEqual(await appliedConfigurations(db, parts.position), []);
});
