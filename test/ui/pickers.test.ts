// Tests choosing one of many options in a browser: comboboxes, lists of targets and the command
// palette.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { press, saveDialog } from './harness/actions.ts';
import { emptyServer, open } from './harness/server.ts';
import { make, rowNamed } from './harness/records.ts';
import { toast } from './harness/toast.ts';
import { expectCleanScreen } from './harness/watch.ts';

it('opens the review at the first click even if a typed target was not added', async (t) => {
  const server = await emptyServer(t);
  await make(server, '/admin/models', { name: 'demo' });
  const { page } = await open(t, server, 'frontend-models/new');
  await page.getByLabel('Name').fill('chat');
  await page.getByLabel('When no rule matches').fill('demo');
  const button = page.getByRole('button', { name: 'Review', exact: true });
  const box = await button.boundingBox();
  assert.ok(box !== null);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.up();
  await press(saveDialog(page), 'Create frontend model');
  await toast(page, 'Frontend model chat created');
  const made = await rowNamed(server, '/admin/frontend-models', 'chat');
  assert.match(JSON.stringify(made), /"demo"/);
});

it('reports at the field that a typed target does not exist', async (t) => {
  const server = await emptyServer(t);
  const { page } = await open(t, server, 'frontend-models/new');
  await page.getByLabel('Name').fill('chat');
  await page.getByLabel('When no rule matches').fill('missing');
  await press(page, 'Review');
  await page.getByText('missing is not one of the options').waitFor();
  assert.equal(await page.getByLabel('When no rule matches').inputValue(), 'missing');
});

it('finds one of many principals with the keyboard alone', async (t) => {
  const server = await emptyServer(t);
  for (let at = 0; at < 20; at += 1) {
    await make(server, '/admin/principals', { name: `service-${at}` });
  }
  const { page, watched } = await open(t, server, 'keys/new');
  const principal = page.getByRole('combobox', { name: 'Principal' });
  await principal.click();
  await page.getByRole('option', { name: 'service-7', exact: true }).waitFor();
  await principal.fill('17');
  const listed = page.getByRole('listbox').getByRole('option');
  assert.deepEqual(trimmed(await listed.allTextContents()), ['service-17']);
  await expectCleanScreen(page, watched);
  await principal.press('Enter');
  await page.getByText('service-17 can invoke').waitFor();
  assert.equal(await principal.inputValue(), 'service-17');
  await principal.fill('no such one');
  await page.getByText('No matches').waitFor();
  await principal.press('Escape');
  assert.equal(await principal.inputValue(), 'service-17');
});

it('shows the screen and the action of a name above the records of that name', async (t) => {
  const server = await emptyServer(t);
  const { id } = await make(server, '/admin/principals', { name: 'nightly' });
  for (let at = 0; at < 12; at += 1) {
    await make(server, '/admin/keys', { name: `key-${at}`, principal_id: id });
  }
  const { page } = await open(t, server, 'overview');
  await page.keyboard.press('Control+k');
  const palette = page.locator('gw-palette');
  await palette.getByRole('combobox').fill('key');
  await palette.getByRole('option', { name: 'key-0' }).waitFor();
  const options = trimmed(await palette.getByRole('option').allTextContents());
  assert.match(options[0] ?? '', /^API keys/u);
  assert.ok(options.findIndex((text) => text.startsWith('Create API key')) < 3, options.join());
  assert.equal(options.filter((text) => text.startsWith('key-')).length, 3);
  await page.getByRole('link', { name: /9 more|10 more/u }).waitFor();
});

const trimmed = (texts: readonly string[]): readonly string[] => texts.map((text) => text.trim());
