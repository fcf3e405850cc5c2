// Models in a browser: priced where they stand, priced by public lists, attached and detached, cleared and deleted. What counts is
// what the server has then.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { listedProvider } from '../harness/upstream/model-list.ts';
import { press, question, typePrice } from './harness/hands.ts';
import { emptyHouse, open } from './harness/house.ts';
import type { House } from './harness/house.ts';
import { make, rowNamed, rows } from './harness/records.ts';
import { toast } from './harness/toast.ts';
import { expectCleanScreen } from './harness/watch.ts';

const path = '/admin/provider-models';

const modelNamed = async (house: House, name: string) => (await rowNamed(house, path, name)) ?? {};

it('a price is changed where it stands, and cleared', async (t) => {
  const house = await emptyHouse(t);
  await house.send('POST', '/admin/provider-models', {
    name: 'engine-large',
    input_price_per_mtok: 1_000_000,
    output_price_per_mtok: 2_000_000,
  });
  const { page } = await open(t, house, 'models');
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
  assert.equal((await modelNamed(house, 'engine-large'))['input_price_per_mtok'], 250_000);

  await typePrice(page, { of: 'engine-large', to: '', which: 'output' });
  await press(page, 'Save price');
  await page.getByRole('link', { name: /^unpriced/ }).waitFor();
  await page.getByRole('button', { name: 'Save price' }).waitFor({ state: 'hidden' });
  const { input_price_per_mtok: input, output_price_per_mtok: cleared } = await modelNamed(
    house,
    'engine-large',
  );
  assert.deepEqual([input, cleared], [250_000, null]);
});

it('prices of public lists are shown first, and published after', async (t) => {
  const house = await emptyHouse(t);
  const upstream = await listedProvider(t, { models: ['engine-small'] });
  await house.send('POST', '/admin/providers', { name: 'Engine', api_base: upstream.apiBase });
  for (const name of ['engine-small', 'unheard-of']) {
    const { id } = await make(house, path, { name });
    await make(house, `${path}/${Number(id)}/backends`, { provider_id: 1 });
  }
  const { page } = await open(t, house, 'models');
  await page.getByRole('link', { name: 'Sync prices' }).click();
  await press(page, 'Preview prices');
  await page.getByRole('row', { name: /engine-small unpriced \$0.25 unpriced \$0.00/ }).waitFor();
  await page.getByText('1 model not in the price lists').waitFor();
  assert.equal((await modelNamed(house, 'engine-small'))['input_price_per_mtok'], null);
  await press(page, 'Apply to 1 model');
  await press(page, 'Apply prices');
  await toast(page, /Prices updated · version \d+/);
  const priced = await modelNamed(house, 'engine-small');
  assert.deepEqual([priced['input_price_per_mtok'], priced['output_price_per_mtok']], [250_000, 0]);
});

it('a model is added, attached, held back, detached and deleted by its name', async (t) => {
  const house = await emptyHouse(t);
  const upstream = await listedProvider(t, { models: ['small'] });
  await house.send('POST', '/admin/providers', { name: 'Engine', api_base: upstream.apiBase });
  const { page } = await open(t, house, 'models/new');
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
  const attached = await modelNamed(house, 'small');
  const [backend] = Array.isArray(attached['backends']) ? attached['backends'] : [];
  assert.deepEqual(
    [attached['context_length'], backend?.provider_name, backend?.admission_max_concurrent],
    [8_192, 'Engine', 16],
  );
  assert.deepEqual([backend?.admission_max_queued, backend?.upstream_timeout_seconds], [0, 45]);

  const frontend = { name: 'chat', default_targets: ['small'] };
  assert.equal((await house.send('POST', '/admin/frontend-models', frontend)).status, 200);
  await page.goto(`/ui/models/${String(attached['id'])}`);
  await press(page, 'Detach');
  await page.getByText('1 frontend model: chat').waitFor();
  await page.getByLabel('Type small to confirm').fill('small');
  await press(page, 'Detach model');
  await toast(page, 'Model small detached');
  assert.deepEqual((await modelNamed(house, 'small'))['backends'], []);

  await press(page, 'Delete');
  await page.getByText('1 frontend model: chat').waitFor();
  await page.getByLabel('Type small to confirm').fill('small');
  await press(page, 'Delete model');
  await toast(page, 'Model small deleted');
  assert.deepEqual(await rows(house, path), []);
});

it('a price far from the others is warned of in the review, and can be saved', async (t) => {
  const house = await emptyHouse(t);
  for (const [index, price] of [250_000, 300_000, 200_000, 250_000].entries()) {
    const body = { name: `m${index}`, input_price_per_mtok: price };
    await make(house, '/admin/provider-models', body);
  }
  const { page, watched } = await open(t, house, 'models');
  await typePrice(page, { of: 'm3', to: '250' });
  const warning = question(page).getByRole('alert');
  await warning.getByText(/\$250.00 per million tokens is 1,000 times the median/).waitFor();
  await expectCleanScreen(page, watched);
  await press(question(page), 'Save price');
  await toast(page, /Price of m3 updated/);
  assert.equal((await modelNamed(house, 'm3'))['input_price_per_mtok'], 250_000_000);
});
