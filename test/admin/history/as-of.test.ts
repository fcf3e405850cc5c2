// Tests as_of: a read at a log position always returns the same bytes, apart from data that is not
// in the log.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { readsPast } from '../../../src/admin/http/as-of.ts';
import { adminRoutes } from '../../../src/admin/routes.ts';
import type { Command } from '../../../src/deciders/decide.ts';
import { errorOf, testAdministrator } from '../../harness/admin/admin.ts';
import type { TestAdmin } from '../../harness/admin/admin.ts';
import { commandSequence } from '../../harness/events/commands.ts';
import { person } from '../../harness/control/plane.ts';
import { runs } from '../../harness/property-runs.ts';
import { until } from '../../harness/wait.ts';

const reads = adminRoutes.filter(readsPast);

/** Fields whose data is not in the log. They are null for the past. */
const unlogged = [
  'tokens_total_now',
  'cost_total_micros_now',
  'tokens_used',
  'cost_used_micros',
  'window_start',
  'window_end',
  'ttl_seconds',
  'lease_expires_at',
  'last_seen_at',
];
const withoutUnlogged = (text: string): string =>
  text.replaceAll(new RegExp(`"(${unlogged.join('|')})":[^,}]*`, 'g'), '"$1":null');

type Started = TestAdmin & Readonly<{ cookie: string }>;

const run = async ({ plane }: Started, commands: readonly Command[]): Promise<void> => {
  for (const command of commands) {
    if (!touchesCaller(command)) await plane.execute({ command }, person);
  }
};

/** Keeps the calling principal and its permissions. */
const touchesCaller = (command: Command): boolean =>
  ('id' in command &&
    command.id === 2 &&
    ['DeletePrincipal', 'SetPassword', 'RevokeRole'].includes(command.type)) ||
  ('role' in command &&
    command.role === 'admin' &&
    ['DeleteRole', 'UpdateRole', 'RevokePermission'].includes(command.type));

type Asked = Readonly<{ path: string; query?: string }>;

async function textOf({ url, cookie }: Started, { path, query = '' }: Asked) {
  const headers = { cookie: `gw_session=${cookie}` };
  const response = await fetch(`${url}${path}?${query}`, { headers });
  const shown = ['x-total-count', 'etag'].map((name) => response.headers.get(name));
  // Removes the request id, which differs per request.
  const text = (await response.text()).replace(/"request_id":"[^"]*"/, '');
  return [response.status, ...shown, withoutUnlogged(text)];
}

/** Every read, with the first few ids of each entity. */
const paths = reads.flatMap(({ path }) =>
  path.includes('{id}')
    ? [1, 2, 3].map((id) => path.replace('{id}', String(id)).replace('{example_id}', '1'))
    : path.replace('{name}', 'admin'),
);

it('every list and record of configuration can be read as of a past moment', () => {
  const listed = reads
    .map(({ operation }) => operation)
    .filter((name) => !name.endsWith('ByAlias'));
  assert.deepEqual(listed.toSorted(), [
    'getAdminToken',
    'getAgent',
    'getBackend',
    'getBudget',
    'getChangePolicy',
    'getDefaultTarget',
    'getFallbackModel',
    'getFrontendModel',
    'getKey',
    'getLimits',
    'getMcpServer',
    'getModel',
    'getPool',
    'getPoolMember',
    'getPrincipal',
    'getPromptClass',
    'getPromptExample',
    'getProvider',
    'getRole',
    'getRule',
    'getRuleTarget',
    'getWebhook',
    'listAdminTokens',
    'listAgents',
    'listBudgets',
    'listFrontendModels',
    'listKeys',
    'listLimits',
    'listMcpServers',
    'listModels',
    'listPools',
    'listPrincipals',
    'listPromptClasses',
    'listPromptExamples',
    'listProviders',
    'listRoles',
    'listWebhooks',
    'reviewAccess',
  ]);
});

it('a read of the past equals the earlier read of the present, in random histories', async (t) => {
  const started = await testAdministrator(t);
  const sequences = fc.sample(commandSequence(60), { ...runs(6), seed: 5 });
  const moments: { position: number; at: string; version: number; answers: unknown[] }[] = [];
  for (const commands of sequences) {
    await run(started, commands);
    const { position, version } = started.plane.store.state();
    const answers: unknown[] = [];
    for (const path of paths) answers.push(await textOf(started, { path }));
    const at = Date.now();
    moments.push({ position, version, at: new Date(at).toISOString(), answers });
    // Waits for the next millisecond, so that later events have a later time.
    await until(() => Date.now() > at, { what: 'a later time' });
  }
  for (const { position, at, answers } of moments) {
    for (const [index, path] of paths.entries()) {
      const past = await textOf(started, { path, query: `as_of=${position}` });
      assert.deepEqual(past, answers[index], `${path} as of ${position}`);
      const then = await textOf(started, { path, query: `as_of=${encodeURIComponent(at)}` });
      assert.deepEqual(then, answers[index], `${path} as of ${at}`);
    }
  }
});

describe('a moment', () => {
  it('is paged in the order of the tables, with the same content on all pages', async (t) => {
    const started = await testAdministrator(t);
    const { send } = started;
    for (const name of ['b', 'ä', 'Z', 'a', '😀', 'ﬀ', '豈', 'a b', 'a-b', 'aB']) {
      await send('POST', '/admin/models', { name });
    }
    const whole = await send('GET', '/admin/models');
    const { position } = started.plane.store.state();
    let next: string | undefined = `/admin/models?limit=3&as_of=${position}`;
    const walked: unknown[] = [];
    while (next !== undefined) {
      const page = await send('GET', next);
      assert.equal(page.headers.get('x-gw-log-position'), String(position));
      walked.push(...(Array.isArray(page.body) ? page.body : []));
      next = /^<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1];
      await send('POST', '/admin/models', { name: `later ${walked.length}` });
    }
    assert.deepEqual(walked, whole.body);
  });

  it('must be a version, a position or a time of the log', async (t) => {
    const { send, plane } = await testAdministrator(t);
    const head = plane.store.state().position;
    const asked = async (asOf: string) =>
      errorOf(await send('GET', `/admin/models?as_of=${encodeURIComponent(asOf)}`));
    for (const asOf of ['', 'now', '-1', '1.5', '01', '2026-11-21', '1e3', '9'.repeat(16)]) {
      assert.deepEqual(await asked(asOf), [400, 'invalid', 'as_of'], asOf);
    }
    for (const asOf of ['0', String(head + 1), '1999-01-01T00:00:00Z']) {
      assert.deepEqual(await asked(asOf), [404, 'absent', 'as_of'], asOf);
    }
    assert.equal((await send('GET', `/admin/models?as_of=${head}`)).status, 200);
    const elsewhere = await send('GET', `/admin/fleet?as_of=${head}`);
    assert.deepEqual(errorOf(elsewhere), [400, 'invalid', 'as_of']);
  });

  it('before the creation of an entity does not contain it', async (t) => {
    const { send, plane } = await testAdministrator(t);
    const before = plane.store.state().position;
    await send('POST', '/admin/model-pools', { name: 'pool' });
    assert.equal((await send('GET', '/admin/model-pools/1')).status, 200);
    const then = await send('GET', `/admin/model-pools/1?as_of=${before}`);
    assert.deepEqual(errorOf(then), [404, 'absent', null]);
    await send('DELETE', '/admin/model-pools/1');
    assert.equal((await send('GET', '/admin/model-pools/1')).status, 404);
    const held = await send('GET', `/admin/model-pools/1?as_of=${before + 1}`);
    assert.deepEqual([held.status, held.headers.get('etag')], [200, '"1"']);
  });
});
