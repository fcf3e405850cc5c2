// Tests the price card of a model in a browser: it is created, edited and removed in a form, and a
// wrong value is shown at its field. Results are checked on the server.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { press } from './harness/actions.ts';
import { make, rowNamed } from './harness/records.ts';
import { emptyServer, open } from './harness/server.ts';
import type { Server } from './harness/server.ts';
import { toast } from './harness/toast.ts';
import { expectCleanScreen } from './harness/watch.ts';

const path = '/admin/provider-models';

const cardNow = async (server: Server): Promise<unknown> =>
  (await rowNamed(server, path, 'engine'))?.['price_card'];

it('a price card is created, edited and removed in the form of its model', async (t) => {
  const server = await emptyServer(t);
  const base = { input_price_per_mtok: 3_000_000, output_price_per_mtok: 15_000_000 };
  const { id } = await make(server, path, { name: 'engine', ...base });
  const { page, watched } = await open(t, server, `models/${String(id)}/edit`);
  const field = (name: string) => page.locator(`gw-field[name="price_card.${name}"]`);
  const fill = (name: string, value: string) => field(name).locator('input').fill(value);

  await fill('cache_read', 'cheap');
  await press(page, 'Review change');
  await field('cache_read').getByText('must be dollars such as 0.25').waitFor();
  await fill('cache_read', '0.30');
  await fill('per_request', '0.005');
  await press(page, 'Tool price');
  await page.getByLabel('Tool', { exact: true }).fill('web_search');
  await page.getByLabel('Each call').fill('0.01');
  await press(page, 'Service tier');
  await page.getByLabel('Service tier', { exact: true }).fill('flex');
  await page.getByLabel('Percent of the other prices').fill('50');
  await page.getByText('Substitute prices').click();
  await page.getByLabel('Cache writes, 1 hour').last().selectOption('input');
  await press(page, 'Review change');
  await page.getByRole('row', { name: /More prices .*Cache reads: \$0\.30 per/ }).waitFor();
  await press(page, 'Save changes');
  await toast(page, 'Model engine updated');
  const saved = {
    cache_read: 300_000,
    fallbacks: { cache_write_1h: 'input' },
    per_request: 5_000,
    service_tiers: { flex: { percent: 50 } },
    tool_calls: { web_search: 10_000 },
  };
  assert.deepEqual(await cardNow(server), saved);
  await page.getByText('Cache reads: $0.30 per million tokens', { exact: true }).waitFor();

  await page.getByRole('link', { name: 'Edit' }).click();
  await press(page, 'Remove Service tier 1');
  await fill('currency', 'UDS');
  await press(page, 'Review change');
  await press(page, 'Save changes');
  await field('currency').getByText('must be an ISO 4217 currency code').waitFor();
  assert.match(watched.errors.join(), /^Failed to load resource.*400 \(Bad Request\)$/);
  watched.end();
  await fill('currency', '');
  await press(page, 'Context tier');
  await page.getByLabel('Above prompt tokens').fill('200000');
  await page
    .getByRole('group', { name: 'Context tier 1' })
    .getByLabel('Input', { exact: true })
    .fill('6');
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await expectCleanScreen(page, { errors: [], elsewhere: [], end: () => undefined });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= width, `the page is ${wide} px wide`);
  }
  await press(page, 'Review change');
  await press(page, 'Save changes');
  await page.getByText('Above 200,000 prompt tokens: Input $6.00', { exact: true }).waitFor();
  const { service_tiers: _, ...kept } = saved;
  const context_tiers = [{ above_tokens: 200_000, input: 6_000_000 }];
  assert.deepEqual(await cardNow(server), { ...kept, context_tiers });

  await page.getByRole('link', { name: 'Edit' }).click();
  await press(page, 'Remove all prices of this section');
  await press(page, 'Review change');
  await press(page, 'Save changes');
  await page
    .getByText('Each call of web_search: $0.01', { exact: true })
    .waitFor({ state: 'hidden' });
  await page.getByRole('link', { name: 'Edit' }).waitFor();
  assert.equal(await cardNow(server), null);
  await page.setViewportSize({ width: 1440, height: 1300 });
  const versions = page.locator('gw-price-versions');
  await versions.getByText('Version 4').waitFor();
  await versions.getByText('Earlier versions (3)').click();
  await versions
    .getByText(/Input \$3.00, output \$15.00 .* Cache reads: \$0.30/)
    .first()
    .waitFor();
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await expectCleanScreen(page, { errors: [], elsewhere: [], end: () => undefined });
  }
  await versions.getByRole('link', { name: 'Event' }).first().click();
  await page.getByText('ModelPriced').first().waitFor();
});
