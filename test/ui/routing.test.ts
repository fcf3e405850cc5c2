// Tests frontend models, pools and prompt classes in a browser, with rules and the dry run. Results
// are checked on the server.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { Page } from 'playwright-core';

import { promptClasses } from './harness/company-routing.ts';
import { press, saveDialog } from './harness/actions.ts';
import { emptyServer, open } from './harness/server.ts';
import { make, read } from './harness/records.ts';
import { reason, routedServer, rulesOf } from './harness/routed-server.ts';
import { toast } from './harness/toast.ts';
import { usageOf } from './harness/traffic.ts';
import { expectCleanScreen } from './harness/watch.ts';

it('a rule is moved with the keyboard, and the dry run shows the new reason before it is published', async (t) => {
  const server = await routedServer(t);
  const { page, watched } = await open(t, server, 'frontend-models/1?stream=true');
  await page.getByText('Published', { exact: true }).waitFor();
  assert.equal(await reason(page).textContent(), 'rule:0');

  await page.getByRole('button', { name: /^Move Rule #1/ }).press('ArrowDown');
  await page.getByText('With your changes').waitFor();
  assert.equal(await reason(page).textContent(), 'rule:1');
  await page.getByText('Currently published: rule:0: small').waitFor();
  const focused = page.getByRole('button', { name: /^Move Rule #1/ });
  assert.equal(await focused.evaluate((one) => one.matches(':focus')), true);
  assert.equal((await rulesOf(server))[0]?.['stream'], true);
  await page.getByText('More: headers, prompt, time, version, replay').click();
  await expectCleanScreen(page, watched);

  await press(page, 'Save order');
  await saveDialog(page)
    .getByRole('row', { name: /Position 1.*streamed: small/ })
    .waitFor();
  await saveDialog(page).getByLabel('Reason').fill('Large prompts first');
  await press(saveDialog(page), 'Save order');
  await page.getByText(/Rules of chat reordered · version \d+/).waitFor();
  assert.deepEqual(
    (await rulesOf(server)).map((rule) => rule['min_prompt_tokens']),
    [1_000, null],
  );
  await page.getByText('Published', { exact: true }).waitFor();
  assert.equal(await reason(page).textContent(), 'rule:1');
});

it('a dry run takes a caller by name, and lists its limits', async (t) => {
  const server = await routedServer(t);
  await make(server, '/admin/principals', { name: 'reader' });
  const { page } = await open(t, server, 'frontend-models/1');
  await page.getByText('Published', { exact: true }).waitFor();
  await page.getByLabel('Caller').fill('unknown-user');
  await page.getByText('no principal has the name unknown-user').waitFor();
  await page.getByLabel('Caller').fill('reader');
  await page.getByText('the caller has no permission to invoke model other').waitFor();
  await page.getByText('Assumes all backends are healthy').waitFor();
  await page.getByText('Assumes no load').waitFor();
  await page.getByText('Uses the prompt class given here').waitFor();
});

it('a past version shows its rules, and the dry run uses them', async (t) => {
  const server = await routedServer(t);
  const [newest] = Object.values(
    Object((await server.send('GET', '/admin/snapshots?limit=1')).body),
  );
  const version = String(Reflect.get(Object(newest), 'version'));
  assert.equal((await server.send('PUT', '/admin/frontend-models/1/rules', [])).status, 200);
  const { page } = await open(t, server, `frontend-models/1?stream=true&as_of=${version}`);
  await page.getByText('On this version').waitFor();
  assert.equal(await reason(page).textContent(), 'rule:0');
  await page.locator('gw-rules .chip', { hasText: 'streamed, met' }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'Create rule' }).count(), 0);

  const pool = await server.send('POST', '/admin/model-pools', { name: 'fast', members: [] });
  assert.equal(pool.status, 200);
  const made = pool.headers.get('x-gw-snapshot-version');
  await page.goto(`/ui/frontend-models/pools/1?as_of=${made}`);
  await page.getByRole('button', { name: 'Copy as' }).waitFor();
  for (const name of ['Edit', 'Delete']) {
    assert.equal(await page.getByRole('link', { name, exact: true }).count(), 0);
    assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0);
  }
});

it('a rule is dragged after another, and back', async (t) => {
  const server = await routedServer(t);
  const { page } = await open(t, server, 'frontend-models/1?stream=true');
  await page.getByText('Published', { exact: true }).waitFor();
  const drag = async (from: string, to: string): Promise<void> => {
    const box = async (name: string) => {
      const found = await page
        .getByRole('button', { name: new RegExp(`^Move ${name}`) })
        .boundingBox();
      assert.ok(found !== null);
      return { x: found.x + found.width / 2, y: found.y + found.height / 2 };
    };
    const [start, end] = [await box(from), await box(to)];
    await page.mouse.move(start.x, start.y);
    await page.mouse.down();
    await page.mouse.move(end.x, end.y + (end.y > start.y ? 60 : -20), { steps: 4 });
    await page.mouse.up();
  };
  await drag('Rule #1', 'Rule #2');
  await page.getByText('With your changes').waitFor();
  assert.equal(await reason(page).textContent(), 'rule:1');
  await drag('Rule #1', 'Rule #2');
  await page.getByText('Published', { exact: true }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Save order' }).count(), 0);
  await drag('Rule #1', 'Rule #2');
  await press(page, 'Save order');
  await press(saveDialog(page), 'Save order');
  await page.getByText('Rules of chat reordered').waitFor();
  assert.deepEqual(
    (await rulesOf(server)).map((rule) => rule['stream']),
    [null, true],
  );
});

it('a rule is created before another; a refusal of the server is shown at its field', async (t) => {
  const server = await routedServer(t);
  const { page } = await open(t, server, 'frontend-models/1');
  await page.getByRole('link', { name: 'Create rule' }).click();
  await page.getByLabel('Position').selectOption('Before Rule #1');
  const form = page.locator('gw-rule-form');
  await press(form, 'Headers');
  await form.getByRole('textbox', { name: 'Headers' }).fill('X-Tier: none');
  await press(form, 'Time');
  await page.getByLabel('Mon', { exact: true }).check();
  await page.getByLabel('Action', { exact: true }).selectOption({ label: 'Deny the request' });
  await page.getByLabel('Status').fill('500');
  await press(page, 'Review change');
  await press(saveDialog(page), 'Create rule');
  const field = page.locator('gw-field[name=deny_status]');
  await field.getByText(/deny_status/).waitFor();
  assert.equal(await field.getByLabel('Status').getAttribute('aria-invalid'), 'true');
  assert.equal((await rulesOf(server)).length, 2);

  await page.getByLabel('Status').fill('429');
  await page.getByLabel('Message').fill('Not on Mondays');
  await press(page, 'Review change');
  await press(saveDialog(page), 'Create rule');
  await toast(page, 'Rule created in chat');
  const [made] = await rulesOf(server);
  assert.deepEqual(
    [made?.['action'], made?.['deny_status'], made?.['headers'], made?.['days']],
    ['deny', 429, { 'x-tier': 'none' }, [1]],
  );
});

it('a rule is edited with a live dry run, loses its conditions, and is deleted', async (t) => {
  const server = await routedServer(t);
  const { page } = await open(t, server, 'frontend-models/1?tokens=500');
  await page.getByText('Published', { exact: true }).waitFor();
  assert.equal(await reason(page).textContent(), 'default');
  await page.getByRole('link', { name: 'Edit Rule #2' }).click();
  const form = page.locator('gw-rule-form');
  assert.equal(await form.getByLabel('Prompt tokens, min').inputValue(), '1000');
  await press(form, 'Remove Prompt size');
  await form.getByLabel('Tag').fill('every');
  await form.getByLabel('Targets').fill('small');
  await form.getByLabel('Targets').press('Enter');
  await page.getByText('With your changes').waitFor();
  assert.equal(await reason(page).textContent(), 'rule:1');
  await press(page, 'Review change');
  await press(saveDialog(page), 'Save changes');
  await toast(page, 'Rule #2 of chat updated');
  const [, changed] = await rulesOf(server);
  assert.deepEqual([changed?.['min_prompt_tokens'], changed?.['tag']], [null, 'every']);
  const targets: unknown = changed?.['targets'];
  assert.ok(Array.isArray(targets));
  assert.deepEqual(
    targets.map((target) => Reflect.get(Object(target), 'model')),
    ['large', 'small'],
  );

  await press(page, 'Delete Rule #2');
  await page.getByLabel('Type Rule #2 to confirm').fill('Rule #2');
  await press(saveDialog(page), 'Delete rule');
  await toast(page, 'Rule #2 of chat deleted');
  assert.equal((await rulesOf(server)).length, 1);
});

it('a pool gets members with weights and a policy, and cannot be deleted while it is used', async (t) => {
  const server = await routedServer(t);
  const { page } = await open(t, server, 'frontend-models/pools');
  await page.getByRole('link', { name: 'Create pool' }).first().click();
  await page.getByLabel('Name').fill('fast');
  const members = page.getByLabel('Members');
  for (const name of ['small', 'large']) {
    await members.fill(name);
    await members.press('Enter');
  }
  await members.fill('nothing');
  await members.press('Enter');
  await page.getByText('nothing is not one of the options').waitFor();
  await members.fill('');
  await page.getByLabel('Weight of small').fill('3');
  await press(page, 'Move large up');
  await press(page, 'Review');
  await press(saveDialog(page), 'Create pool');
  await toast(page, 'Pool fast created');
  const made = await read(server, '/admin/model-pools/1');
  assert.ok(Array.isArray(made['members']));
  assert.deepEqual(
    made['members'].map(({ model, weight }) => [model, weight]),
    [
      ['large', 1],
      ['small', 3],
    ],
  );
  await page.getByText('weight 3, 75 %').waitFor();

  await page.getByRole('link', { name: 'Edit', exact: true }).last().click();
  await page.getByLabel('Policy').selectOption('round-robin');
  await press(page, 'Review change');
  await press(saveDialog(page), 'Save changes');
  await toast(page, 'Pool fast updated');
  assert.equal((await read(server, '/admin/model-pools/1'))['policy'], 'round-robin');

  const used = { default_targets: ['fast'] };
  assert.equal((await server.send('PATCH', '/admin/frontend-models/1', used)).status, 200);
  await page.goto('/ui/frontend-models/pools/1');
  await press(page, 'Delete');
  await page.getByText('chat (default)').waitFor();
  await page.getByLabel('Type fast to confirm').fill('fast');
  await press(saveDialog(page), 'Delete pool');
  await saveDialog(page).getByRole('alert').getByText(/fast/).waitFor();
  assert.equal((await server.send('GET', '/admin/model-pools/1')).status, 200);
});

it('the fallback model is set, and cleared again', async (t) => {
  const server = await routedServer(t);
  const { page } = await open(t, server, 'frontend-models');
  await page.getByRole('link', { name: 'Set', exact: true }).click();
  await page
    .getByRole('combobox', { name: 'Global fallback model' })
    .selectOption({ label: 'large' });
  await press(page, 'Review change');
  await press(saveDialog(page), 'Save fallback');
  await page.getByText('Global fallback model set to large').waitFor();
  assert.equal((await read(server, '/admin/fallback-model'))['model'], 'large');

  await page.locator('.facts').getByRole('link', { name: 'Edit' }).click();
  await page.getByRole('combobox', { name: 'Global fallback model' }).selectOption('');
  await press(page, 'Review change');
  await press(saveDialog(page), 'Clear fallback');
  await toast(page, 'Global fallback model cleared');
  assert.equal((await read(server, '/admin/fallback-model'))['model_id'], null);
});

it('a frontend model is created with defaults, edited, and deleted by its name', async (t) => {
  const server = await routedServer(t);
  await make(server, '/admin/frontend-models', {
    name: 'entry',
    rules: [{ action: 'jump', jump_to: 1 }],
  });
  const { page } = await open(t, server, 'frontend-models/new');
  await page.getByLabel('Name').fill('chat');
  const targets = page.getByLabel('When no rule matches');
  await targets.fill('large');
  await targets.press('Enter');
  await press(page, 'Review');
  await press(saveDialog(page), 'Create frontend model');
  await page.locator('gw-field[name=name]').getByText(/chat/).first().waitFor();
  await page.getByLabel('Name').fill('code');
  await press(page, 'Review');
  await press(saveDialog(page), 'Create frontend model');
  await page.getByRole('heading', { name: 'code' }).waitFor();
  await page.getByRole('link', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Context window shown to clients').fill('4096');
  await press(page, 'Review change');
  await press(saveDialog(page), 'Save changes');
  await toast(page, 'Frontend model code updated');
  assert.equal((await read(server, '/admin/frontend-models/3'))['max_model_len'], 4_096);

  await page.goto('/ui/frontend-models/1');
  await press(page, 'Delete');
  await page.getByText('entry Rule #3').last().waitFor();
  await page.getByLabel('Type chat to confirm').fill('chat');
  await press(saveDialog(page), 'Delete frontend model');
  await toast(page, 'Frontend model chat deleted');
  assert.equal((await server.send('GET', '/admin/frontend-models/1')).status, 404);
});

/** A metric that is better than in the evaluation that it is compared with. */
const gain = (page: Page) =>
  page
    .locator('gw-evaluation')
    .getByText(/^\+0\.\d\d/)
    .first();

it('a class is created from pasted examples, tried, evaluated, and evaluated again', async (t) => {
  const server = await emptyServer(t);
  const [coding, ...others] = promptClasses;
  assert.ok(coding !== undefined);
  for (const one of others) await make(server, '/admin/prompt-classes', one);
  const { page, watched } = await open(t, server, 'prompt-classes/new', { theme: 'dark' });
  await page.getByLabel('Name').fill('coding');
  await page.getByLabel('Margin').fill('far');
  await page.getByLabel('Examples').fill([...coding.examples.slice(0, 15), ''].join('\n'));
  await press(page, 'Review');
  await page.locator('gw-field[name=min_margin]').getByText('must be a number').waitFor();
  await page.getByLabel('Margin').fill('0');
  await page.getByText('15 prompts').waitFor();
  const labels = coding.examples.map((_, index) => `coding ${index + 1}`);
  await page.getByLabel('Labels').fill(labels.join('\n'));
  await press(page, 'Review');
  await page.getByText('20 labels are given for 15 examples').waitFor();
  await page.getByLabel('Labels').fill(labels.slice(0, 15).join('\n'));
  await press(page, 'Review');
  await press(saveDialog(page), 'Create class');
  await toast(page, 'Prompt class coding created');
  await page.getByRole('link', { name: 'Add examples' }).click();
  await page.getByRole('textbox', { name: 'Examples' }).fill(coding.examples.slice(10).join('\n'));
  await page.getByRole('textbox', { name: 'Labels' }).fill(labels.slice(10).join('\n'));
  await press(page, 'Review change');
  await press(saveDialog(page), 'Add 10 examples');
  await toast(page, '10 examples added to coding');
  const made = await read(server, `/admin/prompt-classes/${others.length + 1}`);
  assert.deepEqual([made['examples'], made['min_margin'], made['routable']], [20, 0, true]);
  const listed = page.getByRole('list', { name: 'Examples' }).getByRole('listitem');
  await listed.filter({ hasText: '#20 coding 20' }).waitFor();
  await press(page, 'Close');

  await page
    .getByRole('textbox', { name: 'Test a prompt' })
    .fill('Which medicine helps against a headache and fever?');
  await press(page, 'Classify');
  await page.locator('gw-class-trial').getByText('medicine', { exact: true }).waitFor();
  await press(page, 'Evaluate');
  const row = page.locator('gw-evaluation').getByRole('row', { name: /^coding/ });
  await row.waitFor();
  assert.match((await row.textContent()) ?? '', /%.*0\.\d\d.*databases 0\.\d\d/s);
  const confused = page.getByRole('list', { name: 'Misclassified examples' });
  await confused
    .getByText(/#\d+ coding \d+/)
    .first()
    .waitFor();

  const id = others.findIndex(({ name }) => name === 'databases') + 1;
  await server.send('DELETE', `/admin/prompt-classes/${id}`);
  await press(page, 'Evaluate');
  await gain(page).waitFor();
  await press(page, 'Evaluate');
  await gain(page).waitFor({ state: 'detached' });
  await expectCleanScreen(page, watched);

  const { page: other } = await open(t, server, 'prompt-classes/evaluation');
  const said = other.locator('gw-evaluation').getByRole('paragraph').first();
  assert.match((await said.textContent()) ?? '', /by\s+boss on version \d+, with\s+encoder/);
  const compared = other.getByLabel('Compare with');
  assert.equal(await compared.locator('option').count(), 2);
  await compared.selectOption({ index: 1 });
  await gain(other).waitFor();
});

it('a recorded request is replayed on the rules', async (t) => {
  const server = await routedServer(t);
  const untilMs = Date.now();
  const [event] = usageOf({ sinceMs: untilMs - 3_600_000, untilMs });
  assert.ok(event !== undefined);
  const recorded = {
    ...event,
    principal_id: 1,
    virtual_model: 'chat',
    stream: true,
    route: 'rule:1',
  };
  await server.admin.needs.machines.takeUsage({ replica: 'gateway-1', events: [recorded] });
  const { page } = await open(t, server, 'frontend-models/1');
  await page.getByText('More: headers, prompt, time, version, replay').click();
  await page.getByLabel('Replay a recorded request').selectOption(event.id);
  const fact = page.locator('gw-dry-run .fact', { hasText: 'Recorded' });
  await fact.getByText('another rule').waitFor();
  assert.equal(await reason(page).textContent(), 'rule:0');
  assert.equal(await page.getByLabel('Streamed').isChecked(), true);
  const { searchParams } = new URL(page.url());
  assert.deepEqual(
    [searchParams.get('from'), searchParams.get('tokens'), searchParams.get('replay')],
    ['1', '900', event.id],
  );
});
