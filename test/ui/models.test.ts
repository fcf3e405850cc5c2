// Tests models in a browser: prices edited in the table or synced from public lists, models
// attached, detached, cleared and deleted. Results are checked on the server.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { listedProvider } from '../harness/upstream/model-list.ts';
import { press, saveDialog, typePrice } from './harness/actions.ts';
import { emptyServer, open } from './harness/server.ts';
import type { Server } from './harness/server.ts';
import { make, rowNamed, rows } from './harness/records.ts';
import { toast } from './harness/toast.ts';
import { expectCleanScreen } from './harness/watch.ts';

const path = '/admin/provider-models';

const modelNamed = async (server: Server, name: string) =>
  (await rowNamed(server, path, name)) ?? {};

it('a price is edited in the table, and cleared', async (t) => {
  const server = await emptyServer(t);
  await server.send('POST', '/admin/provider-models', {
    name: 'engine-large',
    input_price_per_mtok: 1_000_000,
    output_price_per_mtok: 2_000_000,
  });
  const { page } = await open(t, server, 'models');
  await page.getByRole('button', { name: 'Edit input price of engine-large' }).click();
  const field = page.getByLabel('input price of engine-large, in dollars per million tokens');
  await field.fill('much');
  await field.press('Enter');
  assert.equal(await field.getAttribute('aria-invalid'), 'true');
  await field.fill('0.25');
  await field.press('Enter');
  await page.getByRole('row', { name: /Input price changed\s+\$1.00 .*\s+\$0.25/ }).waitFor();
  await page.getByLabel('Reason').fill('A new contract');
  await press(page, 'Save price');
  await toast(page, /Price of engine-large updated · version \d+/);
  assert.equal((await modelNamed(server, 'engine-large'))['input_price_per_mtok'], 250_000);

  await typePrice(page, { of: 'engine-large', to: '', which: 'output' });
  await press(page, 'Save price');
  await page.getByRole('link', { name: /^unpriced/ }).waitFor();
  await page.getByRole('button', { name: 'Save price' }).waitFor({ state: 'hidden' });
  const { input_price_per_mtok: input, output_price_per_mtok: cleared } = await modelNamed(
    server,
    'engine-large',
  );
  assert.deepEqual([input, cleared], [250_000, null]);
});

it('prices of public lists are previewed before they are published', async (t) => {
  const server = await emptyServer(t);
  const upstream = await listedProvider(t, { models: ['engine-small', 'azure/gpt-9'] });
  await server.send('POST', '/admin/providers', { name: 'Engine', api_base: upstream.apiBase });
  for (const name of ['engine-small', 'azure/gpt-9', 'unheard-of']) {
    const { id } = await make(server, path, { name });
    await make(server, `${path}/${Number(id)}/backends`, { provider_id: 1 });
  }
  const { page } = await open(t, server, 'models');
  await page.getByRole('link', { name: 'Sync prices' }).click();
  await press(page, 'Preview prices');
  await page.getByRole('row', { name: /engine-small unpriced \$0.25 unpriced \$0.00/ }).waitFor();
  await page.getByRole('row', { name: /azure\/gpt-9 unpriced \$3.30 .* 3 changes/ }).waitFor();
  await page.getByText('1 model not in the price lists').waitFor();
  await page.getByText('2 kinds of prices in the catalog not used').click();
  await page.getByText('gw does not know this price (1 model)').waitFor();
  assert.equal((await modelNamed(server, 'engine-small'))['input_price_per_mtok'], null);
  await press(page, 'Apply to 2 models');
  await page.getByRole('row', { name: /Cache reads added .*\$0.33 per million tokens/ }).waitFor();
  await press(page, 'Apply prices');
  await toast(page, /Prices updated · version \d+/);
  const priced = await modelNamed(server, 'engine-small');
  assert.deepEqual([priced['input_price_per_mtok'], priced['output_price_per_mtok']], [250_000, 0]);
});

it('a model is created, attached, given flow control, detached and deleted by its name', async (t) => {
  const server = await emptyServer(t);
  const upstream = await listedProvider(t, { models: ['small'] });
  await server.send('POST', '/admin/providers', { name: 'Engine', api_base: upstream.apiBase });
  const { page } = await open(t, server, 'models/new');
  await page.getByLabel('Name').fill('small');
  await page.getByLabel('Context length').fill('none');
  await press(page, 'Review');
  await page.locator('gw-field[name=context_length]').getByText('whole number').waitFor();
  await page.getByLabel('Context length').fill('8192');
  await press(page, 'Review');
  await press(page, 'Create model');

  await page.getByLabel('Provider').selectOption({ label: 'Engine' });
  await press(page, 'Review change');
  await press(page, 'Attach');
  await page.getByRole('link', { name: 'Flow control' }).click();
  await page.getByLabel('Concurrent requests').fill('16');
  await page.getByLabel('Max queue length').fill('0');
  await page.getByLabel('Timeout').fill('45');
  await press(page, 'Review change');
  await press(page, 'Save changes');
  await toast(page, 'Flow control of small updated');
  const attached = await modelNamed(server, 'small');
  const [backend] = Array.isArray(attached['backends']) ? attached['backends'] : [];
  assert.deepEqual(
    [attached['context_length'], backend?.provider_name, backend?.admission_max_concurrent],
    [8_192, 'Engine', 16],
  );
  assert.deepEqual([backend?.admission_max_queued, backend?.upstream_timeout_seconds], [0, 45]);

  const frontend = { name: 'chat', default_targets: ['small'] };
  assert.equal((await server.send('POST', '/admin/frontend-models', frontend)).status, 200);
  await page.goto(`/ui/models/${String(attached['id'])}`);
  await press(page, 'Detach');
  await page.getByText('1 frontend model: chat').waitFor();
  await page.getByLabel('Type small to confirm').fill('small');
  await press(page, 'Detach model');
  await toast(page, 'Model small detached');
  assert.deepEqual((await modelNamed(server, 'small'))['backends'], []);

  await press(page, 'Delete');
  await page.getByText('1 frontend model: chat').waitFor();
  await page.getByLabel('Type small to confirm').fill('small');
  await press(page, 'Delete model');
  await toast(page, 'Model small deleted');
  assert.deepEqual(await rows(server, path), []);
});

it('warns of an unusual price in the review, and can save it', async (t) => {
  const server = await emptyServer(t);
  for (const [index, price] of [250_000, 300_000, 200_000, 250_000].entries()) {
    const body = { name: `m${index}`, input_price_per_mtok: price };
    await make(server, '/admin/provider-models', body);
  }
  const { page, watched } = await open(t, server, 'models');
  await typePrice(page, { of: 'm3', to: '250' });
  const warning = saveDialog(page).getByRole('alert');
  await warning.getByText(/\$250.00 per million tokens is 1,000 times the median/).waitFor();
  await expectCleanScreen(page, watched);
  await press(saveDialog(page), 'Save price');
  await toast(page, /Price of m3 updated/);
  assert.equal((await modelNamed(server, 'm3'))['input_price_per_mtok'], 250_000_000);
});
