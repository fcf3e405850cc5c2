// Tests keys, principals, roles, limits, MCP servers, agents and settings in a browser. Results are
// checked on the server and at a gateway.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { settingFacts } from '../../src/cli/settings/setting-facts.ts';
import { readSettings } from '../../src/cli/settings/settings.ts';
import { adminPassword } from '../harness/admin/admin.ts';
import { startTestGateway } from '../harness/gateway/gateway.ts';
import { reportUsage, reported } from '../harness/admin/usage.ts';
import { until } from '../harness/wait.ts';
import { press } from './harness/actions.ts';
import { emptyServer, open, plainHost } from './harness/server.ts';
import type { Server } from './harness/server.ts';
import { make, rowNamed, rows } from './harness/records.ts';
import { toast } from './harness/toast.ts';

/** Creates a principal that holds the role, and returns its id. */
async function principal(server: Server, name: string, role = 'inference'): Promise<number> {
  const { id } = await make(server, '/admin/principals', { name });
  await make(server, `/admin/principals/${Number(id)}/roles`, { role });
  return Number(id);
}

const controlProgram = {
  role: 'control',
  version: 'test',
  uptimeSeconds: () => 1,
  isLeaving: () => false,
  backends: () => [],
} as const;

it('a key is shown once, opens the gateway, and is refused once it is revoked', async (t) => {
  const server = await emptyServer(t);
  const id = await principal(server, 'nightly');
  await using gateway = await startTestGateway(null);
  const { publisher } = server.admin.needs.machines;
  const statusWith = async (key: string): Promise<number> => {
    const { version } = server.plane.store.state();
    const { snapshot } = await until(
      () => {
        const current = publisher.current();
        return current !== null && current.snapshot.version >= version ? current : null;
      },
      { what: 'the version is published' },
    );
    assert.equal(gateway.live.apply(snapshot), undefined);
    const headers = { authorization: `Bearer ${key}` };
    const answer = await fetch(`${gateway.url}/v1/models`, { headers });
    await answer.text();
    return answer.status;
  };

  const { page } = await open(t, server, `keys/new/${id}`);
  await page.getByText('nightly can invoke every model.').waitFor();
  await page.getByLabel('Name').fill('ci');
  await press(page, 'Review');
  await page.getByRole('row', { name: /Principal\s+nightly/ }).waitFor();
  await press(page, 'Create API key');
  const dialog = page.locator('gw-made-bearer');
  const key = (await dialog.locator('pre').first().textContent()) ?? '';
  assert.match(key, /^gw-/);
  // This process does not know the address of its gateways and must not invent one.
  await dialog.getByText('--gateway-url').waitFor();
  assert.equal(await dialog.getByText('curl').count(), 0);
  await page.keyboard.press('Escape');
  assert.ok(
    await dialog.getByText(key, { exact: true }).isVisible(),
    'it stays until it is confirmed as saved',
  );
  assert.equal(await statusWith(key), 200);
  await page.getByLabel("I've saved this API key").check();
  await press(page, 'Done');
  await page.getByRole('definition').getByText('never').last().waitFor();
  assert.ok(!(await page.content()).includes(key));

  await press(page, 'Revoke');
  await page.getByLabel('Type ci to confirm').fill('ci');
  await page.getByLabel('Reason').fill('It leaked');
  await press(page, 'Revoke API key');
  await page.getByText(/API key ci revoked · version \d+/).waitFor();
  assert.equal((await rowNamed(server, '/admin/keys', 'ci'))?.['disabled'], true);
  assert.equal(await statusWith(key), 401);
});

it('a budget is set, shown as reached, and removed with a confirmation', async (t) => {
  const server = await emptyServer(t);
  const id = await principal(server, 'nightly');
  await server.send('POST', '/admin/models', { name: 'small' });
  const { page } = await open(t, server, `limits/${id}/budget`);
  await page.getByLabel('Cost limit').fill('ten');
  await press(page, 'Review change');
  await page.getByText(/must be an amount in US dollars/).waitFor();
  await page.getByLabel('Cost limit').fill('');
  await page.getByLabel('Token limit').fill('1,500');
  await press(page, 'Review change');
  await page.getByRole('row', { name: /Token limit added\s+unlimited\s+1,500/ }).waitFor();
  await press(page, 'Save budget');
  await toast(page, /Budget of nightly updated/);
  const [budget] = await rows(server, '/admin/budgets');
  assert.deepEqual([budget?.['tokens_total'], budget?.['cost_total_micros']], [1_500, null]);

  const event = reported(1, { principal_id: id, at: new Date().toISOString() });
  assert.equal((await reportUsage(server, [event])).status, 200);
  await page.goto('/ui/limits?state=reached');
  await page.getByRole('row', { name: /nightly .*tokens, reached/ }).click();
  await press(page, 'Delete the budget');
  await page.getByLabel('Type nightly to confirm').fill('nightly');
  await press(page, 'Delete budget');
  await page.getByText('Unlimited. This principal has no budget.').waitFor();
  assert.deepEqual(await rows(server, '/admin/budgets'), []);
});

it('a permission that is added to a role is granted to its holders', async (t) => {
  const server = await emptyServer(t);
  await server.send('POST', '/admin/frontend-models', { name: 'chat' });
  await server.send('POST', '/admin/roles', { name: 'talkers' });
  const id = await principal(server, 'nightly', 'talkers');
  const role = Number((await rowNamed(server, '/admin/roles', 'talkers'))?.['id']);
  const { page } = await open(t, server, `roles/${role}`);
  await page.getByText('No permissions.').waitFor();
  await page.locator('gw-field[name=resource] select').selectOption('model/chat');
  await press(page, 'Grant');
  await press(page, 'Grant permission');
  await page.getByText(/model:invoke model\/chat granted to talkers · version/).waitFor();
  const permissions = (await rowNamed(server, '/admin/roles', 'talkers'))?.['permissions'];
  assert.deepEqual(permissions, [{ verb: 'model:invoke', resource: 'model/chat' }]);

  await page.getByRole('link', { name: 'nightly' }).click();
  await page.getByText('Can invoke: chat.').waitFor();
  await page.getByText('from talkers').waitFor();
  await page.getByLabel('Grant a role').selectOption('operator');
  await press(page, 'Grant');
  await press(page, 'Grant role');
  await page.getByText('from operator').first().waitFor();
  const held = (await rows(server, '/admin/principals')).find((row) => row['id'] === id);
  assert.deepEqual(held?.['roles'], ['operator', 'talkers']);
});

it('keeps the input of a change when the session ends', async (t) => {
  const server = await emptyServer(t);
  await server.send('POST', '/admin/roles', { name: 'talkers' });
  const role = Number((await rowNamed(server, '/admin/roles', 'talkers'))?.['id']);
  const { page } = await open(t, server, `roles/${role}/edit`);
  await page.getByLabel('Description').fill('May talk');
  assert.equal((await server.send('POST', '/admin/sessions/revoke-all')).status, 200);
  await press(page, 'Review change');
  await press(page, 'Save changes');
  await page.getByText('Your unsaved work is kept.').waitFor();
  await page.getByLabel('Password').fill(adminPassword);
  await press(page, 'Sign in');
  const described = (): boolean =>
    [...server.plane.store.state().role.byId.values()].some(
      ({ description }) => description === 'May talk',
    );
  await until(described, { what: 'the role is described' });
});

it('a principal is created, gets a password, and is deleted with its keys', async (t) => {
  const server = await emptyServer(t);
  const { page } = await open(t, server, 'principals/new');
  await page.getByLabel('Name').fill('nightly');
  await press(page, 'Review');
  await press(page, 'Create principal');
  await page.getByText('Can invoke: no model.').waitFor();
  const id = Number((await rowNamed(server, '/admin/principals', 'nightly'))?.['id']);
  await server.send('POST', '/admin/keys', { name: 'ci', principal_id: id });
  const { body } = await server.send('POST', '/admin/principals', { name: 'nightly-too' });
  const other = Number(Reflect.get(Object(body), 'id'));
  await server.send('POST', '/admin/keys', { name: 'another', principal_id: other });

  // Only its own keys are listed, even if another principal has a similar name.
  await page.goto(`/ui/principals/${id}`);
  await page.getByRole('link', { name: '1 API key', exact: true }).click();
  await page.getByRole('link', { name: 'Principal: nightly, show all', exact: true }).waitFor();
  await page.getByRole('row', { name: / ci / }).waitFor();
  assert.equal(await page.getByRole('row', { name: / another / }).count(), 0);

  await page.goto(`/ui/principals/${id}/password`);
  await page.getByLabel('New password').fill('a long enough password');
  await page.getByLabel('Repeat password').fill('another');
  await press(page, 'Review change');
  await page.getByText('does not match the password above').waitFor();
  await page.getByLabel('Repeat password').fill('a long enough password');
  await press(page, 'Review change');
  await page.getByRole('row', { name: /Kind changed\s+service_account\s+user/ }).waitFor();
  await press(page, 'Set password');
  await page.getByRole('definition').getByText('user', { exact: true }).waitFor();

  await press(page, 'More');
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByText('1 API key, which stops working').waitFor();
  await page.getByLabel('Type nightly to confirm').fill('nightly');
  await press(page, 'Delete principal');
  await toast(page, 'Principal nightly deleted');
  assert.equal(await rowNamed(server, '/admin/principals', 'nightly'), undefined);
});

for (const { screen, path, noun } of [
  { screen: 'mcp-servers', path: '/admin/mcp-servers', noun: 'MCP server' },
  { screen: 'agents', path: '/admin/a2a-agents', noun: 'agent' },
]) {
  it(`creates, edits and deletes one of the ${screen}`, async (t) => {
    const server = await emptyServer(t);
    const { page } = await open(t, server, `${screen}/new`);
    const add = async (): Promise<void> => {
      await page.getByLabel('Name').fill('search');
      await page.getByLabel('Address').fill('https://search.example/rpc');
      await page.locator('gw-field[name=upstream_api_key] input').fill('sk-search');
      await press(page, 'Review');
      await press(page, `Create ${noun}`);
    };
    await add();
    await page
      .locator('gw-remote-record')
      .getByText(/Created .* by boss/)
      .waitFor();
    const made = await rowNamed(server, path, 'search');
    assert.equal(made?.['has_upstream_api_key'], true);
    await page.goto(`/ui/${screen}/new`);
    await add();
    await page
      .locator('gw-field[name=name]')
      .getByText(/search/)
      .waitFor();
    assert.equal((await rows(server, path)).length, 1);

    await page.goto(`/ui/${screen}/${String(made?.['id'])}/edit`);
    await page.getByLabel('Credential').selectOption('clear');
    await page.getByLabel('Enabled').uncheck();
    await press(page, 'Review change');
    await page.getByRole('row', { name: /Credential.* changed\s+set\s+none/ }).waitFor();
    await press(page, 'Save changes');
    await page.getByText(/by boss/).waitFor();
    const changed = await rowNamed(server, path, 'search');
    assert.deepEqual([changed?.['has_upstream_api_key'], changed?.['enabled']], [false, false]);

    await press(page, 'Delete');
    await page.getByLabel('Type search to confirm').fill('search');
    await press(page, `Delete ${noun}`);
    await toast(page, 'search deleted');
    assert.deepEqual(await rows(server, path), []);
  });
}

it('settings show their sources, and one action ends all sessions', async (t) => {
  const read = readSettings({
    flags: {},
    env: { GW_PORT: '4100', GW_DATABASE_URL: 'postgres://gw:secret@db/gw' },
    readFile: () => '',
  });
  assert.ok('settings' in read);
  const program = { ...controlProgram, settings: settingFacts(read.settings) };
  const server = await emptyServer(t, { program });
  const { page } = await open(t, server, 'settings?q=port');
  await page.getByRole('row', { name: /--port 4100 environment port of the gateway/ }).waitFor();
  await page.getByRole('row', { name: /--admin-port 4001 default/ }).waitFor();
  assert.ok(!(await page.content()).includes('secret@'));
  await press(page, 'Rebuild');
  await page.locator('gw-save').getByRole('button', { name: 'Rebuild' }).click();
  await page.getByText(/Snapshot rebuilt · version \d+/).waitFor();
  await press(page, 'End all sessions');
  await page.getByLabel('Type all sessions to confirm').fill('all sessions');
  await page.locator('gw-save').getByRole('button', { name: 'End all sessions' }).click();
  await page.getByText('Your unsaved work is kept.').waitFor();
});

it('text goes into the input that the user chose while a dialog opens', async (t) => {
  const server = await emptyServer(t);
  const { page } = await open(t, server, 'settings');
  await page.getByRole('button', { name: 'End all sessions' }).waitFor();
  await page.evaluate('window.held = []; requestAnimationFrame = (frame) => held.push(frame)');
  await press(page, 'End all sessions');
  const name = page.getByLabel('Type all sessions to confirm');
  await name.focus();
  await page.evaluate('while (held.length > 0) held.shift()(0)');
  await page.keyboard.type('all sessions');
  assert.equal(await name.inputValue(), 'all sessions');
});

it('a page without TLS from another host can save and copy', async (t) => {
  const server = await emptyServer(t);
  await principal(server, 'nightly');
  const url = server.url.replace('127.0.0.1', plainHost);
  const { page, watched } = await open(t, { ...server, url }, 'principals/new');
  assert.equal(await page.evaluate('isSecureContext'), false);
  await page.getByLabel('Name').fill('weekly');
  await press(page, 'Review');
  await press(page, 'Create principal');
  await until(() => rowNamed(server, '/admin/principals', 'weekly'), { what: 'it is there' });
  await page.getByRole('button', { name: 'Copy id' }).click();
  await page.getByText('copied', { exact: true }).first().waitFor();
  // The browser logs to the console that the page has no TLS.
  assert.deepEqual(watched.elsewhere, []);
});
