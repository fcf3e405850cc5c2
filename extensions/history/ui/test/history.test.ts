// Tests the history in a browser: undo of a change, restore of a version, undo from a notification,
// past versions, and verification of the hash chain. Results are checked on the server.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { Page } from 'playwright-core';

import { listedProvider } from '../../../../test/harness/upstream/model-list.ts';
import { reportUsage, reported } from '../../../../test/harness/admin/usage.ts';
import { press, saveDialog, typePrice } from '../../../../test/ui/harness/actions.ts';
import { emptyServer, open, sharedCompanyServer } from '../../../../test/ui/harness/server.ts';
import { pricedModel, priceNow } from '../../../../test/ui/harness/priced-model.ts';
import { rows } from '../../../../test/ui/harness/records.ts';
import { toast } from '../../../../test/ui/harness/toast.ts';
import { expectCleanScreen } from '../../../../test/ui/harness/watch.ts';

it('a wrong price is found in the history, and undone with a reason', async (t) => {
  const server = await emptyServer(t);
  await pricedModel(server);
  await server.send('PATCH', '/admin/provider-models/1', { input_price_per_mtok: 100_000_000 });
  await server.send('POST', '/admin/roles', { name: 'auditors' });

  const { page, watched } = await open(t, server, 'history?stream=model-1');
  const row = page.getByRole('row', { name: /Updated model engine .* boss/ });
  await page.getByRole('button', { name: 'What is Version?' }).click();
  await page.getByText('A version is a position in the event log.').waitFor();
  await page.keyboard.press('Escape');
  const record = row.getByRole('link', { name: 'engine', exact: true });
  assert.match((await record.getAttribute('href')) ?? '', /\/ui\/models\/1$/);
  await row.getByRole('link', { name: 'Updated model engine' }).click();
  const change = page.locator('gw-history-change');
  await change.getByRole('row', { name: /Input price changed\s+\$1.00 .*\s+\$100.00/ }).waitFor();
  await expectCleanScreen(page, watched);

  await press(change, 'Undo…');
  const dialog = saveDialog(page);
  await dialog.getByRole('heading', { name: 'Undo: Updated model engine' }).waitFor();
  await dialog.getByRole('row', { name: /Input price changed\s+\$100.00 .*\s+\$1.00/ }).waitFor();
  await expectCleanScreen(page, watched);
  assert.equal(await priceNow(server), 100_000_000);
  await dialog.getByLabel('Reason').fill('A zero too many');
  await press(dialog, 'Undo');
  await page.getByText(/Undone: Updated model engine · version \d+/).waitFor();
  assert.equal(await priceNow(server), 1_000_000);
  assert.ok((await rows(server, '/admin/roles')).some(({ name }) => name === 'auditors'));
  const [last] = await rows(server, '/admin/history/commands?limit=1');
  assert.deepEqual([last?.['command'], last?.['reason']], ['RestoreSnapshot', 'A zero too many']);
});

it('the audit log and the overview say what each change was, and lead to its record', async (t) => {
  const server = await emptyServer(t);
  await pricedModel(server);
  await server.send('DELETE', '/admin/provider-models/1');
  const { page, watched } = await open(t, server, 'audit');
  await page.getByRole('row', { name: /boss Deleted model engine engine DELETE/ }).waitFor();
  // A change from the command line has no path, but its record is shown.
  const byCommand = page.getByRole('row', { name: /Created principal boss/ });
  const record = byCommand.getByRole('link', { name: 'boss', exact: true });
  assert.match((await record.getAttribute('href')) ?? '', /\/ui\/principals\/\d+$/);
  await page.goto('/ui/overview');
  await page.getByRole('link', { name: 'Deleted model engine' }).waitFor();
  await expectCleanScreen(page, watched);
});

const priceShown = (page: Page, price: string) =>
  page.getByRole('button', { name: 'Edit input price of engine' }).getByText(price);

it('an undo without a reason says what it undoes, and types no version', async (t) => {
  const server = await emptyServer(t);
  await pricedModel(server);
  await server.send('PATCH', '/admin/provider-models/1', { input_price_per_mtok: 2_000_000 });
  const [wrong] = await rows(server, '/admin/history/commands?limit=1');
  const { page } = await open(t, server, `history/${String(wrong?.['id'])}`);
  await press(page.locator('gw-history-change'), 'Undo…');
  await press(saveDialog(page), 'Undo');
  await page.getByText(/Undone: Updated model engine/).waitFor();
  assert.equal(await priceNow(server), 1_000_000);
  const [last] = await rows(server, '/admin/history/commands?limit=1');
  assert.equal(last?.['reason'], `Undo of the change at position ${String(wrong?.['id'])}`);
});

it('a save is taken back from its notice, and so is the taking back', async (t) => {
  const server = await emptyServer(t);
  await pricedModel(server);
  const { page } = await open(t, server, 'models');
  await typePrice(page, { of: 'engine', to: '7' });
  await press(page, 'Save price');
  await press(page, 'Undo');
  await page.getByText(/Undone: Updated model engine · version \d+/).waitFor();
  assert.equal(await priceNow(server), 1_000_000);
  await priceShown(page, '$1.00').waitFor();
  await press(page, 'Undo');
  await priceShown(page, '$7.00').waitFor();
  assert.equal(await priceNow(server), 7_000_000);
});

it('an undo of what was changed again since is looked at first', async (t) => {
  const server = await emptyServer(t);
  await pricedModel(server);
  const { page } = await open(t, server, 'models');
  await typePrice(page, { of: 'engine', to: '7' });
  await press(page, 'Save price');
  await toast(page, /Price of engine updated · version/);
  await server.send('PATCH', '/admin/provider-models/1', { input_price_per_mtok: 9_000_000 });
  await press(page, 'Undo');
  await page.getByRole('row', { name: /Input price changed\s+\$9.00 .*\s+\$1.00/ }).waitFor();
  assert.equal(await priceNow(server), 9_000_000);
});

it('two versions are compared, the first is restored, and what was made since is gone', async (t) => {
  const server = await emptyServer(t);
  const version = await pricedModel(server);
  await server.send('PATCH', '/admin/provider-models/1', { description: 'The fast one' });
  await server.send('POST', '/admin/provider-models', { name: 'trial' });
  const { page, watched } = await open(t, server, 'history/versions');
  await page.getByRole('checkbox', { name: `Select ${version}` }).check();
  await page.getByRole('checkbox').nth(1).check();
  await page.getByRole('button', { name: `Compare ${version} with` }).click();
  await page.getByRole('row', { name: /Description added\s+none\s+The fast one/ }).waitFor();
  await page.getByRole('link', { name: 'trial' }).waitFor();
  await expectCleanScreen(page, watched);

  await page.goto(`/ui/history/versions/${version}`);
  await page.getByRole('link', { name: 'Restore…' }).click();
  await page.getByRole('checkbox', { name: /trial/ }).check();
  await page.getByRole('link', { name: 'All except selected' }).click();
  await page.getByText('Everything except trial.').waitFor();
  await page.reload();
  await page.getByText('Everything except trial.').waitFor();
  await page.getByRole('link', { name: `Restore everything from version ${version}` }).click();
  await press(page, 'Restore…');
  await page.getByLabel(`Type ${version} to confirm`).fill(String(version));
  await page.getByLabel('Reason').fill('CHG-9 failed');
  await press(page, 'Restore');
  await page.getByText(`Restored version ${version}`).waitFor();
  const models = await rows(server, '/admin/provider-models');
  assert.deepEqual(
    models.map(({ name, description }) => [name, description]),
    [['engine', null]],
  );
});

it('the past is looked at without a way to change it, from screen to screen, and left again', async (t) => {
  const server = await emptyServer(t);
  const version = await pricedModel(server);
  await server.send('PATCH', '/admin/provider-models/1', { input_price_per_mtok: 100_000_000 });
  const { page, watched } = await open(t, server, 'models');
  await press(page, 'Now');
  await page.getByLabel('Snapshot version or time').fill('yesterday');
  await press(page, 'Show');
  await page.getByText('must be a version or a time').waitFor();
  await page.getByLabel('Snapshot version or time').fill(String(version));
  await press(page, 'Show');
  await page.locator('gw-as-of-bar').getByText('Read-only.').waitFor();
  await page.getByRole('row', { name: /engine .*\$1.00/ }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'Create model' }).count(), 0);
  await expectCleanScreen(page, watched);
  await page.getByRole('link', { name: 'Roles' }).click();
  await page.getByRole('heading', { name: 'Roles' }).waitFor();
  assert.equal(new URL(page.url()).searchParams.get('as_of'), String(version));
  assert.equal(await page.getByRole('link', { name: 'Create role' }).count(), 0);
  await page.getByRole('link', { name: 'Models', exact: true }).click();
  await press(page, 'Next version');
  await page.getByRole('row', { name: /engine .*\$100.00/ }).waitFor();
  await press(page, 'Back to current');
  await page.getByRole('link', { name: 'Create model' }).waitFor();
});

it('a request is explained from its row: the rule that decided, and the models that it led to', async (t) => {
  const server = await emptyServer(t);
  for (const name of ['small', 'large']) await server.send('POST', '/admin/models', { name });
  await server.send('POST', '/admin/frontend-models', {
    name: 'chat',
    default_targets: ['small'],
    rules: [
      { headers: { 'x-tier': 'gold' }, targets: ['large'] },
      { max_prompt_tokens: 100, targets: ['small'] },
    ],
  });
  const { version } = server.plane.store.state();
  const at = new Date().toISOString();
  const event = reported(1, {
    at,
    principal_id: 2,
    snapshot_version: version,
    route: 'rule:0',
    frontend_model_id: 1,
    rule_id: 1,
    matched_headers: ['x-tier'],
    rule_inputs: { at_ms: 1, headers: { 'x-tier': 'gold' }, crowded_rules: [], cost_micros: null },
  });
  assert.equal((await reportUsage(server, [event])).status, 200);
  await server.send('PUT', '/admin/frontend-models/1/rules', { rules: [] });
  const { page, watched } = await open(t, server, 'usage?group=virtual_model');
  await page.getByRole('row', { name: /^chat/ }).click();
  await page.locator('gw-usage-requests tbody a').first().click();
  const explained = page.locator('gw-usage-explain');
  await explained.getByText('of chat').first().waitFor();
  await explained.getByText('decides').waitFor();
  await explained.getByText('x-tier = gold (request: gold)').waitFor();
  await explained.getByText('estimated').first().waitFor();
  await explained.getByText('The model has no provider.').waitFor();
  await expectCleanScreen(page, watched);
  const asOf = explained.getByRole('link', { name: 'Configuration as of this request' });
  const past = await asOf.getAttribute('href');
  await explained.getByRole('link', { name: 'Replay' }).click();
  const asked = page.locator('gw-dry-run .fact', { hasText: 'Recorded' });
  await asked.getByText('rule:0').waitFor();
  const { pathname, searchParams } = new URL(page.url());
  assert.deepEqual(
    [pathname, ...['replay', 'from', 'tokens', 'headers'].map((name) => searchParams.get(name))],
    ['/ui/frontend-models/1', event.id, '2', '900', 'x-tier: gold'],
  );
  await page.goto(new URL(past ?? '', page.url()).href);
  await page.getByText(`As of version ${version}`).first().waitFor();
  await page.getByRole('heading', { name: 'chat', exact: true }).waitFor();
  await page.locator('gw-rules [data-rule="1"]').getByText('Decided the request').waitFor();
});

it('an event has an address of its own, its neighbours, and a chain that the reader checks', async (t) => {
  const server = await emptyServer(t);
  await pricedModel(server);
  await server.send('PATCH', '/admin/provider-models/1', { input_price_per_mtok: 2_000_000 });
  const { page, watched } = await open(t, server, 'history/events');
  const [head] = await rows(server, '/admin/history/events?limit=1');
  const position = Number(head?.['position']);
  await page.getByText(`${position - 1} links of the hash chain verified`).waitFor();
  await page.goto(`/ui/history/events/${position}`);
  const event = page.locator('gw-history-event');
  await event.getByText('"input_price_per_mtok": 2000000').waitFor();
  await event.getByText(String(head?.['hash'])).waitFor();
  await event.getByRole('link', { name: 'Previous in stream' }).click();
  await event.getByText('"input_price_per_mtok": 1000000').waitFor();
  await expectCleanScreen(page, watched);
  await page.goto('/ui/history/log');
  await press(page, 'Verify the log in this browser');
  await page
    .getByText(`Verified: ${position} events and 0 signed checkpoints are intact.`)
    .waitFor();
});

it('who could call what is reviewed at a moment and between two, with the events that granted it', async (t) => {
  const server = await emptyServer(t);
  const version = await pricedModel(server);
  await server.send('POST', '/admin/principals', { name: 'nightly' });
  const principal = (await rows(server, '/admin/principals')).find(
    ({ name }) => name === 'nightly',
  );
  await server.send('POST', `/admin/principals/${String(principal?.['id'])}/roles`, {
    role: 'inference',
  });
  const { page, watched } = await open(t, server, 'history/access');
  await page.getByRole('row', { name: /nightly engine inference/ }).waitFor();
  await page.getByLabel('Compare with').fill(`v${version}`);
  await press(page, 'Review');
  await page.getByRole('row', { name: /nightly engine gained/ }).click();
  const grants = page.locator('gw-history-grants');
  await grants.getByText('by boss').waitFor();
  await expectCleanScreen(page, watched);
  await grants
    .getByRole('link', { name: /^event \d+/ })
    .first()
    .click();
  await page.getByText('PrincipalRoleGranted').first().waitFor();
});

it('every part of the history is clean where there is much, in the dark and on a narrow page', async (t) => {
  const server = await sharedCompanyServer();
  const paths = ['history/2000', 'history/versions/1000', 'history/log', 'limits/5?as_of=2900'];
  const { page, watched } = await open(t, server, 'history', { theme: 'dark', width: 360 });
  for (const path of paths) {
    await page.goto(`/ui/${path}`);
    await page.locator('h1').first().waitFor();
    await expectCleanScreen(page, watched);
  }
});

it('recorded requests are routed again on a version before it is restored', async (t) => {
  const server = await emptyServer(t);
  const { apiBase } = await listedProvider(t, {});
  await server.send('POST', '/admin/providers', { name: 'rack', api_base: apiBase });
  for (const [index, name] of ['small', 'large'].entries()) {
    await server.send('POST', '/admin/models', { name });
    await server.send('POST', `/admin/models/${index + 1}/backends`, { provider_id: 1 });
  }
  const version = Number(
    (
      await server.send('POST', '/admin/frontend-models', {
        name: 'chat',
        default_targets: ['small'],
      })
    ).headers.get('x-gw-snapshot-version'),
  );
  const events = [1, 2, 3].map((number) =>
    reported(number, {
      principal_id: 2,
      snapshot_version: version,
      route: 'default',
      model: 'small',
      frontend_model_id: 1,
      matched_headers: [],
      rule_inputs: { at_ms: 1, headers: {}, crowded_rules: [], cost_micros: null },
    }),
  );
  assert.equal((await reportUsage(server, events)).status, 200);
  await server.send('PATCH', '/admin/frontend-models/1', { default_targets: ['large'] });
  const { page, watched } = await open(t, server, `history/restore/${version}`);
  await press(page, 'Run preview');
  await page.getByText('Of 3 requests, 3 would have been rerouted').waitFor();
  await page
    .getByRole('row', { name: /rerouted large .* small/ })
    .first()
    .waitFor();
  await expectCleanScreen(page, watched);
});
