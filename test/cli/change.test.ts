// Change requests from the command line: the person who is logged in drafts, and another approves.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';

import { adminPassword } from '../harness/admin.ts';
import { gw } from '../harness/command-line.ts';
import { fourEyes, renameModel } from '../harness/four-eyes.ts';

it('a change is drafted, looked at, approved by another and applied, and a wrong step says why', async (t) => {
  const { url, plane } = await fourEyes(t);
  const directory = await mkdtemp(join(tmpdir(), 'gw-change-'));
  t.after(() => rm(directory, { recursive: true }));
  const calls = join(directory, 'calls.json');
  await writeFile(calls, JSON.stringify([renameModel('b')]));
  const env = { GW_CONTROL_URL: url, GW_PASSWORD: adminPassword };
  const as = (login: string, ...given: readonly string[]) =>
    gw(['change', ...given, '--login', login], { env });

  const drafting = ['--title', 'The better name', '--reason', 'CHG-1', '--calls', calls];
  const drafted = await as('ada', 'draft', ...drafting);
  assert.deepEqual([drafted.code, drafted.stderr], [0, '']);
  assert.equal(drafted.stdout, '1  open  ada  models  The better name\n');
  const shown = await as('boss', 'show', '1');
  assert.match(shown.stdout, /PATCH \/admin\/provider-models\/1\n {2}model-1 changed\n/);
  const [, approving = ''] = /to approve: gw change (.*)\n/.exec(shown.stdout) ?? [];
  const own = await as('ada', ...approving.split(' '));
  assert.deepEqual(
    [own.code, own.stderr],
    [4, 'gw: nobody approves or reviews a change of their own\n'],
  );
  assert.match((await as('boss', ...approving.split(' '))).stdout, /^1 {2}approved/);
  const applied = await as('ada', 'apply', '1', '--json');
  assert.equal(JSON.parse(applied.stdout).state, 'applied');
  await plane.refresh();
  assert.equal(plane.store.state().model.byId.get(1)?.name, 'b');
  assert.match((await as('ada', 'list', '--state', 'applied')).stdout, /^1 {2}applied {2}ada/);

  const absent = await as('ada', 'withdraw', '7');
  assert.deepEqual([absent.code, absent.stderr], [5, 'gw: change request 7 does not exist\n']);
  const nobody = await gw(['change', 'list', '--login', 'ada', '--password', '-'], {
    env: { GW_CONTROL_URL: url },
    input: 'wrong\n',
  });
  assert.deepEqual([nobody.code, nobody.stdout], [1, '']);
  const missing = await gw(['change', 'list'], { env });
  assert.deepEqual([missing.code, missing.stderr], [2, 'gw: change list needs --login\n']);
});
