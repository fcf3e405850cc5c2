// Tests that a form can be filled in with the keyboard as it opens, and that notifications stay
// reachable while a record is open next to the list.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { until } from '../harness/wait.ts';
import { saveDialog } from './harness/actions.ts';
import { emptyServer, open } from './harness/server.ts';
import type { Server } from './harness/server.ts';
import { rows } from './harness/records.ts';

const roleOf = ({ plane }: Server) =>
  [...plane.store.state().role.byId.values()].find(({ id }) => id === 1) ?? null;

it('a change is typed, published and undone with the keyboard while its record is open', async (t) => {
  const server = await emptyServer(t);
  const { page } = await open(t, server, 'roles/1/edit');
  const description = () => roleOf(server)?.description;
  const before = description();
  const focused = (label: string) =>
    page.getByLabel(label).and(page.locator(':focus')).waitFor({ state: 'visible' });

  await focused('Name');
  assert.equal(await page.title(), 'inference · Roles · gw');
  await page.keyboard.press('Tab');
  await page.keyboard.press('End');
  await page.keyboard.type('!');
  await page.getByRole('button', { name: 'Review change' }).press('Enter');
  await focused('Reason');
  await page.getByRole('button', { name: 'Save changes' }).press('Enter');
  await until(() => description() !== before, { what: 'the role has the new description' });
  assert.equal(description(), `${before}!`);

  await page.getByRole('button', { name: 'Undo', exact: true }).press('Enter');
  await until(() => description() === before, { what: 'the role has its old description' });
});

it('a dismissed notification still offers one undo of its change, like the history', async (t) => {
  const server = await emptyServer(t);
  const { page } = await open(t, server, 'roles/1/edit');
  const description = () => roleOf(server)?.description;
  const before = description();
  await page.getByLabel('Description').fill('Another');
  await page.getByRole('button', { name: 'Review change' }).press('Enter');
  await page.getByRole('button', { name: 'Save changes' }).press('Enter');
  await page.getByRole('button', { name: 'Dismiss' }).press('Enter');
  await page.getByRole('heading', { name: 'inference' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { name: 'Roles' }).and(page.locator(':focus')).waitFor();

  await page.getByRole('button', { name: 'Notifications' }).press('Enter');
  const told = page.locator('gw-notices');
  await told.getByRole('listitem').filter({ hasText: 'Role inference updated' }).waitFor();
  await told.getByRole('button', { name: 'Undo' }).press('Enter');
  await until(() => description() === before, { what: 'the role has its old description' });
  await told.getByText('Undone', { exact: true }).waitFor();
  assert.equal(await told.getByRole('button', { name: 'Undo' }).count(), 1);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Notifications' }).and(page.locator(':focus')).waitFor();

  const [change] = await rows(server, '/admin/history/commands?limit=1');
  await page.goto(`/ui/history/${String(change?.['id'])}`);
  await page.getByRole('button', { name: 'Undo…' }).press('Enter');
  await saveDialog(page).getByRole('button', { name: 'Undo' }).press('Enter');
  await until(() => description() === 'Another', { what: 'the undo is undone' });
});

it('a conflicting change shows the other change, and can be saved on top of it', async (t) => {
  const server = await emptyServer(t);
  const { page } = await open(t, server, 'roles/1/edit');
  const role = () => roleOf(server);
  const name = role()?.name ?? '';
  await page.getByLabel('Name').fill('renamed');
  await page.getByRole('button', { name: 'Review change' }).click();
  const publish = page.getByRole('button', { name: 'Save changes' });
  await publish.waitFor();
  const changed = await server.send('PATCH', `/admin/roles/${name}`, { description: 'By another' });
  assert.equal(changed.status, 200);
  await publish.click();

  const became = page.locator('gw-save-became');
  await became.getByText('This record was changed by').waitFor();
  await became.getByRole('row', { name: /Description.*By another/ }).waitFor();
  await became.getByRole('button', { name: 'Save anyway' }).click();
  await until(() => role()?.name === 'renamed', { what: 'the role has its new name' });
  assert.equal(role()?.description, 'By another');
});

it('the palette switches the theme, and opens the dialog for past versions', async (t) => {
  const server = await emptyServer(t);
  const { page } = await open(t, server, 'roles');
  const pageCommand = async (typed: string): Promise<void> => {
    await page.keyboard.press('Control+K');
    await page.getByRole('combobox').and(page.locator(':focus')).fill(typed);
    await page.keyboard.press('Enter');
  };
  await pageCommand('theme: dark');
  await page.locator('html[data-theme=dark]').waitFor();
  await pageCommand('past version');
  await page.getByLabel('Snapshot version or time').and(page.locator(':focus')).waitFor();
});
