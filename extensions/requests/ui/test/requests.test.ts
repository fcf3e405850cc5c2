// Tests the Requests screen in a browser: filters, histograms, comparison and live view, checked against the server.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { Page } from 'playwright-core';

import { reported, reportUsage } from '../../../../test/harness/admin/usage.ts';
import { press } from '../../../../test/ui/harness/actions.ts';
import { emptyServer, open, sharedCompanyServer } from '../../../../test/ui/harness/server.ts';
import type { Server } from '../../../../test/ui/harness/server.ts';
import { expectCleanScreen } from '../../../../test/ui/harness/watch.ts';

const looks = [
  { theme: 'light', width: 1440 },
  { theme: 'dark', width: 360 },
] as const;

const add = async (page: Page, filter: string): Promise<void> => {
  const adder = page.getByRole('combobox', { name: 'Add filter' }).first();
  await adder.click();
  await adder.fill(filter);
  await adder.press('Enter');
};

/** The number of requests that the server counts for the filters of the address. */
async function counted(server: Server, page: Page): Promise<number> {
  const {
    range: _range,
    cols: _cols,
    ...filter
  } = Object.fromEntries(new URL(page.url()).searchParams);
  const since = new Date(Date.now() - 14 * 86_400_000).toISOString();
  const query = new URLSearchParams({ ...filter, since, limit: '1' });
  const { status, headers } = await server.send('GET', `/admin/usage/events?${query.toString()}`);
  assert.equal(status, 200);
  return Number(headers.get('x-total-count'));
}

const tileOf = (page: Page, label: string) => page.locator(`gw-kpi[label="${label}"]`);

for (const look of looks) {
  it(`filters by chips and bars, and keeps the view in the address (${look.theme}, ${look.width} px)`, async (t) => {
    const server = await sharedCompanyServer();
    const { page, watched } = await open(t, server, 'requests?range=14d', look);
    await tileOf(page, 'Requests').waitFor();
    await expectCleanScreen(page, watched);

    await add(page, 'Outcome');
    await page.getByRole('combobox', { name: 'Outcome' }).click();
    await page.getByRole('option', { name: 'failed' }).click();
    await page.getByRole('button', { name: 'Edit filter Outcome: failed' }).waitFor();
    await page.waitForURL(/outcome=failed/);
    await page
      .getByText(`older, of ${await counted(server, page)} requests`)
      .or(page.getByText('End of list'))
      .waitFor();

    await add(page, 'Latency');
    await page.getByLabel('Latency from, ms').fill('150');
    await page.getByLabel('Latency below, ms').fill('1000');
    await press(page, 'Apply');
    await page.getByRole('button', { name: 'Edit filter Latency: 150 ms to 1 s' }).waitFor();
    await expectCleanScreen(page, watched);
    await page.getByRole('button', { name: 'Remove filter Outcome' }).click();
    await page.waitForURL((url) => !url.searchParams.has('outcome'));
    await page.locator('.shown:not(.old)').waitFor();

    const bar = page
      .getByRole('list', { name: 'Latency, choose a bar to filter' })
      .getByRole('link', { name: /^200 ms to 500 ms: / });
    const label = (await bar.getAttribute('aria-label')) ?? '';
    const [, inBar = ''] = /: ([\d,]+) request/.exec(label) ?? [];
    await bar.click();
    await page.getByRole('button', { name: 'Edit filter Latency: 200 ms to 500 ms' }).waitFor();
    assert.equal(await counted(server, page), Number(inBar.replaceAll(',', '')));

    const shared = await open(t, server, `requests${new URL(page.url()).search}`, look);
    await shared.page
      .getByRole('button', { name: 'Edit filter Latency: 200 ms to 500 ms' })
      .waitFor();
    await page.locator('gw-screen-requests').getByRole('row').nth(1).getByRole('link').click();
    await page.locator('gw-usage-request').getByText('Requested model').waitFor();
    assert.match(page.url(), /\/ui\/requests\/01JSEED\d+\?.*duration_ms_from=200/);
  });

  it(`compares two groups (${look.theme}, ${look.width} px)`, async (t) => {
    const server = await sharedCompanyServer();
    const address = 'requests?range=7d&model=gpt-nano';
    const { page, watched } = await open(t, server, address, look);
    await press(page, 'Compare');
    await page.getByRole('table', { name: 'Comparison' }).waitFor();
    await page.getByRole('combobox', { name: 'Compared with' }).selectOption('Same time');
    const other = page.getByRole('list', { name: 'Filters of the compared requests' });
    await other.getByRole('button', { name: 'Edit filter Model: gpt-nano' }).click();
    await other.getByRole('combobox', { name: 'Model', exact: true }).fill('claude-nano');
    await other.getByRole('option', { name: 'claude-nano' }).click();
    await page.waitForURL(/vs=model%3Dclaude-nano/);
    const since = new Date(Date.now() - 7 * 86_400_000).toISOString();
    const totals = await Promise.all(
      ['gpt-nano', 'claude-nano'].map(async (model) => {
        const { body } = await server.send(
          'GET',
          `/admin/usage/summary?model=${model}&since=${since}`,
        );
        return Number(Reflect.get(Object(body), 'requests'));
      }),
    );
    await page.getByRole('row', { name: new RegExp(`^Requests ${totals.join(' ')} `) }).waitFor();
    await page
      .getByRole('link', { name: /; compared \d/ })
      .first()
      .waitFor();
    await expectCleanScreen(page, watched);
    await press(page, 'Compare');
    await tileOf(page, 'Latency, median').waitFor();
  });
}

it('shows requests as they are recorded, and holds them during a pause', async (t) => {
  const server = await emptyServer(t);
  await server.send('POST', '/admin/models', { name: 'small' });
  const record = async (number: number, change = {}): Promise<void> => {
    const event = reported(number, { at: new Date().toISOString(), ...change });
    assert.equal((await reportUsage(server, [event])).status, 200);
  };
  const { page, watched } = await open(t, server, 'requests?live=1&virtual_model=chat');
  await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
  await record(1, { virtual_model: 'code' });
  await record(2, { tag: 'first' });
  const list = page.getByRole('table', { name: 'Requests' });
  await list.getByText('chat').waitFor();
  assert.equal(await list.getByText('code').count(), 0);
  await expectCleanScreen(page, watched, { isStreaming: true });

  await press(page, 'Hold new requests');
  await record(3);
  await page.getByText('Held: 1 new').waitFor();
  assert.equal(await list.getByRole('row').count(), 2);
  await press(page, 'Show new requests');
  await list.getByRole('row').nth(2).waitFor();
  await expectCleanScreen(page, watched, { isStreaming: true });
});

it('saves a view under a name, opens it again, and deletes it', async (t) => {
  const server = await sharedCompanyServer();
  const { page, watched } = await open(t, server, 'requests?range=7d&status=5xx');
  await press(page, 'Views');
  await page.getByRole('menuitem', { name: 'Save this view' }).click();
  await page.getByLabel('Name of the view').fill('server errors');
  await expectCleanScreen(page, watched);
  await press(page, 'Save view');
  await page.goto('/ui/requests');
  await press(page, 'Views');
  await page.getByRole('menuitemcheckbox', { name: 'server errors' }).click();
  await page.getByRole('button', { name: 'Edit filter Status: 5xx' }).waitFor();
  assert.match(page.url(), /range=7d&status=5xx/);
  await press(page, 'Views');
  await page.getByRole('menuitem', { name: 'Delete view server errors' }).click();
  await press(page, 'Views');
  await page.getByRole('menuitem', { name: 'Save this view' }).waitFor();
  assert.equal(await page.getByRole('menuitemcheckbox').count(), 0);
});
