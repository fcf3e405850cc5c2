// Tests that snapshot versions after a loss of events are higher than all published before, and
// still name their position.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { historyCommands } from '../../../src/control/history/commands.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import { positionOfVersion } from '../../../src/lib/snapshot-version.ts';
import { gw } from '../../harness/program/command-line.ts';
import { testKey, testPlane } from '../../harness/control/plane.ts';

it('raises the version above all before with a new epoch, and versions lead to their states', async (t) => {
  const { plane, run, url } = await testPlane(t);
  await run({ command: { type: 'CreateModel', name: 'before', fields: {} } });
  const before = plane.store.state().version;
  const env = { GW_DATABASE_URL: url, GW_ENCRYPTION_KEY: Buffer.from(testKey).toString('hex') };
  const began = await gw(['log', 'new-epoch', '--reason', 'restored'], { env });
  assert.equal(began.code, 0, began.stderr);
  await plane.refresh();
  const { version: first, position } = plane.store.state();
  assert.deepEqual([first - 2 ** 40, positionOfVersion(first)], [position, position]);
  assert.match(began.stdout, new RegExp(`is ${first}\n$`));
  const { version } = await run({ command: { type: 'CreateModel', name: 'after', fields: {} } });
  assert.equal(version, first + 1);

  const namesAt = async (moment: number) => {
    const state = await plane.past.at({ position: moment }, 'version');
    assert.ok(!isRefusal(state));
    return [...state.model.byId.values()].map(({ name }) => name);
  };
  assert.deepEqual(await namesAt(before), ['before']);
  assert.deepEqual(await namesAt(first), ['before']);
  assert.deepEqual(await namesAt(version), ['before', 'after']);
  const made = await historyCommands(
    { db: plane.reports, vault: plane.vault },
    { actorId: null, stream: null, from: null, to: null, after: null, order: 'desc', limit: 3 },
  );
  assert.deepEqual(
    made.map((one) => [one.version_before, one.version_after]),
    [
      [first, version],
      [before, first],
      [before - 1, before],
    ],
  );
});
