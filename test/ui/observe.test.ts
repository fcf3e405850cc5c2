// Tests the observing screens in a browser: spend, changes, lagging replicas, and the deployment,
// which is also edited. Results are checked on the server.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { it } from 'node:test';

import { deploymentPath } from '../../src/kubernetes/gw-deployment.ts';
import { formatDuration } from '../../ui/lib/text/format.ts';
import { memberAt } from '../harness/cluster/cluster-store.ts';
import {
  namespace,
  resourceName as name,
  startManagedCluster,
} from '../harness/cluster/managed-deployment.ts';
import { focusRows } from '../harness/focus/rows.ts';
import { reportReplica } from './harness/fleet.ts';
import { press } from './harness/actions.ts';
import { reportUsage, reported } from '../harness/admin/usage.ts';
import { emptyServer, managedServer, open, sharedCompanyServer } from './harness/server.ts';
import { rows } from './harness/records.ts';
import { expectCleanScreen } from './harness/watch.ts';

it('usage leads from a day to a model to a request', async (t) => {
  const server = await sharedCompanyServer();
  const { page } = await open(t, server, 'usage?range=7d');
  await page.getByLabel('Group by').selectOption('day');
  await page.locator('tbody a').nth(1).click();
  await page.getByRole('link', { name: 'claude-nano', exact: true }).click();
  const query = new URL(page.url()).searchParams;
  const [since = '', until = ''] = (query.get('range') ?? '').split('/');
  assert.equal(Date.parse(until) - Date.parse(since), 86_400_000);
  const asked = `model=claude-nano&since=${since}&until=${until}`;
  const { headers } = await server.send('GET', `/admin/usage/events?${asked}&limit=1`);
  const count = Number(headers.get('x-total-count'));
  assert.ok(count > 0);
  const drawer = page.locator('gw-usage-requests');
  await drawer.getByText(`${count} request`).first().waitFor();
  const explore = drawer.getByRole('link', { name: 'Filter and compare these requests' });
  assert.match(
    (await explore.getAttribute('href')) ?? '',
    /\/ui\/requests\?model=claude-nano&range=/,
  );
  // All rows are loaded and can be sorted.
  const took = (await rows(server, `/admin/usage/events?${asked}&limit=1000`)).map((row) =>
    Number(row['duration_ms']),
  );
  await drawer.getByRole('button', { name: 'Took' }).click();
  await drawer.getByRole('button', { name: 'Took' }).click();
  const slowest = drawer.getByRole('row').nth(1);
  await slowest.getByText(formatDuration(Math.max(...took)), { exact: true }).waitFor();
  await slowest.getByRole('link').click();
  await page.locator('gw-usage-request').getByText('claude-nano, ').waitFor();
  assert.match(page.url(), /\/ui\/usage\/request\/01JSEED\d+/);
});

it('exports usage, and compares a bill with it', async (t) => {
  const server = await emptyServer(t);
  const price = { input_price_per_mtok: 3_000_000, output_price_per_mtok: 15_000_000 };
  await server.send('POST', '/admin/models', { name: 'small', ...price });
  assert.equal((await reportUsage(server, [reported(1)])).status, 200);
  const { page, watched } = await open(t, server, 'usage', { width: 360 });
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export FOCUS CSV' }).click(),
  ]);
  assert.match(download.suggestedFilename(), /^focus-.*\.csv$/);
  const exported = await readFile(await download.path(), 'utf8');
  const billed = focusRows(exported).map((row) => row['BilledCost']);
  assert.deepEqual(billed, ['0.003', '0.0075']);

  await page.getByRole('link', { name: 'Bills' }).click();
  await page.getByText('No bills compared yet').waitFor();
  await expectCleanScreen(page, watched);
  const day = new Date(Date.now() - 60_000).toISOString().slice(0, 10);
  const compare = async (name: string, text: string): Promise<void> => {
    const file = { name, mimeType: 'text/csv', buffer: Buffer.from(text) };
    await page.getByLabel('Bill (CSV or JSON)').setInputFiles(file);
    await press(page, 'Compare bill');
  };
  await compare('costs.csv', `date,model,amount\n${day},small,0.021`);
  await page.getByText('differs', { exact: true }).waitFor();
  await page.getByText('$0.021', { exact: true }).first().waitFor();
  await expectCleanScreen(page, watched);
  await page.getByRole('link', { name: 'All bills' }).click();
  await page.getByRole('row', { name: /costs\.csv/ }).waitFor();
  await compare('bad.csv', `date,model,amount\n${day},small,much`);
  await page.getByText('line 2: amount must be a decimal number').waitFor();
  assert.equal((await rows(server, '/admin/usage/reconciliations')).length, 1);
});

it('shows cached shares, corrected costs, costs by count, and what other prices would cost', async (t) => {
  const server = await emptyServer(t);
  const prices = {
    input_price_per_mtok: 3_000_000,
    output_price_per_mtok: 15_000_000,
    price_card: { cache_read: 300_000 },
  };
  await server.send('POST', '/admin/models', { name: 'small', ...prices });
  const made = await server.send('POST', '/admin/models', {
    name: 'silent',
    input_price_per_mtok: 1,
  });
  const snapshot_version = Number(made.headers.get('x-gw-snapshot-version'));
  const images = { price_card: { per_output_image: 40_000 } };
  await server.send('POST', '/admin/models', { name: 'painter', ...images });
  const painted = {
    model_id: 3,
    model: 'painter',
    prompt_tokens: 0,
    completion_tokens: 0,
    units: { output_images: 2 },
  };
  const counted = {
    snapshot_version,
    prompt_tokens: 100_000,
    cache_read_tokens: 99_000,
    completion_tokens: 100,
  };
  const events = [reported(1, counted), reported(2, { model_id: 2, model: 'silent' })];
  events.push(reported(3, painted));
  assert.equal((await reportUsage(server, events)).status, 200);
  const { page, watched } = await open(t, server, 'usage');
  const group = (name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) });
  await group('small').getByText('99.0\u00a0%').waitFor();
  await group('silent').getByText('not reported').waitFor();
  await expectCleanScreen(page, watched);

  await page.goto('/ui/models/1');
  await page.getByRole('link', { name: 'what other prices would cost' }).click();
  await press(page, 'Compare');
  await page.getByText('$0.3015 instead of $0.0342 (+$0.2673)').waitFor();
  await page.getByText('$0.2673', { exact: true }).waitFor();
  await page.getByLabel('Prices').selectOption('Prices of silent');
  await press(page, 'Compare');
  await page.getByText('0 of 1 compared, 1 not covered by these prices').waitFor();
  await expectCleanScreen(page, watched);

  const since = new Date(Date.now() - 3_600_000).toISOString();
  await server.send('PATCH', '/admin/models/1', { output_price_per_mtok: 25_000_000 });
  const until = new Date().toISOString();
  await server.send('POST', '/admin/usage/reprice', { since, until });
  await page.goto(`/ui/usage/request/${reported(1).id}`);
  const costs = page.locator('gw-usage-request');
  const line = (text: string) => costs.getByRole('listitem').filter({ hasText: text });
  await line('Cache reads').getByText('$0.0297', { exact: true }).waitFor();
  await line('Completion at the base price').getByText('$0.0015, corrected $0.0025').waitFor();
  await costs.getByText('Not reported: Cache writes, 5 minutes').waitFor();
  await expectCleanScreen(page, watched);
  await page.goto(`/ui/usage/request/${reported(3).id}`);
  await line('Generated images').getByText('$0.08', { exact: true }).waitFor();
  await page.goto('/ui/usage');
  await page.getByRole('button', { name: 'Corrected spend', exact: true }).waitFor();
});

it('loads usage groups beyond the first thousand on demand, with failed attempts', async (t) => {
  const server = await emptyServer(t);
  await server.send('POST', '/admin/models', { name: 'small' });
  const events = Array.from({ length: 1_100 }, (_, number) =>
    reported(number, { principal_id: 2, tag: `job-${number}`, attempts: 3 }),
  );
  for (const part of [events.slice(0, 550), events.slice(550)]) {
    assert.equal((await reportUsage(server, part)).status, 200);
  }
  const { page, watched } = await open(t, server, 'usage?group=tag');
  await page.getByText('1,000 groups', { exact: true }).waitFor();
  await page.getByText('The totals above include the other 100 groups.').waitFor();
  await page.getByText('2,200 failed attempts').waitFor();
  await press(page, 'Show more');
  await page.getByText('1,100 groups', { exact: true }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Show more' }).count(), 0);
  await expectCleanScreen(page, watched);
  const group = page.getByRole('row', { name: /^job-\d+ / }).first();
  await group.getByRole('link').click();
  await page.locator('gw-usage-requests').getByRole('link').last().click();
  await page.getByText('3, 2 failed').waitFor();
});

it('a chart can hide a line and use a logarithmic axis, and shows when it has no data', async (t) => {
  const { page, watched } = await open(t, await sharedCompanyServer(), 'metrics?range=24h');
  const latency = page.getByRole('figure', { name: 'Latency of successful requests' });
  const median = latency.getByRole('button', { name: /^p50/ });
  await median.click();
  assert.equal(await median.getAttribute('aria-pressed'), 'false');
  const log = latency.getByRole('button', { name: 'Log axis' });
  await log.click();
  assert.equal(await log.getAttribute('aria-pressed'), 'true');
  await expectCleanScreen(page, watched);
  await page.goto('/ui/metrics?range=2020-01-01T00:00:00.000Z/2020-01-02T00:00:00.000Z');
  await page.getByText('No requests in this range').first().waitFor();
});

it('the audit log is filtered by the server, and exported in chronological order', async (t) => {
  const server = await emptyServer(t);
  for (const one of ['first', 'second']) {
    await server.send('POST', '/admin/roles', { name: one });
  }
  const { page } = await open(t, server, 'audit');
  await page.getByLabel('Target').fill('/ADMIN/ROLES');
  await page.getByLabel('Target').press('Enter');
  await page.getByText('2 audit rows shown').waitFor();
  const download = page.waitForEvent('download');
  await press(page, 'Export');
  await page.getByRole('menuitem', { name: 'NDJSON of all audit rows' }).click();
  const text = await readFile(await (await download).path(), 'utf8');
  const rows: unknown[] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const { body } = await server.send('GET', '/admin/audit?target=/admin/roles');
  assert.ok(Array.isArray(body));
  assert.deepEqual(rows, body.toReversed());
});

it('shows a replica with an old version, and the backends that it sees as down', async (t) => {
  const server = await emptyServer(t);
  const made = await server.send('POST', '/admin/roles', { name: 'one' });
  const version = Number(made.headers.get('x-gw-snapshot-version'));
  await reportReplica(server, { replica: 'gateway-1', version });
  await reportReplica(server, { replica: 'gateway-2', version: version - 1, down: 1 });
  const { page, watched } = await open(t, server, 'fleet');
  await page.getByRole('row', { name: /gateway-1 current/ }).waitFor();
  await page.getByRole('row', { name: /gateway-2 (behind|stuck).* 1 of 12/ }).waitFor();
  await page.getByRole('link', { name: 'Backends by replica' }).click();
  await page.getByRole('row', { name: /gpt-nano .* down on 1 of 2 replicas/ }).waitFor();
  await expectCleanScreen(page, watched);
});

it('sends only changed fields of the deployment, and rolls it out after its name is typed', async (t) => {
  const cluster = await startManagedCluster(t);
  const server = await managedServer(t, { place: cluster.place, namespace, name });
  const { page, watched } = await open(t, server, 'deployment');
  await page.getByRole('link', { name: 'Deployment' }).waitFor();
  await page.getByRole('link', { name: 'Edit' }).click();
  const replicas = page.locator('gw-field[name=replicas] input');
  await replicas.fill('0');
  await page.getByRole('button', { name: 'Review change' }).click();
  await page.getByRole('button', { name: 'Roll out' }).click();
  await page
    .locator('gw-field[name=replicas]')
    .getByText(/replicas/)
    .waitFor();
  await replicas.fill('5');
  await page.getByRole('button', { name: 'Review change' }).click();
  await page.getByRole('row', { name: /Replicas changed\s+2\s+5/ }).waitFor();
  await page.getByRole('button', { name: 'Roll out' }).click();
  await page.getByRole('row', { name: /^Replicas 5 / }).waitFor();
  const spec = cluster.store.objects.get(deploymentPath(namespace, name))?.['spec'];
  assert.equal(memberAt(spec, 'proxy', 'replicas'), 5);
  assert.equal(memberAt(spec, 'image'), 'registry.example/gw:1.0.0');
  const refused = watched.errors.filter((text) => !text.includes('400'));
  assert.deepEqual(refused, []);
});

it('the overview links its numbers to their screens, and can be paused', async (t) => {
  const { page } = await open(t, await sharedCompanyServer(), '?range=7d');
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText(/^paused, updated/).waitFor();
  assert.match(page.url(), /paused=1/);
  await page.getByRole('button', { name: 'Latency of successful requests: View as table' }).click();
  const values = page.getByRole('region', { name: 'Latency of successful requests, values' });
  await values.getByRole('columnheader', { name: 'p99' }).waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText(/^updated/).waitFor();
  await page.getByRole('link', { name: /^Errors/ }).click();
  await page.getByRole('columnheader', { name: 'Failed' }).waitFor();
  assert.match(page.url(), /metrics\?range=7d&sort=-failed/);
  await page.getByRole('link', { name: 'vllm-eu-2' }).click();
  await page.waitForURL(/provider=vllm-eu-2/);
  await page.getByRole('button', { name: 'Clear provider' }).waitFor();
});
