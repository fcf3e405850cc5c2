// Tests that the author can edit the draft of a change request in a browser, which removes its
// approval.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { Page } from 'playwright-core';

import { emptyServer, open } from '../../../../test/ui/harness/server.ts';
import type { Server } from '../../../../test/ui/harness/server.ts';
import { toast } from '../../../../test/ui/harness/toast.ts';
import { expectCleanScreen } from '../../../../test/ui/harness/watch.ts';

const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click();

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
