// Tests rules of a frontend model in a browser: their names, whether they are enabled, and copies
// of them.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { press, saveDialog } from './harness/actions.ts';
import { open } from './harness/server.ts';
import { reason, routedServer, rulesOf } from './harness/routed-server.ts';
import { toast } from './harness/toast.ts';
import { expectCleanScreen } from './harness/watch.ts';

it('a rule that is renamed, disabled and enabled keeps its position and its id', async (t) => {
  const server = await routedServer(t);
  const { page, watched } = await open(t, server, 'frontend-models/1?stream=true');
  await page.getByRole('link', { name: 'Edit Rule #1' }).click();
  await page.locator('gw-rule-form').getByLabel('Name').fill('Streams');
  await press(page, 'Review change');
  await press(saveDialog(page), 'Save changes');
  await toast(page, 'Rule #1 of chat updated');
  const card = page.locator('gw-rules [data-rule="1"]');
  await card.getByText('Streams', { exact: true }).waitFor();
  await card.getByText('#1', { exact: true }).waitFor();

  await page.getByRole('switch', { name: 'Enable Streams' }).click();
  await press(saveDialog(page), 'Disable rule');
  await toast(page, 'Streams of chat disabled');
  await card.getByText('Disabled').waitFor();
  assert.equal(await page.getByRole('switch', { name: 'Enable Streams' }).isChecked(), false);
  await page.locator('gw-rules [data-rule="2"]').getByText('rule:0', { exact: true }).waitFor();
  await reason(page).getByText('default', { exact: true }).waitFor();
  const [disabled] = await rulesOf(server);
  assert.deepEqual([disabled?.['id'], disabled?.['enabled']], [1, false]);
  await expectCleanScreen(page, watched);

  await page.getByRole('switch', { name: 'Enable Streams' }).click();
  await press(saveDialog(page), 'Enable rule');
  await toast(page, 'Streams of chat enabled');
  await reason(page).getByText('rule:0', { exact: true }).waitFor();
  assert.equal((await rulesOf(server))[0]?.['enabled'], true);
});

it('a copy of a rule is placed right after the original, and can be edited', async (t) => {
  const server = await routedServer(t);
  const { page } = await open(t, server, 'frontend-models/1');
  await page.getByRole('link', { name: 'Duplicate Rule #1' }).click();
  const form = page.locator('gw-rule-form');
  const name = form.getByLabel('Name');
  assert.equal(await name.inputValue(), 'Copy of Rule #1');
  await name.fill('Long streams');
  await press(form, 'Prompt size');
  await form.getByLabel('Prompt tokens, min').fill('500');
  await press(page, 'Review change');
  await press(saveDialog(page), 'Create rule');
  await toast(page, 'Rule created in chat');
  assert.deepEqual(
    (await rulesOf(server)).map((rule) => [rule['id'], rule['name'], rule['stream']]),
    [
      [1, null, true],
      [3, 'Long streams', true],
      [2, null, null],
    ],
  );
});

it('a narrow screen keeps the name of a rule on one line', async (t) => {
  const server = await routedServer(t);
  const { page } = await open(t, server, 'frontend-models/1', { width: 360 });
  const name = page.locator('gw-rules [data-rule="1"] .named');
  const route = page.locator('gw-rules [data-rule="1"] header code');
  const [named, routed] = [await name.boundingBox(), await route.boundingBox()];
  assert.ok((named?.height ?? Infinity) < 1.5 * (routed?.height ?? 0), `${named?.height} px`);
});
