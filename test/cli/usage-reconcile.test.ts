// Tests `gw usage reconcile`.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { it } from 'node:test';

import { testAdministrator } from '../harness/admin/admin.ts';
import { exportText } from '../harness/admin/focus.ts';
import { reported, reportUsage } from '../harness/admin/usage.ts';
import { testKey } from '../harness/control/plane.ts';
import { gw } from '../harness/program/command-line.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

const hexKey = Buffer.from(testKey).toString('hex');
const day = new Date(Date.now() - 60_000).toISOString().slice(0, 10);

it('compares a file with the ledger, prints the differences, and stores the report', async (t) => {
  const started = await testAdministrator(t);
  const price = { input_price_per_mtok: 3_000_000, output_price_per_mtok: 15_000_000 };
  await started.send('POST', '/admin/models', { name: 'small', ...price });
  await reportUsage(started, [reported(1)]);
  const env = { GW_DATABASE_URL: started.databaseUrl, GW_ENCRYPTION_KEY: hexKey };
  const file = path.join(await temporaryDirectory(t), 'bill.csv');
  await writeFile(file, `Day,SKU,Net\n${day},small,0.021\n`);
  const columns = ['date=Day', 'model=SKU', 'amount=Net'].flatMap((one) => ['--column', one]);
  const run = ['usage', 'reconcile', '--file', file, ...columns];

  const { code, stdout, stderr } = await gw([...run, '--reason', 'monthly check'], { env });
  assert.equal(code, 10, stderr);
  const [first = '', ...rest] = stdout.trimEnd().split('\n');
  assert.match(first, /^report [\da-f-]{36}: \S+ to \S+, 1 line as generic, 0 skipped$/);
  assert.deepEqual(rest, [
    'bill 0.021000 USD, ledger 0.010500 USD, difference 0.010500 USD',
    '0 agree, 1 differ',
    `${day}  small  differs: bill 0.021000 USD, ledger 0.010500 USD (50 %)`,
  ]);
  const { body } = await started.send('GET', '/admin/usage/reconciliations');
  assert.ok(Array.isArray(body));
  assert.partialDeepStrictEqual(body, [{ file_name: 'bill.csv', principal_id: null }]);

  const until = new Date(Date.now() + 60_000).toISOString();
  const own = await exportText(started, `since=${day}T00:00:00Z&until=${until}`);
  const same = await gw(['usage', 'reconcile', '--file', '-', '--json'], { env, input: own });
  assert.equal(same.code, 0, same.stderr);
  assert.partialDeepStrictEqual(JSON.parse(same.stdout), { format: 'focus', difference_count: 0 });
});

it('refuses a malformed flag, naming it', async (t) => {
  const { databaseUrl } = await testAdministrator(t);
  const env = { GW_DATABASE_URL: databaseUrl, GW_ENCRYPTION_KEY: hexKey };
  const cases = [
    [['--column', 'colour=x'], '--column must be <field>=<name>'],
    [['--format', 'pdf'], '--format must be openai-costs, anthropic-costs'],
    [['--by', 'week'], '--by must be day or month'],
    [['--tolerance-percent', 'x'], '--tolerance-percent must be 0 to 100'],
    [['--provider', 'unknown'], 'is not a provider of gw'],
  ] as const;
  const input = `date,model,amount\n${day},m,1\n`;
  for (const [flags, problem] of cases) {
    const { code, stderr } = await gw(['usage', 'reconcile', '--file', '-', ...flags], {
      env,
      input,
    });
    assert.equal(code, 2, stderr);
    assert.ok(stderr.includes(problem), stderr);
  }
});
