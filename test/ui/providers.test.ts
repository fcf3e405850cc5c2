// Tests providers in a browser: added after they responded, changed with a diff, deleted by name,
// and no input lost when the session ends. Results are checked on the server.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { listedProvider } from '../harness/upstream/model-list.ts';
import { until } from '../harness/wait.ts';
import { adminPassword } from '../harness/admin/admin.ts';
import { press } from './harness/actions.ts';
import { emptyServer, open } from './harness/server.ts';
import type { Server } from './harness/server.ts';
import { rows } from './harness/records.ts';
import { toast } from './harness/toast.ts';

const providers = (server: Server) => rows(server, '/admin/providers');

it('a provider is created, and its models are registered', async (t) => {
  const server = await emptyServer(t);
  const upstream = await listedProvider(t, { key: 'sk-right', models: ['small', 'large'] });
  const { page } = await open(t, server, 'providers');
  await page.getByRole('link', { name: 'Create provider' }).first().click();
  await page.getByLabel('Name').fill('Engine');
  await page.getByLabel('Address').fill(upstream.apiBase);
  await page.getByRole('textbox', { name: 'Key' }).fill('sk-wrong');
  await press(page, 'Review');
  await page.getByRole('row', { name: /Credential\s+new/ }).waitFor();
  await press(page, 'Create provider');
  await page.locator('gw-field[name=upstream_api_key]').getByText(/401/).waitFor();
  assert.deepEqual(await providers(server), []);

  await page.getByRole('textbox', { name: 'Key' }).fill('sk-right');
  await press(page, 'Review');
  await page.getByLabel('Reason').fill('Our own engine');
  await press(page, 'Create provider');
  await page.getByRole('link', { name: 'Discover models' }).click();
  await page.getByLabel('Select all on this page').check();
  await page.getByRole('button', { name: 'Register 2 models' }).click();
  await page.locator('gw-save').getByRole('button', { name: 'Register 2 models' }).click();
  await page.getByText('2 models registered').waitFor();
  const [made] = await providers(server);
  assert.deepEqual([made?.['name'], made?.['model_count']], ['Engine', 2]);
  const { body: history } = await server.send('GET', '/admin/history/commands?limit=10');
  assert.match(JSON.stringify(history), /Our own engine/);
});

it('a change shows its diff, and stores its reason', async (t) => {
  const server = await emptyServer(t);
  const upstream = await listedProvider(t);
  await server.send('POST', '/admin/providers', { name: 'Before', api_base: upstream.apiBase });
  const { page } = await open(t, server, 'providers/1/edit');
  await page.getByLabel('Name').fill('After');
  await page.getByRole('button', { name: 'Review change' }).click();
  await page.getByRole('row', { name: /Name changed\s+Before\s+After/ }).waitFor();
  await page.getByLabel('Reason').fill('It is called so');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await toast(page, /Provider Before updated · version \d+/);
  assert.equal((await providers(server))[0]?.['name'], 'After');
});

it('errors of the page and of the server are shown at their fields', async (t) => {
  const server = await emptyServer(t);
  const upstream = await listedProvider(t);
  await server.send('POST', '/admin/providers', { name: 'Engine', api_base: upstream.apiBase });
  const { page } = await open(t, server, 'providers/1/edit');
  await page.getByLabel('Address').fill('ftp://engine.example');
  await page.getByRole('button', { name: 'Review change' }).click();
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page
    .locator('gw-field[name=api_base]')
    .getByText(/api_base/)
    .waitFor();
  await page.getByLabel('Name').fill('');
  await page.getByRole('button', { name: 'Review change' }).click();
  await page.getByText('Name is required').waitFor();
  assert.equal(await page.getByLabel('Name').getAttribute('aria-invalid'), 'true');
});

it('a provider is deleted after its name is typed', async (t) => {
  const server = await emptyServer(t);
  const upstream = await listedProvider(t);
  await server.send('POST', '/admin/providers', { name: 'Engine', api_base: upstream.apiBase });
  const { page } = await open(t, server, 'providers/1');
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  const confirm = page.getByRole('button', { name: 'Delete provider' });
  await confirm.waitFor();
  assert.ok(await confirm.isDisabled());
  // Enter cannot bypass the name: it focuses the name field.
  await page.getByLabel('Reason').fill('not used');
  await page.getByLabel('Reason').press('Enter');
  const name = page.getByLabel('Type Engine to confirm');
  await name.and(page.locator(':focus')).waitFor();
  assert.equal((await providers(server)).length, 1);
  await name.fill('Engine');
  await confirm.click();
  await toast(page, 'Provider Engine deleted');
  assert.deepEqual(await providers(server), []);
});

it('keeps the input of a form when the session ends', async (t) => {
  const server = await emptyServer(t);
  const upstream = await listedProvider(t);
  const { page } = await open(t, server, 'providers/new');
  await page.getByLabel('Name').fill('Engine');
  await page.getByLabel('Address').fill(upstream.apiBase);
  const ended = await server.send('POST', '/admin/sessions/revoke-all');
  assert.equal(ended.status, 200);
  await press(page, 'Review');
  await press(page, 'Create provider');
  await page.getByText('Your unsaved work is kept.').waitFor();
  await page.getByLabel('Password').fill(adminPassword);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await until(() => server.plane.store.state().provider.byId.size === 1, {
    what: 'the provider is there',
  });
});

it('asks before unsaved input is lost by any navigation, and drops it when it is discarded', async (t) => {
  const server = await emptyServer(t);
  const { page } = await open(t, server, 'providers');
  await page.getByRole('link', { name: 'Create provider' }).first().click();
  await page.getByLabel('Name').fill('Engine');
  const question = page.getByRole('heading', { name: 'Discard unsaved changes?' });
  const stay = page.locator('gw-dialog[open]').getByRole('button', { name: 'Keep editing' });
  const form = page.locator('gw-provider-form');
  const ways = [
    () => page.keyboard.press('Escape'),
    () => form.getByRole('button', { name: 'Cancel' }).click(),
    () => page.goBack(),
  ];
  for (const go of ways) {
    await go();
    await question.waitFor();
    await stay.click();
    await question.waitFor({ state: 'hidden' });
    assert.equal(await page.getByLabel('Name').inputValue(), 'Engine');
    assert.match(page.url(), /\/ui\/providers\/new$/);
  }
  await form.getByRole('button', { name: 'Cancel' }).click();
  await press(page, 'Discard');
  await page.waitForURL(/\/ui\/providers$/);
  await page.getByRole('link', { name: 'Create provider' }).first().click();
  assert.equal(await page.getByLabel('Name').inputValue(), '');
});
