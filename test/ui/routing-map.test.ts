// Tests the routing map in a browser: what it shows of the seeded company, as a picture and as a
// list, by keyboard, at a past version, and compared with one.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { Page } from 'playwright-core';

import { reportUsage, reported } from '../harness/admin/usage.ts';
import { press } from './harness/actions.ts';
import { reportReplica } from './harness/fleet.ts';
import { make, read } from './harness/records.ts';
import { routedServer } from './harness/routed-server.ts';
import { open, sharedCompanyServer } from './harness/server.ts';
import type { PageOptions } from './harness/server.ts';
import { expectCleanScreen } from './harness/watch.ts';

const node = (page: Page, name: string) =>
  page.locator('gw-route-picture').getByRole('link', { name: new RegExp(`^${name}`, 'i') });

const looks: readonly PageOptions[] = [
  { theme: 'light', width: 1440 },
  { theme: 'dark', width: 1440 },
  { theme: 'light', width: 360 },
  { theme: 'dark', width: 360 },
];

for (const look of looks) {
  it(`shows the whole company, ${look.theme}, ${look.width} px`, async (t) => {
    const server = await sharedCompanyServer();
    const { version } = server.plane.store.state();
    await reportReplica(server, { replica: 'gateway-1', version, down: 2 });
    for (const view of ['picture', 'list']) {
      const path = `routing?range=14d&view=${view}&show=rules,models`;
      const { page, watched } = await open(t, server, path, look);
      await page.getByText('Line width: requests').waitFor();
      await expectCleanScreen(page, watched);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= (look.width ?? 0), `${width}`);
    }
  });
}

it('leads from a frontend model to its rule, with the requests and the health of the way', async (t) => {
  const server = await routedServer(t);
  const [provider] = [await read(server, '/admin/providers/1')];
  await server.ask({
    method: 'POST',
    path: '/health-report',
    token: (await import('../harness/admin/admin.ts')).proxyToken,
    body: {
      replica: 'gateway-1',
      snapshot_version: 1,
      uptime_seconds: 1,
      backends: [
        {
          api_base: provider?.['api_base'],
          model: 'small',
          healthy: false,
          inflight: 0,
          requests_total: 1,
          errors_total: 1,
        },
      ],
      process: {
        requests_ok: 0,
        requests_failed: 1,
        usage_dropped: 0,
        cache_hits: 0,
        cache_misses: 0,
        cache_entries: 0,
        cache_bytes: 0,
        rejected_unauthenticated: 0,
        rejected_model_not_found: 0,
      },
    },
  });
  const way = { frontend_model_id: 1, rule_id: 1, model_id: 1, provider_id: 1 };
  await reportUsage(server, [
    reported(1, way),
    reported(2, { ...way, status: 502 }),
    reported(3, { ...way, rule_id: 2, model_id: 2, model: 'large' }),
  ]);
  const { page } = await open(t, server, 'routing');
  await node(page, 'model small 2 requests down 50 % failed').waitFor();
  await node(page, 'rule Rule #2 1 request ').waitFor();
  // The arrow keys follow the ways of requests.
  await node(page, 'frontend model chat').focus();
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
  const focused = page.locator('gw-route-picture .node:focus');
  assert.match((await focused.getAttribute('title')) ?? '', /^provider Engine/);
  await node(page, 'rule Rule #1').click();
  await page.waitForURL(/\/ui\/frontend-models\/1\/rules\/1$/);
});

it('compares with a version, and shows that version itself', async (t) => {
  const server = await routedServer(t);
  const { version } = server.plane.store.state();
  await server.send('DELETE', '/admin/rules/1');
  await make(server, '/admin/frontend-models', { name: 'ask', default_targets: ['large'] });
  const { page } = await open(t, server, 'routing');
  await node(page, 'frontend model ask').waitFor();
  const compare = page.getByRole('combobox', { name: 'Compare with' });
  await compare.click();
  await compare.fill(`v${version}`);
  await page.getByRole('option', { name: new RegExp(`^v${version} `) }).click();
  await node(page, 'rule Rule #1 removed').waitFor();
  await node(page, 'frontend model ask added').waitFor();
  assert.match(page.url(), new RegExp(`compare=${version}`));
  await press(page, 'List');
  await page.locator('gw-route-tree').getByText('removed').first().waitFor();
  await page.getByRole('link', { name: 'Rule #1' }).click();
  await page.waitForURL(new RegExp(`/rules/1\\?as_of=${version}$`));
  await page.goto(new URL(`/ui/routing?as_of=${version}`, server.url).href);
  await node(page, 'rule Rule #1').waitFor();
  assert.equal(await node(page, 'frontend model ask').count(), 0);
});
