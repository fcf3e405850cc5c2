// Tests features of all lists in a browser: filters by column, widths of columns, and cards on a
// phone.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { Page } from 'playwright-core';

import { open, sharedCompanyServer } from './harness/server.ts';
import { expectCleanScreen } from './harness/watch.ts';

const widthOf = async (page: Page, column: string): Promise<number> =>
  (await page.getByRole('columnheader', { name: column }).boundingBox())?.width ?? 0;

it('a list is filtered by column, and the address stores the filter', async (t) => {
  const { page, watched } = await open(t, await sharedCompanyServer(), 'models');
  await page.getByRole('button', { name: 'Filter by column' }).click();
  const filters = page.getByRole('group', { name: 'Column filters' });
  await filters.getByLabel('Provider').selectOption('OpenAI');
  await page.getByText('5 of 60 models').waitFor();
  await filters.getByLabel('Name').fill('nano');
  await page.getByText('1 of 60 models').waitFor();
  await expectCleanScreen(page, watched);
  await page.reload();
  await page.getByText('1 of 60 models').waitFor();
  await page.getByRole('button', { name: 'Filter by column (2 active)' }).waitFor();
  await filters.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByText('60 models', { exact: true }).waitFor();
});

it('a column is resized with keys and by dragging, and keeps its width until it is reset', async (t) => {
  const { page } = await open(t, await sharedCompanyServer(), 'models');
  const edge = page
    .getByRole('columnheader', { name: 'Name' })
    .getByRole('separator', { name: 'Column width' });
  await edge.waitFor();
  const before = await widthOf(page, 'Name');
  await edge.press('ArrowLeft');
  assert.equal(Math.round(await widthOf(page, 'Name')), Math.round(before - 16));
  const box = await edge.boundingBox();
  assert.ok(box !== null);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 100, y);
  await page.mouse.up();
  assert.equal(Math.round(await widthOf(page, 'Name')), Math.round(before + 84));
  await page.reload();
  await edge.waitFor();
  assert.equal(Math.round(await widthOf(page, 'Name')), Math.round(before + 84));
  await edge.press('Enter');
  assert.equal(Math.round(await widthOf(page, 'Name')), Math.round(before));
});

it('a phone shows each record as a card with labelled values, sorted by a choice', async (t) => {
  const { page, watched } = await open(t, await sharedCompanyServer(), 'providers', { width: 360 });
  const first = page.locator('gw-table tbody tr').first();
  await first.getByText('Anthropic', { exact: true }).waitFor();
  const sideways = await page
    .getByRole('region', { name: 'Providers' })
    .evaluate((list) => list.scrollWidth - list.clientWidth);
  assert.equal(sideways, 0);
  assert.equal(await first.locator('td').first().getAttribute('data-label'), 'State');
  await page.getByLabel('Sort by').selectOption({ label: 'Name ↓' });
  await first.getByText('vllm-us-2', { exact: true }).waitFor();
  await expectCleanScreen(page, watched);
});
