// Tests change requests in a browser: drafted in the dialog that saves, edited by the author,
// approved and applied by another person.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { press, typePrice } from '../../../../test/ui/harness/actions.ts';
import { pricedModel, priceNow } from '../../../../test/ui/harness/priced-model.ts';
import { rows } from '../../../../test/ui/harness/records.ts';
import { emptyServer, open } from '../../../../test/ui/harness/server.ts';
import type { Server } from '../../../../test/ui/harness/server.ts';
import { toast } from '../../../../test/ui/harness/toast.ts';
import { expectCleanScreen } from '../../../../test/ui/harness/watch.ts';

const path = '/admin/change-requests/1';
const memberOf = (value: unknown, name: string): unknown => Reflect.get(Object(value), name);

async function approvedRequest(server: Server): Promise<void> {
  const { send } = server;
  for (const name of ['small', 'large']) await send('POST', '/admin/models', { name });
  const calls = [
    { method: 'PATCH', path: '/admin/models/1', body: { input_price_per_mtok: 3_000_000 } },
    { method: 'PATCH', path: '/admin/models/2', body: { context_length: 8_000 } },
  ];
  const title = 'The new contract';
  const { status } = await send('POST', '/admin/change-requests', { title, calls, reason: 'why' });
  assert.equal(status, 200);
  const cookie = await server.login('second', ['admin']);
  const { body } = await server.ask({ path, cookie });
  const seen = { digest: memberOf(body, 'digest'), outcome: memberOf(body, 'outcome') };
  const approval = await server.ask({
    method: 'POST',
    path: `${path}/approve`,
    cookie,
    body: seen,
  });
  assert.equal(approval.status, 200, JSON.stringify(approval.body));
}

it('edits, removes and adds calls of a draft, which removes its approval', async (t) => {
  const server = await emptyServer(t);
  await approvedRequest(server);
  const { page, watched } = await open(t, server, 'history/requests/1');
  await page.getByRole('row', { name: /Input price \$3.00 per million tokens/ }).waitFor();
  await press(page, 'Edit calls');
  const body = page.locator('gw-field[name="calls.0"]');
  await body.locator('textarea').fill('{"input_price_per_mtok":');
  await press(page, 'Review change');
  await body.getByText('must be valid JSON or empty').waitFor();
  await body.locator('textarea').fill('{"input_price_per_mtok": -1}');
  await press(page, 'Remove call 2');
  await press(page, 'Add call');
  await page.locator('gw-field[name="calls.1.path"] input').fill('/admin/nothing');
  await press(page, 'Review change');
  await press(page, 'Save draft');
  await body.getByText(/input_price_per_mtok/).waitFor();
  await body.locator('textarea').fill('{"input_price_per_mtok": 2500000}');
  await press(page, 'Review change');
  await press(page, 'Save draft');
  await page
    .locator('gw-field[name="calls.1.path"]')
    .getByText(/cannot be proposed/)
    .waitFor();
  await page.locator('gw-field[name="calls.1.path"] input').fill('/admin/models/2');
  await page.locator('gw-field[name="calls.1"] textarea').fill('{"output_price_per_mtok": 0}');
  await expectCleanScreen(page, { ...watched, errors: [] });
  await press(page, 'Review change');
  await page.getByText('This edit removes the approval by second').waitFor();
  await page.getByRole('row', { name: /call 1 · Input price .*\$3.00.*\$2.50/ }).waitFor();
  await press(page, 'Save draft');
  await toast(page, /Change request 1 updated/);
  await page.getByRole('row', { name: /Input price added unpriced \$2.50/ }).waitFor();
  await page.getByText('Not approved yet').waitFor();

  const edited = (await server.send('GET', path)).body;
  assert.deepEqual([memberOf(edited, 'state'), memberOf(edited, 'approvals')], ['open', []]);
  assert.deepEqual(memberOf(edited, 'bodies'), [
    {
      method: 'PATCH',
      path: '/admin/models/1',
      body: { input_price_per_mtok: 2_500_000 },
      secrets: [],
    },
    {
      method: 'PATCH',
      path: '/admin/models/2',
      body: { output_price_per_mtok: 0 },
      secrets: [],
    },
  ]);
});

it('a change is proposed where it is saved, approved by a second person and applied; its author cannot', async (t) => {
  const server = await emptyServer(t);
  await pricedModel(server);
  const second = { url: server.url, cookie: await server.login('second', ['admin']) };
  const policy = await server.send('PUT', '/admin/change-policy', { kinds: ['prices'] });
  assert.equal(policy.status, 200, JSON.stringify(policy.body));

  const { page } = await open(t, server, 'models');
  await typePrice(page, { of: 'engine', to: '3' });
  await press(page, 'Save price');
  await page.getByText(/need an approved change request/).waitFor();
  await press(page, 'Request approval');
  await page.getByText('Enter a reason').waitFor();
  await page.getByLabel('Reason').fill('The new contract');
  await press(page, 'Request approval');
  await page.getByText('Change request 1 created').waitFor();
  assert.equal(await priceNow(server), 1_000_000);
  await press(page, 'Open');
  const own = page.locator('gw-change-request');
  await own.getByRole('row', { name: /Input price changed\s+\$1.00 .*\s+\$3.00/ }).waitFor();
  await own.getByRole('button', { name: 'Withdraw…' }).waitFor();
  assert.equal(await own.getByRole('button', { name: 'Approve…' }).count(), 0);

  const { page: other, watched } = await open(t, second, 'history/requests');
  await other.getByRole('row', { name: /open boss prices/ }).click();
  await other.getByText('The new contract').first().waitFor();
  await expectCleanScreen(other, watched);
  await press(other, 'Approve…');
  await press(other, 'Approve');
  // An approval publishes nothing, so the notification names no version and offers no undo.
  const notice = other.locator('gw-toasts').getByText('Change request 1 approved');
  await notice.waitFor();
  await other.getByText('It is not applied yet.').first().waitFor();
  assert.equal(await other.getByText(/Change request 1 approved · version/).count(), 0);
  assert.equal(await priceNow(server), 1_000_000);
  await press(other, 'Apply now…');
  await press(other, 'Apply');
  await other.getByText(/Change request 1 applied · version \d+/).waitFor();
  assert.equal(await priceNow(server), 3_000_000);
  const [request] = await rows(server, '/admin/change-requests');
  assert.equal(request?.['state'], 'applied');
});

it('what cannot wait is made at once, and reviewed by another person after', async (t) => {
  const server = await emptyServer(t);
  await pricedModel(server);
  const second = { url: server.url, cookie: await server.login('second', ['admin']) };
  await server.send('PUT', '/admin/change-policy', { kinds: ['prices'] });
  const { page } = await open(t, server, 'models');
  await typePrice(page, { of: 'engine', to: '3' });
  await page.getByLabel('Reason').fill('It costs us by the minute');
  await press(page, 'Save price');
  await press(page, 'Save now, review later');
  await toast(page, /updated, review pending · version \d+/);
  assert.equal(await priceNow(server), 3_000_000);

  const { page: other } = await open(t, second, 'history/requests?state=review_due');
  await other.getByRole('row', { name: /It costs us by the minute review due boss/ }).click();
  await press(other, 'Mark as reviewed…');
  await press(other, 'Review');
  await other.getByText('Change request 1 reviewed').waitFor();
  const [request] = await rows(server, '/admin/change-requests');
  assert.equal(request?.['state'], 'reviewed');
});
