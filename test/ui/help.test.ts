// Tests the documentation site at /help in a browser, under its content security policy and without
// any other server.

import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { buildHelp, isHelpStale } from '../../scripts/build-help.ts';
import { helpFolder } from '../../src/admin/help.ts';
import { testAdmin } from '../harness/admin/admin.ts';
import { emptyServer, open, openPage } from './harness/server.ts';
import { expectCleanScreen } from './harness/watch.ts';

const serve = (t: TestContext) => testAdmin(t, { help: helpFolder });

describe('the documentation at /help', () => {
  before(async () => {
    if (isHelpStale()) await buildHelp();
  });

  it('opens from /help, finds a page by a search, and follows links between pages', async (t) => {
    const { url } = await serve(t);
    const { page, watched } = await openPage(t, `${url}/help`);
    await page.getByRole('button', { name: 'Search' }).first().click();
    await page.getByRole('searchbox').fill('retry-after');
    const found = page.locator('#localsearch-list a').filter({ hasText: 'Call models' }).first();
    await found.click();
    await page.getByRole('heading', { level: 1, name: /call.* models/i }).waitFor();
    await page.locator('main a[href*="protocols"]').first().click();
    await page.waitForURL(/\/help\/reference\/protocols\.html/);
    await expectCleanScreen(page, watched);
  });

  it('is linked from each screen of the management UI', async (t) => {
    const { page } = await open(t, await emptyServer(t), 'fleet');
    const link = page.getByRole('link', { name: 'Help for this screen' });
    const address = new URL((await link.getAttribute('href')) ?? '', page.url());
    assert.equal(address.pathname, '/help/screens/fleet');
    await page.goto(new URL(address.pathname, (await serve(t)).url).href);
    await page.waitForURL(/\/help\/guides\/monitor\.html#fleet$/);
  });

  it('switches between the light and the dark theme, and keeps the choice', async (t) => {
    const { url } = await serve(t);
    const { page, watched } = await openPage(t, `${url}/help/tour.html`);
    const isDark = () => page.evaluate(() => document.documentElement.classList.contains('dark'));
    const picture = page.getByRole('img', { name: 'Overview', exact: true });
    assert.match((await picture.getAttribute('src')) ?? '', /light/);
    await page.getByRole('switch').first().click();
    assert.equal(await isDark(), true);
    assert.match((await picture.getAttribute('src')) ?? '', /dark/);
    await page.reload();
    assert.equal(await isDark(), true);
    await expectCleanScreen(page, watched);
  });

  it('allows no inline script except those of its pages, and no eval', async (t) => {
    const { url } = await serve(t);
    const { headers } = await fetch(`${url}/help/clients.html`);
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(
      policy,
      /^default-src 'none'; script-src 'self' ('sha256-[^']+' ?)+; style-src 'self';/,
    );
    assert.doesNotMatch(policy, /unsafe|https?:/);
  });

  it('answers 404 for a page that does not exist and for a path outside of the site', async (t) => {
    const { url } = await serve(t);
    for (const path of ['no-such-page', '..%2fpackage.json', 'hashmap.json']) {
      assert.equal((await fetch(`${url}/help/${path}`)).status, 404, path);
    }
  });

  it('explains how to build the site if it is not built', async (t) => {
    const { url } = await testAdmin(t);
    const answer = await fetch(`${url}/help/`);
    assert.equal(answer.status, 404);
    assert.match(await answer.text(), /npm run docs:build/);
  });
});
