// Tests the first-run checklist in a browser: each step from an empty database to the first streamed
// response, and the usage that the server counted.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { startDemoProvider } from '../../../../src/cli/dev/demo-provider.ts';
import {
  startFollowingGateway,
  programWith,
} from '../../../../test/harness/gateway/following-gateway.ts';
import type { Place } from '../../../../test/harness/gateway/following-gateway.ts';
import { until } from '../../../../test/harness/wait.ts';
import { press } from '../../../../test/ui/harness/actions.ts';
import { emptyServer, open } from '../../../../test/ui/harness/server.ts';
import { rowNamed } from '../../../../test/ui/harness/records.ts';
import { expectCleanScreen } from '../../../../test/ui/harness/watch.ts';

it('an empty database comes to its first streamed answer by the steps of the checklist', async (t) => {
  const demo = await startDemoProvider({ port: 0 });
  t.after(demo.close);
  const gateway: Place = { url: null };
  const server = await emptyServer(t, { program: programWith(gateway) });
  await startFollowingGateway(t, server, gateway);
  const { page, watched } = await open(t, server, '');

  await page.getByRole('link', { name: 'Create provider' }).click();
  await page.getByLabel('Name').fill('Demo');
  await page.getByLabel('Address').fill(demo.apiBase);
  await press(page, 'Review');
  await press(page, 'Create provider');
  await page.getByRole('link', { name: 'Discover models' }).click();
  await page.getByLabel('Select all on this page').check();
  await press(page, 'Register 1 model');
  await page.locator('gw-save').getByRole('button', { name: 'Register 1 model' }).click();
  await page.getByText('1 model registered').waitFor();
  const name = { name: 'chat', default_targets: ['demo'] };
  assert.equal((await server.send('POST', '/admin/frontend-models', name)).status, 200);

  await page.goto('/ui/');
  await page.getByText('3 of 5 done').waitFor();
  await page.getByRole('link', { name: 'Create API key' }).click();
  await page.getByLabel('Principal').selectOption({ label: 'boss' });
  await page.getByLabel('Name').fill('first');
  await press(page, 'Review');
  await press(page, 'Create API key');
  const command = page.locator('gw-made-bearer').getByText(/^curl /);
  assert.match((await command.textContent()) ?? '', new RegExp(`^curl ${gateway.url}/v1/chat`));
  await page.getByLabel("I've saved this API key").check();
  await press(page, 'Send a request');

  await page.getByLabel('Model', { exact: true }).selectOption('chat');
  await page.getByLabel('Message').fill('Hello');
  await press(page, 'Send');
  const answer = page.getByRole('region', { name: 'Answer' });
  await answer.getByText('stop').waitFor();
  await answer.getByRole('heading', { name: 'Routing decision' }).waitFor();
  await expectCleanScreen(page, watched);
  const { body } = await server.send('GET', '/admin/usage/events?limit=5');
  const [row, ...others] = Array.isArray(body) ? body : [];
  assert.deepEqual(others, []);
  assert.deepEqual(
    [row.virtual_model, row.model, row.stream, row.status],
    ['chat', 'demo', true, 200],
  );
  assert.ok(row.completion_tokens > 0);
  await answer.getByText(String(row.id)).waitFor();
  assert.ok(!page.url().includes('gw-'), 'the key is in no address');

  await page.getByRole('link', { name: 'Overview' }).click();
  const checklist = page.getByText('Send your first request');
  await until(async () => (await checklist.count()) === 0, { what: 'the checklist is done' });
});

it('shows the gateway’s own refusal and keeps the session', async (t) => {
  const gateway: Place = { url: null };
  const server = await emptyServer(t, { program: programWith(gateway) });
  await startFollowingGateway(t, server, gateway);
  await server.send('POST', '/admin/provider-models', { name: 'small' });
  const { page, watched } = await open(t, server, 'playground?model=small');
  await press(page, 'Send');
  await page.locator('gw-field[name=key]').getByText('Enter an API key').waitFor();
  await press(page, 'Create a key for one hour');
  await until(async () => (await page.getByLabel('API key').inputValue()).startsWith('gw-'), {
    what: 'the key that was created is in its field',
  });
  const created = await rowNamed(server, '/admin/keys', 'playground');
  assert.ok(Date.parse(String(created?.['expires_at'])) < Date.now() + 3_600_000);
  await page.getByText('Code', { exact: true }).click();
  await press(page, 'Python');
  await page.getByText('client = OpenAI(base_url=').waitFor();
  await expectCleanScreen(page, watched);
  await page.getByLabel('API key').fill('gw-of-nobody');
  await page.getByLabel('Message').fill('Hello');
  await page.getByLabel('Message').press('Control+Enter');
  const answer = page.getByRole('region', { name: 'Answer' });
  await answer.getByText('401').waitFor();
  await answer.getByRole('alert').first().waitFor();
  assert.equal(await page.getByText('Your session has ended').isVisible(), false);
  await expectCleanScreen(page, watched);
});

it('the playground is offered to those who may use it, and says to others what they lack', async (t) => {
  const server = await emptyServer(t);
  await server.send('POST', '/admin/roles', { name: 'readers' });
  const permission = { verb: 'usage:read', resource: '*' };
  await server.send('POST', '/admin/roles/readers/permissions', permission);
  const cookie = await server.login('reader', ['readers']);
  const { page, watched } = await open(t, { url: server.url, cookie }, 'playground');
  await page.getByText('You cannot send requests here').waitFor();
  assert.equal(await page.getByLabel('API key').count(), 0);
  const screens = page.getByRole('navigation', { name: 'Screens' });
  assert.equal(await screens.getByRole('link', { name: 'Playground' }).count(), 0);
  await page.keyboard.press('Control+K');
  await page.getByRole('combobox').fill('playground');
  await page.getByText('No matches').waitFor();
  await expectCleanScreen(page, watched);
});
