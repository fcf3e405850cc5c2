// Tests what-if over HTTP and the command line, on usage rows as proxies report them.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { it } from 'node:test';

import { z } from 'zod';

import { whatIfSummary } from '../record.ts';
import { createWhatIf } from '../what-if.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import { errorOf, member, testAdministrator } from '../../../test/harness/admin/admin.ts';
import { gw } from '../../../test/harness/program/command-line.ts';
import { temporaryDirectory } from '../../../test/harness/temporary-directory.ts';
import { listedProvider } from '../../../test/harness/upstream/model-list.ts';
import { testKey } from '../../../test/harness/control/plane.ts';
import { reported, reportUsage } from '../../../test/harness/admin/usage.ts';

const answered = whatIfSummary.extend({ base: z.unknown(), proposed: z.unknown() });

const minute = 60_000;
const begin = Math.floor(Date.now() / minute) * minute - 30 * minute;
const at = (number: number): string => new Date(begin + number * 1_000).toISOString();
const window = { since: at(0), until: at(1_000) };

/**
 * Creates two models of one provider (`small` has a price) with the frontend model `chat`, and a
 * caller with a key.
 */
async function house(test: Parameters<typeof testAdministrator>[0]) {
  const started = await testAdministrator(test);
  const { send, plane } = started;
  const { apiBase } = await listedProvider(test, {});
  await send('POST', '/admin/providers', { name: 'rack', api_base: apiBase });
  const prices = { input_price_per_mtok: 2_000_000, output_price_per_mtok: 4_000_000 };
  await send('POST', '/admin/models', { name: 'small', ...prices });
  await send('POST', '/admin/models', { name: 'large' });
  for (const id of [1, 2]) await send('POST', `/admin/models/${id}/backends`, { provider_id: 1 });
  await send('POST', '/admin/frontend-models', { name: 'chat', default_targets: ['small'] });
  await send('POST', '/admin/principals', { name: 'caller' });
  await send('POST', '/admin/principals/3/roles', { role: 'inference' });
  await send('POST', '/admin/keys', { name: 'k', principal_id: 3 });
  const { version } = plane.store.state();
  const row = (number: number, change: Readonly<Record<string, unknown>> = {}) =>
    reported(number, {
      at: at(number),
      principal_id: 3,
      key_id: 1,
      snapshot_version: version,
      route: 'default',
      frontend_model_id: 1,
      ...change,
    });
  const whatIf = async (body: object) => {
    const answer = await send('POST', '/admin/what-if', { ...window, ...body });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answered.parse(answer.body);
  };
  return { ...started, version, row, whatIf };
}

const rule = (body: object) => ({
  method: 'POST',
  path: '/admin/frontend-models/1/rules',
  body: { targets: ['large'], ...body },
});

it('calls that are proposed are put to the requests of a window, and nothing is written', async (t) => {
  const started = await house(t);
  const { whatIf, row, plane, version } = started;
  const long = { prompt_estimate: 5_000, prompt_tokens: 5_000 };
  await reportUsage(started, [
    row(1),
    row(2, long),
    row(3, {
      virtual_model: 'large',
      model: 'large',
      model_id: 2,
      route: 'concrete',
      frontend_model_id: null,
    }),
  ]);
  const before = plane.store.state().position;
  const price = { input_price_per_mtok: 1_000_000, output_price_per_mtok: 0 };
  const calls = [
    rule({ min_prompt_tokens: 4_000 }),
    { method: 'PATCH', path: '/admin/models/2', body: price },
  ];
  const found = await whatIf({ calls });
  assert.deepEqual(found.base, { position: before, version });
  assert.deepEqual([found.proposed, found.recorded, found.compared], [null, 3, 3]);
  assert.deepEqual(found.total, {
    requests: 3,
    same: 2,
    newly_denied: 0,
    newly_allowed: 0,
    rerouted: 1,
    not_told: 0,
    // The large model has no price yet.
    unpriced: 1,
    // 1,000 × 2 + 500 × 4, and 5,000 × 2 + 500 × 4, per million.
    cost_before: '0.016000',
    cost_after: '0.009000',
    cost_difference: '-0.007000',
  });
  assert.deepEqual(found.moves.first, [{ from: 'small', to: 'large', requests: 1 }]);
  assert.deepEqual(
    found.by_model.first.map(({ model, requests, rerouted }) => [model, requests, rerouted]),
    [
      ['chat', 2, 1],
      ['large', 1, 0],
    ],
  );
  assert.deepEqual(
    found.by_principal.first.map(({ principal_id, principal }) => [principal_id, principal]),
    [[3, 'caller']],
  );
  const [changed] = found.changed;
  assert.deepEqual(
    [changed?.usage_id, changed?.change, changed?.before?.to?.name, changed?.after?.route],
    [row(2).id, 'rerouted', 'small', 'rule:0'],
  );
  assert.deepEqual([changed?.cost_before_micros, changed?.cost_after_micros], [12_000, 5_000]);
  assert.equal(plane.store.state().position, before);
});

it('another version is proposed, and the present is what it is compared with', async (t) => {
  const started = await house(t);
  const { whatIf, row, send, version, plane } = started;
  const denial = { action: 'deny', deny_status: 403, stream: true };
  await send('POST', '/admin/frontend-models/1/rules', denial);
  const denying = plane.store.state().version;
  await reportUsage(started, [
    row(1, {
      stream: true,
      status: 403,
      refusal: 'authorisation',
      route: 'rule:0',
      rule_id: 1,
      model_id: null,
      model: null,
      snapshot_version: denying,
    }),
    row(2, { snapshot_version: denying }),
    row(3, { stream: true }),
  ]);
  const back = await whatIf({ version });
  assert.deepEqual(member(back.base, 'version'), denying);
  assert.deepEqual(member(back.proposed, 'version'), version);
  assert.deepEqual([back.total.newly_allowed, back.total.same], [2, 1]);
  const forth = await whatIf({ version: String(denying), base: version });
  assert.deepEqual([forth.total.newly_denied, forth.total.same], [2, 1]);
  const path = `/admin/snapshots/${version}/restore`;
  const restore = await send('POST', path, { dry_run: true });
  const shown = whatIfSummary.parse(member(restore.body, 'what_if'));
  assert.deepEqual([shown.total.newly_allowed, shown.total.same], [2, 1]);
  const same = await whatIf({ version: denying });
  assert.deepEqual([same.total.same, same.changed, same.moves.first], [3, [], []]);
});

it('a key that goes takes its requests with it, and what is not told is counted apart', async (t) => {
  const started = await house(t);
  const { whatIf, row, send, plane, version } = started;
  await reportUsage(started, [
    row(1),
    row(2, { snapshot_version: 0 }),
    row(3, { snapshot_version: 900_000 }),
  ]);
  const gold = await whatIf({ calls: [rule({ headers: { 'x-tier': 'gold' } })] });
  assert.deepEqual([gold.total.not_told, gold.without_version, gold.compared], [2, 1, 2]);
  assert.deepEqual(gold.not_told.first, [{ what: 'headers.x-tier', requests: 2 }]);
  await send('DELETE', '/admin/keys/1');
  const revoked = plane.store.state().version;
  const gone = await whatIf({ version: revoked, base: version });
  assert.equal(gone.total.newly_denied, 2);
  assert.deepEqual(gone.changed[0]?.after?.denied, { status: 401, message: 'key 1 is revoked' });
});

it('of more requests than are asked for, some are compared at even distances', async (t) => {
  const started = await house(t);
  const { whatIf, row } = started;
  const rows = Array.from({ length: 90 }, (_, number) => row(number + 1));
  await reportUsage(started, rows);
  const found = await whatIf({ calls: [rule({})], requests: 9, changed: 9 });
  assert.deepEqual([found.recorded, found.compared, found.has_older], [90, 9, false]);
  const places = found.changed.map((one) => (Date.parse(one.at) - begin) / 1_000 - 1);
  assert.deepEqual(places, [0, 10, 20, 30, 40, 50, 60, 70, 80]);
});

it('the calls of a change request are proposed by its id', async (t) => {
  const started = await house(t);
  const { whatIf, row, send } = started;
  await reportUsage(started, [row(1)]);
  const calls = [rule({ max_prompt_tokens: 4_000 })];
  const draft = { title: 'Larger', calls, reason: 'CHG-1' };
  const drafted = await send('POST', '/admin/change-requests', draft);
  const found = await whatIf({ change_request: member(drafted.body, 'id') });
  assert.deepEqual([found.total.rerouted, found.proposed], [1, null]);
});

it('gw what-if says the same, and exits 10 when something would change', async (t) => {
  const started = await house(t);
  const { row, databaseUrl, version } = started;
  await reportUsage(started, [row(1), row(2)]);
  const env = {
    GW_DATABASE_URL: databaseUrl,
    GW_ENCRYPTION_KEY: Buffer.from(testKey).toString('hex'),
  };
  const file = path.join(await temporaryDirectory(t), 'calls.json');
  await writeFile(file, JSON.stringify([rule({})]));
  const said = await gw(['what-if', '-f', file, '--since', window.since], { env });
  assert.deepEqual([said.code, said.stderr], [10, '']);
  assert.match(said.stdout, /^2 of 2 requests, /);
  assert.match(
    said.stdout,
    /^against version \d+: 2 re-routed, 0 newly denied, 0 newly allowed, /m,
  );
  assert.match(said.stdout, /^ {2}2 {2}small -> large$/m);
  const same = await gw(['what-if', '--version', String(version), '--json'], { env });
  assert.deepEqual([same.code, JSON.parse(same.stdout).total.same], [0, 2]);
  assert.equal((await gw(['what-if', '--change-request', '9'], { env })).code, 5);
  assert.equal((await gw(['what-if', '--change-request', 'soon'], { env })).code, 2);
  await writeFile(file, '[');
  assert.equal((await gw(['what-if', '-f', file], { env })).code, 2);
});

it('it ends when its time is up, says what it left out, and is asked by few at once', async (t) => {
  const started = await house(t);
  const { row, plane } = started;
  await reportUsage(
    started,
    Array.from({ length: 40 }, (_, number) => row(number + 1)),
  );
  let nowMs = 0;
  // The tables and the first rows use up the fifteen seconds.
  const monotonic = (): number => (nowMs += 200);
  const ask = createWhatIf({ core: () => plane, monotonic });
  const state = plane.store.state();
  const sizes = { requestsMax: 40, changedMax: 0 };
  const one = () => ask({ window, ...sizes, before: state, after: state });
  const answers = await Promise.all(Array.from({ length: 6 }, one));
  const refused = answers.filter(isRefusal).map(({ refused: code }) => code);
  assert.deepEqual(refused, ['unavailable']);
  for (const found of answers) {
    if (isRefusal(found)) continue;
    assert.ok(found.compared > 0 && found.not_reached > 0);
    assert.deepEqual([found.compared + found.not_reached, found.recorded], [40, 40]);
  }
});

it('what cannot be asked is refused', async (t) => {
  const { send } = await house(t);
  const cases = [
    [{}, 400, 'calls'],
    [{ version: 1, calls: [rule({})] }, 400, 'calls'],
    [{ calls: [rule({})], base: 1 }, 400, 'base'],
    [{ version: 999_999 }, 404, 'version'],
    [{ version: 'soon' }, 400, 'version'],
    [{ change_request: 9 }, 404, 'change_request'],
    [{ version: 2, base: 999_999 }, 404, 'base'],
    [{ version: 1, since: window.until, until: window.since }, 400, 'since'],
    [{ calls: [{ method: 'DELETE', path: '/admin/models/9' }] }, 404, 'calls.0'],
    [{ version: 1, requests: 5_001 }, 400, 'requests'],
  ] as const;
  for (const [body, status, param] of cases) {
    const answer = await send('POST', '/admin/what-if', body);
    assert.deepEqual([status, param], [errorOf(answer)[0], errorOf(answer)[2]]);
  }
});
