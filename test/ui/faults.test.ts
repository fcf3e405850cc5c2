// Tests what a page shows when a part of it cannot be loaded, and that it recovers.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { open, sharedEmptyServer } from './harness/server.ts';

it('a screen whose code fails to load shows an error, and loads on retry', async (t) => {
  const { page } = await open(t, await sharedEmptyServer(), 'roles');
  const code = /assets\/keys-[^/]*\.js/;
  await page.route(code, (route) => route.abort());
  await page.getByRole('link', { name: 'API keys' }).click();
  const said = page.getByRole('alert').filter({ hasText: 'could not be loaded' });
  await said.waitFor();
  assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'API keys');
  assert.equal(await page.locator('gw-skeleton').count(), 0);
  await page.unroute(code);
  await said.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('link', { name: 'Create API key' }).first().waitFor();
});

it('a failed first load shows the reason and the request id, without a skeleton', async (t) => {
  const { page } = await open(t, await sharedEmptyServer(), 'roles');
  const asked = /admin\/(fleet|config)(\?|$)/;
  await page.route(asked, (route) =>
    route.fulfill({
      status: 503,
      json: { error: { message: 'the database is away', code: 'unavailable', request_id: 'r-17' } },
    }),
  );
  await page.getByRole('link', { name: 'Fleet' }).click();
  const said = page.getByRole('alert').filter({ hasText: 'the database is away' });
  await said.waitFor();
  assert.match((await said.textContent()) ?? '', /r-17/);
  assert.equal(await page.locator('gw-skeleton').count(), 0);
  await page.unroute(asked);
  await said.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('No replica is reporting to this process').waitFor();
});
