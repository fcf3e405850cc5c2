// Tests the sign-in link of gw dev in a browser: it signs in once, and no address keeps its token.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';

import { createSignInLink } from '../../src/control/access/sign-in-link.ts';
import { emptyServer, open } from './harness/server.ts';

it('the sign-in link opens the UI once, and no address keeps its token', async (t) => {
  const { token, link } = createSignInLink({ name: 'boss', clock: Date.now, randomBytes });
  const server = await emptyServer(t, { signInLink: link });
  const path = `roles#sign-in=${token}`;
  const { page } = await open(t, server, path, { anonymous: true });
  await page.getByRole('heading', { name: 'Roles', level: 1 }).waitFor();
  assert.equal(new URL(page.url()).hash, '');

  const { page: second } = await open(t, server, path, { anonymous: true });
  await second.getByText('the sign-in link was already used').waitFor();
  assert.equal(new URL(second.url()).hash, '');
  await second.getByLabel('Password').waitFor();

  // In the browser that is signed in, the used link opens the UI like the plain address.
  await page.goto(`/ui/${path}`);
  await page.reload();
  await page.getByRole('heading', { name: 'Roles', level: 1 }).waitFor();
});
