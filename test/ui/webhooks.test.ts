// Tests webhooks in a browser: created with a secret that is shown once, tested, sent again, rotated
// and deleted. Results are checked on the server and at a real receiver.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { startUpstream } from '../harness/upstream/upstream.ts';
import { until } from '../harness/wait.ts';
import { press } from './harness/actions.ts';
import { rowNamed } from './harness/records.ts';
import { emptyServer, open } from './harness/server.ts';
import { expectCleanScreen } from './harness/watch.ts';

it('a webhook shows its secret once, its deliveries, and sends again', async (t) => {
  await using receiver = await startUpstream(
    (_, response) => void response.writeHead(receiver.seen.length === 1 ? 500 : 204).end(),
  );
  const admin = await emptyServer(t);
  const { page, watched } = await open(t, admin, 'webhooks');
  await page.getByText('No webhooks yet').waitFor();
  await page.getByRole('link', { name: 'Create webhook' }).last().click();
  await page.getByLabel('Name').fill('alerts');
  await page.getByLabel('Address').fill(`${receiver.apiBase}/hook?key=hidden`);
  await page.getByLabel('Notification types').selectOption({ label: 'Selected types' });
  await press(page, 'Review');
  await page.getByText('Choose at least one type').waitFor();
  await page.getByLabel('Backend down').check();
  await expectCleanScreen(page, watched);
  await press(page, 'Review');
  await press(page, 'Create webhook');
  const dialog = page.locator('gw-made-bearer');
  const secret = (await dialog.locator('pre').first().textContent()) ?? '';
  assert.match(secret, /^whsec_/);
  await expectCleanScreen(page, watched);
  await page.getByLabel("I've saved this signing secret").check();
  await press(page, 'Done');

  await page.getByText('No deliveries in the last 7 days').waitFor();
  await press(page, 'Send test');
  await page.getByText('1 attempt, last: status 500').waitFor();
  await page.getByRole('button', { name: 'Send again: Test, delivery 1' }).click();
  await page.getByRole('listitem').getByText('delivered').waitFor();
  assert.equal(receiver.seen.length, 2);
  assert.equal(receiver.seen[0]?.headers['webhook-id'], receiver.seen[1]?.headers['webhook-id']);
  await expectCleanScreen(page, watched);
  assert.ok(!(await page.content()).includes('key=hidden'));

  await press(page, 'Rotate secret');
  await page.getByText('Deliveries are signed with both secrets for 24 hours').waitFor();
  await page.locator('gw-save').getByRole('button', { name: 'Rotate secret' }).click();
  await dialog.locator('pre').first().waitFor();
  const rotated = (await dialog.locator('pre').first().textContent()) ?? '';
  assert.match(rotated, /^whsec_/);
  assert.notEqual(rotated, secret);
  await page.getByLabel("I've saved this signing secret").check();
  await press(page, 'Done');
  await page.getByText('signs too until').waitFor();

  await page.getByRole('link', { name: 'Edit' }).click();
  await page.getByLabel('Enabled').uncheck();
  await press(page, 'Review change');
  await press(page, 'Save changes');
  await until(
    async () => (await rowNamed(admin, '/admin/webhooks', 'alerts'))?.['enabled'] === false,
    {
      what: 'the webhook to be disabled',
    },
  );
  await page.getByRole('definition').getByText('disabled').waitFor();
  await press(page, 'Delete');
  await page.getByText('Its pending notifications are never sent.').waitFor();
  await page.getByLabel('Type alerts to confirm').fill('alerts');
  await press(page, 'Delete webhook');
  await page.getByText('No webhooks yet').waitFor();
});

it('the form of PagerDuty asks for the integration key, on a phone too', async (t) => {
  const admin = await emptyServer(t);
  const { page, watched } = await open(t, admin, 'webhooks/new', { theme: 'light', width: 360 });
  await page.getByLabel('Name').fill('on-call');
  await page.getByLabel('Format').selectOption({ label: 'PagerDuty' });
  await page.getByLabel('Integration key').fill('R0UT1NGKEY');
  await expectCleanScreen(page, watched);
  await press(page, 'Review');
  await press(page, 'Create webhook');
  await page.getByRole('definition').getByText('https://events.pagerduty.com/…').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Rotate secret' }).count(), 0);
  await expectCleanScreen(page, watched);
});
