// Tests change requests on the command line: the signed-in person drafts, and another approves.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';

import { adminPassword, member } from '../../../test/harness/admin/admin.ts';
import { gw } from '../../../test/harness/program/command-line.ts';
import { fourEyes, renameModel } from '../../../test/harness/admin/four-eyes.ts';

it('drafts, shows, approves and applies a change, and explains each refused step', async (t) => {
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
  assert.match(
    shown.stdout,
    /PATCH \/admin\/provider-models\/1\n {2}changed model 1 "b"\n {4}name: "a" -> "b"\n/,
  );
  const whole = JSON.parse((await as('boss', 'show', '1', '--json')).stdout);
  assert.deepEqual([whole.change.event_count, whole.change.diff[0].fields[0].secret], [1, false]);
  const [, approving = ''] = /to approve: gw change (.*)\n/.exec(shown.stdout) ?? [];
  const own = await as('ada', ...approving.split(' '));
  assert.deepEqual(
    [own.code, own.stderr],
    [4, 'gw: you cannot approve or review your own change\n'],
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
  assert.deepEqual(
    [missing.code, missing.stderr],
    [2, 'gw: change list needs --login or GW_ADMIN_TOKEN\n'],
  );
});

it('a program drafts a change with its admin token, from the variable or from a file', async (t) => {
  const { url, boss, ids } = await fourEyes(t);
  const permissions = ['usage:read', 'config:write'];
  const body = { name: 'ci', principal_id: ids.ada, permissions };
  const token = String(member((await boss('POST', '/admin/tokens', body)).body, 'token'));
  const directory = await mkdtemp(join(tmpdir(), 'gw-change-'));
  t.after(() => rm(directory, { recursive: true }));
  const calls = join(directory, 'calls.json');
  const file = join(directory, 'token');
  await writeFile(calls, JSON.stringify([renameModel('b')]));
  await writeFile(file, `${token}\n`);
  const draft = (env: Record<string, string>) =>
    gw(['change', 'draft', '--title', 'By CI', '--reason', 'CHG-1', '--calls', calls], {
      env: { GW_CONTROL_URL: url, ...env },
    });
  assert.deepEqual(await draft({ GW_ADMIN_TOKEN: token }), {
    code: 0,
    stdout: '1  open  ada  models  By CI\n',
    stderr: '',
  });
  assert.equal((await draft({ GW_ADMIN_TOKEN_FILE: file })).code, 0);
  const wrong = await draft({ GW_ADMIN_TOKEN: 'gwt-wrong' });
  assert.equal(wrong.code, 4);
  assert.match(wrong.stderr, /the admin token is unknown, revoked or expired/);
  assert.doesNotMatch(wrong.stderr, /gwt-wrong/);
});

it('schedules an approved change at a future time, and unschedules it', async (t) => {
  const { url, ada, boss, draft, approve } = await fourEyes(t);
  const id = String(await draft(ada, [renameModel('b')]));
  assert.equal((await approve(boss, Number(id))).status, 200);
  const env = { GW_CONTROL_URL: url, GW_PASSWORD: adminPassword };
  const schedule = (...given: readonly string[]) =>
    gw(['change', 'schedule', id, '--login', 'ada', ...given], { env });

  const at = new Date(Date.now() + 24 * 3_600_000).toISOString();
  const scheduled = await schedule('--at', at, '--reason', 'in the night');
  assert.deepEqual(
    [scheduled.stdout, scheduled.stderr],
    ['1  scheduled  ada  models  a change\n', ''],
  );
  const shown = await gw(['change', 'show', id, '--login', 'ada'], { env });
  assert.ok(shown.stdout.includes(`  scheduled for ${at}\n`), shown.stdout);
  assert.equal((await schedule('--unset')).stdout, '1  approved  ada  models  a change\n');
  const past = await schedule('--at', '2001-01-01T00:00:00Z');
  assert.equal(past.code, 2);
  assert.match(past.stderr, /2001-01-01/);
  for (const given of [[], ['--at', at, '--unset']]) {
    const unclear = await schedule(...given);
    const output = 'gw: either --at or --unset is required\n';
    assert.deepEqual([unclear.code, unclear.stderr], [2, output]);
  }
});

it('shows and sets the change policy, which also protects itself', async (t) => {
  const { url, plane } = await fourEyes(t);
  const env = { GW_CONTROL_URL: url, GW_PASSWORD: adminPassword };
  const policy = (...given: readonly string[]) =>
    gw(['change', 'policy', '--login', 'ada', ...given], { env });

  assert.equal((await policy()).stdout, 'an approval is needed for: nothing\n');
  const wrong = await policy('--set', 'models,colours');
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /^gw: kinds.*colours/);
  const set = await policy('--set', 'models, prices', '--reason', 'CHG-2: für alle');
  assert.deepEqual(
    [set.stderr, set.stdout],
    ['', 'an approval is needed for: models, prices\nand therefore for: policy\n'],
  );
  const again = await policy('--set', 'none');
  assert.equal(again.code, 4);
  assert.match(again.stderr, /need an approved change request/);
  const broken = await policy(
    '--set',
    'none',
    '--break-glass',
    'no other approver\nis available',
    '--json',
  );
  assert.deepEqual(JSON.parse(broken.stdout), { kinds: [], protected: [] });
  await plane.refresh();
  const output = await gw(['change', 'list', '--login', 'ada', '--state', 'review_due'], { env });
  assert.match(output.stdout, /review_due {2}ada {2}policy/);
  const alone = await policy('--reason', 'why');
  assert.deepEqual([alone.code, alone.stderr], [2, 'gw: --reason and --break-glass need --set\n']);
});
