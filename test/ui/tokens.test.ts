// Tests admin tokens in a browser: created, shown once, used and revoked. Results are checked on
// the server.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { press } from './harness/actions.ts';
import { emptyServer, open } from './harness/server.ts';
import { make, rowNamed } from './harness/records.ts';
import { expectCleanScreen } from './harness/watch.ts';

it('a token is shown once, has the chosen permissions, and is refused after its revocation', async (t) => {
  const admin = await emptyServer(t);
  const { id } = await make(admin, '/admin/principals', { name: 'ci' });
  const { page, watched } = await open(t, admin, 'tokens');
  await page.getByText('No admin tokens yet').waitFor();
  await page.getByRole('link', { name: 'Create admin token' }).last().click();
  await page.getByLabel('Principal').selectOption({ label: 'ci' });
  await page.getByText('ci has no permissions of the admin API. Grant it a role first.').waitFor();
  await make(admin, `/admin/principals/${Number(id)}/roles`, { role: 'admin' });

  await page.goto(`/ui/tokens/new/${Number(id)}`);
  await page.getByLabel('Name').fill('terraform');
  await press(page, 'Review');
  await page.getByText('Choose at least one permission').waitFor();
  await page.getByLabel('usage:read').check();
  await page.getByLabel('Expires').selectOption({ label: 'In 364 days' });
  await expectCleanScreen(page, watched);
  await press(page, 'Review');
  await page.getByRole('row', { name: /Principal\s+ci/ }).waitFor();
  await press(page, 'Create admin token');
  const dialog = page.locator('gw-made-bearer');
  const token = (await dialog.locator('pre').first().textContent()) ?? '';
  assert.match(token, /^gwt-\w{49}$/);
  await dialog.getByText(`curl ${admin.url}/session`).waitFor();
  await dialog.getByText(`GW_ADMIN_TOKEN='${token}'`).waitFor();
  assert.equal(await dialog.getByRole('button', { name: 'Send a request' }).count(), 0);
  await page.keyboard.press('Escape');
  assert.ok(
    await dialog.getByText(token, { exact: true }).isVisible(),
    'it stays until it is confirmed as saved',
  );
  await expectCleanScreen(page, watched);

  assert.equal((await admin.ask({ path: '/admin/roles', token })).status, 200);
  const denied = { method: 'POST', path: '/admin/roles', token, body: { name: 'x' } };
  assert.equal((await admin.ask(denied)).status, 403);
  await page.getByLabel("I've saved this admin token").check();
  await press(page, 'Done');
  await page.getByRole('definition').getByText('usage:read').waitFor();
  assert.ok(!(await page.content()).includes(token));

  await press(page, 'Revoke');
  await page.getByText('A revoked token cannot be restored').waitFor();
  await page.getByLabel('Type terraform to confirm').fill('terraform');
  await press(page, 'Revoke admin token');
  await page.getByText('Token terraform revoked').waitFor();
  assert.equal((await rowNamed(admin, '/admin/tokens', 'terraform'))?.['revoked'], true);
  assert.equal((await admin.ask({ path: '/admin/roles', token })).status, 401);
  await page.getByRole('definition').getByText('revoked').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Revoke' }).count(), 0);
});

it('the palette finds tokens, and the audit log links them', async (t) => {
  const admin = await emptyServer(t);
  const permissions = ['usage:read'];
  await make(admin, '/admin/tokens', { name: 'terraform', principal_id: 2, permissions });
  const { page } = await open(t, admin, 'audit');
  await page.getByRole('link', { name: 'terraform' }).click();
  await page.waitForURL('**/ui/tokens/1');
  await page.goto('/ui/');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('Control+K');
  await page.locator('gw-palette').getByRole('combobox').fill('terraform');
  await page
    .getByRole('option', { name: /terraform/ })
    .first()
    .click();
  await page.getByRole('definition').getByText('usage:read').waitFor();
  await page.keyboard.press('Control+K');
  await page.locator('gw-palette').getByRole('combobox').fill('create admin token');
  await page.getByRole('option', { name: /^Create admin token/ }).click();
  await page.waitForURL('**/ui/tokens/new');
});

it('a reader sees tokens, but can neither create nor revoke them', async (t) => {
  const admin = await emptyServer(t);
  await admin.send('POST', '/admin/roles', { name: 'readers' });
  const permission = { verb: 'usage:read', resource: '*' };
  await admin.send('POST', '/admin/roles/readers/permissions', permission);
  const permissions = ['usage:read'];
  await make(admin, '/admin/tokens', { name: 'terraform', principal_id: 2, permissions });
  const cookie = await admin.login('reader', ['readers']);
  const { page, watched } = await open(t, { url: admin.url, cookie }, 'tokens/1');
  await page.getByRole('definition').getByText('usage:read').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Revoke' }).count(), 0);
  assert.equal(await page.getByRole('link', { name: 'Create admin token' }).count(), 0);
  await expectCleanScreen(page, watched);
});
