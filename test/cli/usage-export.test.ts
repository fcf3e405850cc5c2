// Tests `gw usage export`.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { it } from 'node:test';

import { testKey } from '../harness/control/plane.ts';
import { testAdministrator } from '../harness/admin/admin.ts';
import { exportText } from '../harness/admin/focus.ts';
import { reported, reportUsage } from '../harness/admin/usage.ts';
import { gw } from '../harness/program/command-line.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

const hexKey = Buffer.from(testKey).toString('hex');

it('writes the charges that the admin API exports, to a file or to standard output', async (t) => {
  const started = await testAdministrator(t);
  await started.send('POST', '/admin/models', { name: 'small' });
  await reportUsage(started, [reported(1)]);
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const until = new Date().toISOString();
  const expected = await exportText(started, `since=${since}&until=${until}`);
  const env = { GW_DATABASE_URL: started.databaseUrl, GW_ENCRYPTION_KEY: hexKey };
  const range = ['usage', 'export', '--focus', '--since', since, '--until', until];

  const printed = await gw(range, { env });
  assert.deepEqual([printed.code, printed.stdout, printed.stderr], [0, expected, '']);

  const file = path.join(await temporaryDirectory(t), 'focus.csv');
  const written = await gw([...range, '--out', file], { env });
  assert.deepEqual([written.code, written.stdout], [0, '']);
  assert.equal(await readFile(file, 'utf8'), expected);

  const omitted = await gw([...range, '--omit-unpriced'], { env });
  assert.equal(omitted.stdout, expected.slice(0, expected.indexOf('\r\n') + 2));
});

it('refuses a missing or malformed range, naming the flag', async (t) => {
  const { databaseUrl } = await testAdministrator(t);
  const env = { GW_DATABASE_URL: databaseUrl, GW_ENCRYPTION_KEY: hexKey };
  const cases = [
    [['--since', '2026-10-01T00:00:00Z'], 'needs --focus'],
    [['--focus'], '--since must be an RFC 3339 time, such as 2026-11-21T09:30:00Z, was not given'],
    [['--focus', '--since', 'yesterday'], '--since must be'],
    [['--focus', '--since', '2020-10-01T00:00:00Z'], 'is more than 366 days before until'],
  ] as const;
  for (const [flags, problem] of cases) {
    const { code, stderr } = await gw(['usage', 'export', ...flags], { env });
    assert.equal(code, 2, stderr);
    assert.ok(stderr.includes(problem), stderr);
  }
});
