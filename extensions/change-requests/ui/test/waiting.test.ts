// Tests the inbox in a browser: the number of change requests that wait for a person, their list,
// and the notification about a new one.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { Page } from 'playwright-core';

import { pricedModel } from '../../../../test/ui/harness/priced-model.ts';
import { emptyServer, open } from '../../../../test/ui/harness/server.ts';
import type { Server } from '../../../../test/ui/harness/server.ts';
import { toast } from '../../../../test/ui/harness/toast.ts';
import { expectCleanScreen } from '../../../../test/ui/harness/watch.ts';

async function draft({ send }: Server, title: string): Promise<void> {
  const calls = [
    { method: 'PATCH', path: '/admin/models/1', body: { input_price_per_mtok: 3_000_000 } },
  ];
  const { status } = await send('POST', '/admin/change-requests', { title, calls, reason: 'why' });
  assert.equal(status, 200);
}

const bell = (page: Page, count: number) =>
  page.getByRole('button', { name: `Notifications, ${count} waiting for you` });

for (const look of [
  { theme: 'light', width: 1440 },
  { theme: 'dark', width: 360 },
] as const) {
  it(`the bell counts what waits for a person, ${look.theme}, ${look.width} px`, async (t) => {
    const server = await emptyServer(t);
    await pricedModel(server);
    await draft(server, 'The autumn prices');
    const second = { url: server.url, cookie: await server.login('second', ['admin']) };
    const { page, watched } = await open(t, second, 'overview', look);
    await bell(page, 1).click();
    await page.getByText('Waiting for your approval, from boss').waitFor();
    await expectCleanScreen(page, watched);
    await page.getByRole('link', { name: 'The autumn prices' }).click();
    await page.waitForURL(/\/ui\/history\/requests\/1$/);
    await page.getByRole('button', { name: 'Approve…' }).waitFor();
  });
}

it('the author is told when a request is approved, and not that it waits for others', async (t) => {
  const server = await emptyServer(t);
  await pricedModel(server);
  await draft(server, 'The autumn prices');
  const cookie = await server.login('second', ['admin']);
  const { page } = await open(t, server, 'roles');
  await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor();
  const { body } = await server.ask({ path: '/admin/change-requests/1', cookie });
  const seen = {
    digest: Reflect.get(Object(body), 'digest'),
    outcome: Reflect.get(Object(body), 'outcome'),
  };
  await server.ask({
    method: 'POST',
    path: '/admin/change-requests/1/approve',
    cookie,
    body: seen,
  });
  // The page loads again when the author comes back to it.
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await bell(page, 1).waitFor();
  await toast(page, /The autumn prices/);
  await page.getByText('Approved, ready to apply').waitFor();
});
