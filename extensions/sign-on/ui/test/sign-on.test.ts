// Tests single sign-on in a browser: to the provider and back, and in a new tab when the session
// ends while a form is open.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { until } from '../../../../test/harness/wait.ts';
import { press, saveDialog } from '../../../../test/ui/harness/actions.ts';
import { emptyServer, open } from '../../../../test/ui/harness/server.ts';
import { openIdProvider, signOnAt } from '../../test/openid-provider.ts';

it('a person signs on, and a session that ends in the middle of a form costs nothing of it', async (t) => {
  const provider = await openIdProvider(t);
  provider.person['groups'] = ['ops'];
  const groupRoles = { ops: 'admin' };
  const settings = signOnAt(provider, { groupRoles, hidesPassword: true });
  const server = await emptyServer(t, { settings });
  provider.wrong.error = 'access_denied';
  const { page } = await open(t, server, 'roles/new', { anonymous: true });
  assert.equal(await page.getByLabel('Password').count(), 0);
  await page.getByRole('link', { name: 'Sign in with Acme' }).click();
  await page.getByText('Acme denied the sign-in.').waitFor();
  await press(page, 'Use a password');
  await page.getByLabel('Password').waitFor();
  await page.getByLabel('Name').and(page.locator(':focus')).waitFor();

  delete provider.wrong.error;
  await page.goto('/ui/roles/new');
  await page.getByRole('link', { name: 'Sign in with Acme' }).click();
  await page.getByLabel('Name').fill('talkers');
  assert.equal((await server.send('POST', '/admin/sessions/revoke-all')).status, 200);
  await press(page, 'Review');
  await press(page, 'Create role');
  await page.getByText('Your unsaved work is kept.').waitFor();
  const [tab] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: 'Sign in with Acme' }).click(),
  ]);
  await tab.getByText('You are signed in').waitFor();
  await tab.close();
  const isMade = (): boolean =>
    [...server.plane.store.state().role.byId.values()].some(({ name }) => name === 'talkers');
  await until(isMade, { what: 'the role is made' });

  await page.goto('/ui/principals');
  await page.getByRole('link', { name: 'ada@example.com' }).click();
  await page.getByText('from a group').waitFor();
  await page.getByText(provider.person.sub, { exact: true }).waitFor();
  await press(page, 'More');
  await page.getByRole('menuitem', { name: 'Unlink identity' }).click();
  await page.getByText('Roles from groups are removed: admin').waitFor();
  await saveDialog(page).getByLabel('Type ada@example.com to confirm').fill('ada@example.com');
  await press(saveDialog(page), 'Unlink identity');
  const isLinked = (): boolean =>
    [...server.plane.store.state().principal.byId.values()].some(
      ({ identity }) => identity !== null,
    );
  await until(() => !isLinked(), { what: 'the identity is unlinked' });
});
