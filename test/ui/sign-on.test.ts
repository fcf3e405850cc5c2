// Single sign-on in a browser: to the provider and back, and again in a tab of its own when the session ends in the middle of a form.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';

import { createSignInLink } from '../../src/control/access/sign-in-link.ts';
import { openIdProvider, signOnAt } from '../harness/sign-on/openid-provider.ts';
import { until } from '../harness/wait.ts';
import { press, question } from './harness/hands.ts';
import { emptyHouse, open } from './harness/house.ts';

it('the sign-in link opens the UI once, and leaves its token in no address', async (t) => {
  const { token, link } = createSignInLink({ name: 'boss', clock: Date.now, randomBytes });
  const house = await emptyHouse(t, { signInLink: link });
  const path = `roles#sign-in=${token}`;
  const { page } = await open(t, house, path, { anonymous: true });
  await page.getByRole('heading', { name: 'Roles', level: 1 }).waitFor();
  assert.equal(new URL(page.url()).hash, '');

  const { page: second } = await open(t, house, path, { anonymous: true });
  await second.getByText('the sign-in link was already used').waitFor();
  assert.equal(new URL(second.url()).hash, '');
  await second.getByLabel('Password').waitFor();

  // In the browser that is signed in, the used link is as good as the plain address.
  await page.goto(`/ui/${path}`);
  await page.reload();
  await page.getByRole('heading', { name: 'Roles', level: 1 }).waitFor();
});

it('a person signs on, and a session that ends in the middle of a form costs nothing of it', async (t) => {
  const provider = await openIdProvider(t);
  provider.person['groups'] = ['ops'];
  const groupRoles = { ops: 'admin' };
  const signOn = signOnAt(provider, { groupRoles, hidesPassword: true });
  const house = await emptyHouse(t, { signOn });
  provider.wrong.error = 'access_denied';
  const { page } = await open(t, house, 'roles/new', { anonymous: true });
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
  assert.equal((await house.send('POST', '/admin/sessions/revoke-all')).status, 200);
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
    [...house.plane.store.state().role.byId.values()].some(({ name }) => name === 'talkers');
  await until(isMade, { what: 'the role is made' });

  await page.goto('/ui/principals');
  await page.getByRole('link', { name: 'ada@example.com' }).click();
  await page.getByText('from a group').waitFor();
  await page.getByText(provider.person.sub, { exact: true }).waitFor();
  await press(page, 'More');
  await page.getByRole('menuitem', { name: 'Unlink identity' }).click();
  await page.getByText('Roles from groups are removed: admin').waitFor();
  await question(page).getByLabel('Type ada@example.com to confirm').fill('ada@example.com');
  await press(question(page), 'Unlink identity');
  const isLinked = (): boolean =>
    [...house.plane.store.state().principal.byId.values()].some(
      ({ identity }) => identity !== null,
    );
  await until(() => !isLinked(), { what: 'the identity is unlinked' });
});
