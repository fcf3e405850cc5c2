// Tests the marks of changes on charts in a browser: what they name, where they lead, and that
// close ones are grouped.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { reportUsage, reported } from '../harness/admin/usage.ts';
import { emptyServer, open } from './harness/server.ts';
import type { PageOptions, Server } from './harness/server.ts';
import { expectCleanScreen } from './harness/watch.ts';

async function serverWithTraffic(...[test]: Parameters<typeof emptyServer>): Promise<Server> {
  const server = await emptyServer(test);
  await server.send('POST', '/admin/models', { name: 'small' });
  const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
  await reportUsage(server, [reported(1, { at: hourAgo }), reported(2)]);
  return server;
}

const looks: readonly PageOptions[] = [
  { theme: 'light', width: 1440 },
  { theme: 'dark', width: 360 },
];

for (const look of looks) {
  it(`a mark names the change and leads to it, ${look.theme}, ${look.width} px`, async (t) => {
    const server = await serverWithTraffic(t);
    for (const screen of ['', 'metrics', 'usage']) {
      const { page, watched } = await open(t, server, `${screen}?range=6h`, look);
      const mark = page.getByRole('link', { name: /Created model small, boss/ }).first();
      await mark.waitFor();
      await expectCleanScreen(page, watched);
      await mark.focus();
      await page
        .locator('gw-chart-markers .tip:visible')
        .getByText('boss', { exact: true })
        .waitFor();
      await mark.click();
      await page.waitForURL(/\/ui\/history\/\d+$/);
    }
  });
}

it('changes that are close together are one mark, which leads to all of them', async (t) => {
  const server = await serverWithTraffic(t);
  await server.send('PATCH', '/admin/models/1', { input_price_per_mtok: 1 });
  // A key does not change where requests go.
  await server.send('POST', '/admin/keys', { name: 'nightly', principal_id: 1 });
  const { page } = await open(t, server, 'metrics?range=6h');
  const mark = page.getByRole('link', {
    name: /^2 changes\. .*Created model small.*Updated model/,
  });
  await mark.first().click();
  await page.waitForURL(/\/ui\/history\?range=/);
  await page.getByRole('row', { name: /Updated model/ }).waitFor();
  assert.equal(await page.getByRole('row', { name: /Created model small/ }).count(), 1);
});
