// Tests that the page at /docs loads nothing from other hosts, under a policy that allows only its
// own scripts.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { testAdmin } from '../../harness/admin/admin.ts';

it('every file that the page names is served here, with its type and a strict policy', async (t) => {
  const { url } = await testAdmin(t);
  const page = await fetch(`${url}/docs`);
  assert.equal(page.status, 200);
  const html = await page.text();
  const named = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address ?? '');
  assert.deepEqual(named, [
    'data:,',
    'docs/swagger-ui.css',
    'docs/swagger-ui-bundle.js',
    'docs/start.js',
  ]);
  for (const address of ['docs', ...named.filter((one) => one.startsWith('docs/'))]) {
    const { status, headers } = await fetch(new URL(address, `${url}/docs`));
    assert.equal(status, 200, address);
    assert.match(headers.get('content-type') ?? '', /^text\/(html|css|javascript); charset=utf-8$/);
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'.*script-src 'self';/);
    assert.doesNotMatch(policy, /unsafe|https?:/);
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
  }
});

it('the page has no inline script or style, and loads only this document', async (t) => {
  const { url } = await testAdmin(t);
  const html = await (await fetch(`${url}/docs`)).text();
  assert.doesNotMatch(html, /<script>|<style|style=|\son\w+=|https?:/);
  const start = await (await fetch(`${url}/docs/start.js`)).text();
  assert.match(start, /url: 'openapi.json'/);
  assert.match(start, /validatorUrl: null/);
});
