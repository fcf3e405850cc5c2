// Tests price sync over HTTP: matches, unchanged prices, and the report about its sources.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';

import { lockLog } from '../../../src/db/log/event-log.ts';
import { errorOf, member, testAdministrator } from '../../harness/admin/admin.ts';
import { fileServer } from '../../harness/upstream/file-server.ts';
import type { ServedText } from '../../harness/upstream/file-server.ts';
import { listedProvider } from '../../harness/upstream/model-list.ts';
import { until } from '../../harness/wait.ts';

const fixture = (name: string): string =>
  readFileSync(new URL(`../../fixtures/prices/${name}.json`, import.meta.url), 'utf8');

const path = '/admin/prices/sync';

type Sources = Readonly<{ aggregator?: ServedText; catalogue?: ServedText }>;

/**
 * Models by name with their upstream name: one priced, one without a provider. Also both price
 * sources.
 */
async function started(t: TestContext, sources: Sources = {}) {
  const server = await fileServer(t, {
    '/aggregator': sources.aggregator === undefined ? fixture('aggregator') : sources.aggregator,
    '/catalogue': sources.catalogue === undefined ? fixture('catalogue') : sources.catalogue,
  });
  const places = { aggregator: `${server.url}/aggregator`, catalogue: `${server.url}/catalogue` };
  const test = await testAdministrator(t, { pricePlaces: places });
  const { apiBase } = await listedProvider(t);
  await test.send('POST', '/admin/providers', { name: 'engine', api_base: apiBase });
  for (const [name, upstream_model] of [
    ['large', 'vendor/engine-large'],
    ['nine', 'azure/gpt-9'],
    ['own', 'nobody-knows'],
    ['small', 'vendor/engine-small'],
  ]) {
    const made = await test.send('POST', '/admin/models', { name });
    const backend = { provider_id: 1, upstream_model };
    await test.send('POST', `/admin/models/${String(member(made.body, 'id'))}/backends`, backend);
  }
  await test.send('POST', '/admin/models', { name: 'unserved' });
  await test.send('PATCH', '/admin/models/2', {
    input_price_per_mtok: 1,
    output_price_per_mtok: 2,
  });
  return { ...test, server };
}

const noPixels = 'these models bill the tokens of a request';

const change = (model_id: number, model: string, rest: Record<string, unknown>) => ({
  model_id,
  model,
  old_input_price_per_mtok: null,
  old_output_price_per_mtok: null,
  card_changes: [],
  unused_keys: [],
  ...rest,
});

const large = change(1, 'large', {
  upstream_model: 'vendor/engine-large',
  source: 'aggregator',
  found_as: 'vendor/engine-large',
  input_price_per_mtok: 600_000,
  output_price_per_mtok: 1_000_000,
});
const small = change(4, 'small', {
  upstream_model: 'vendor/engine-small',
  source: 'catalogue',
  found_as: 'engine-small',
  input_price_per_mtok: 250_000,
  output_price_per_mtok: 0,
});
const nine = change(2, 'nine', {
  upstream_model: 'azure/gpt-9',
  source: 'catalogue',
  found_as: 'azure/gpt-9',
  old_input_price_per_mtok: 1,
  old_output_price_per_mtok: 2,
  input_price_per_mtok: 3_300_000,
  output_price_per_mtok: 11_000_000,
  card_changes: [
    { field: 'cache_read', per: 'million_tokens', old: null, new: 330_000 },
    { field: 'service_tiers.flex.input', per: 'million_tokens', old: null, new: 1_650_000 },
    {
      field: 'fallbacks',
      per: null,
      old: null,
      new:
        'cache_write_5m as input, cache_write_1h as input, input_audio as input, ' +
        'input_image as input, output_audio as output, output_image as output',
    },
  ],
  unused_keys: [{ key: 'output_cost_per_pixel', reason: noPixels }],
});
const unmatched = [
  { model_id: 3, model: 'own', upstream_model: 'nobody-knows', unused_keys: [] },
  { model_id: 5, model: 'unserved', upstream_model: null, unused_keys: [] },
];
const read = [
  {
    source: 'aggregator',
    prices: 3,
    nonsense: 2,
    unused_keys: [
      {
        key: 'discount',
        reason: 'discounts are not applied',
        models: 1,
      },
      { key: 'image', reason: 'answers of chats do not count the images of a request', models: 1 },
    ],
    more_unused_keys: 0,
    skipped: null,
  },
  {
    source: 'catalogue',
    prices: 4,
    nonsense: 4,
    unused_keys: [
      { key: 'output_cost_per_smell', reason: null, models: 1 },
      { key: 'output_cost_per_pixel', reason: noPixels, models: 3 },
    ],
    more_unused_keys: 0,
    skipped: null,
  },
];

const pricesOf = async ({ send }: Awaited<ReturnType<typeof started>>) => {
  const { body } = await send('GET', '/admin/models');
  assert.ok(Array.isArray(body));
  return body.map((model) => [
    member(model, 'name'),
    member(model, 'input_price_per_mtok'),
    member(model, 'output_price_per_mtok'),
  ]);
};

/** True if a session waits for a lock of this database. */
async function isLocked(db: Queryable): Promise<boolean> {
  const waiting: unknown[] = await db.query(sql`
    select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' limit 1`);
  return waiting.length > 0;
}

describe('a price sync', () => {
  it('prices unpriced models in one version, and returns old price, new price and source', async (t) => {
    const test = await started(t);
    const before = test.plane.store.state();
    const synced = await test.send('POST', path, {});
    assert.deepEqual(synced.body, {
      dry_run: false,
      plan: member(synced.body, 'plan'),
      updated: 2,
      already_priced: 1,
      unmatched: 2,
      changes: [large, small],
      unmatched_models: unmatched,
      sources: read,
    });
    assert.deepEqual(await pricesOf(test), [
      ['large', 600_000, 1_000_000],
      ['nine', 1, 2],
      ['own', null, null],
      ['small', 250_000, 0],
      ['unserved', null, null],
    ]);
    const after = test.plane.store.state();
    assert.equal(after.position, before.position + 2);
    assert.equal(synced.headers.get('x-gw-snapshot-version'), String(after.version));
    const again = await test.send('POST', path, {});
    assert.deepEqual([member(again.body, 'updated'), member(again.body, 'already_priced')], [0, 3]);
  });

  it('replaces existing prices only with overwrite, and uses the requested source', async (t) => {
    const test = await started(t);
    const body = { source: 'catalogue', overwrite: true };
    const synced = await test.send('POST', path, body);
    assert.deepEqual(member(synced.body, 'changes'), [nine, small]);
    assert.deepEqual(test.server.asked, ['/catalogue']);
    const alias = await test.send('POST', path, { source: 'open-router' });
    assert.deepEqual(member(alias.body, 'changes'), [large]);
    assert.deepEqual(test.server.asked, ['/catalogue', '/aggregator']);
  });

  it('that is a dry run returns the same and changes nothing', async (t) => {
    const test = await started(t);
    const before = test.plane.store.state().position;
    const dry = await test.send('POST', path, { dry_run: true, overwrite: true });
    assert.deepEqual(member(dry.body, 'changes'), [large, nine, small]);
    assert.equal(member(dry.body, 'dry_run'), true);
    assert.equal(test.plane.store.state().position, before);
  });

  it('of a plan applies exactly that plan, and is refused if sources or models changed it', async (t) => {
    const test = await started(t);
    const seen = await test.send('POST', path, { dry_run: true });
    const plan = member(seen.body, 'plan');
    await test.send('PATCH', '/admin/models/4', { input_price_per_mtok: 7 });
    const other = await test.send('POST', path, { plan });
    assert.deepEqual(errorOf(other), [409, 'conflict', 'plan']);
    assert.equal((await pricesOf(test))[0]?.[1], null);
    const anew = await test.send('POST', path, { dry_run: true });
    const made = await test.send('POST', path, { plan: member(anew.body, 'plan') });
    assert.deepEqual(member(made.body, 'changes'), member(anew.body, 'changes'));
  });

  it('of a plan is refused if a model changes before the sync gets the log lock', async (t) => {
    const test = await started(t);
    const seen = await test.send('POST', path, { overwrite: true, dry_run: true });
    const { asked } = test.server;
    const before = asked.length;
    const answers = await test.plane.db.tx(async (tx) => {
      await lockLog(tx);
      const changed = test.send('PATCH', '/admin/models/2', { input_price_per_mtok: 9 });
      await until(() => isLocked(test.plane.reports), { what: 'a change that waits for the log' });
      const body = { overwrite: true, plan: member(seen.body, 'plan') };
      const synced = test.send('POST', path, body);
      await until(() => asked.length === before + 2, { what: 'a sync at its sources' });
      return { changed, synced };
    });
    assert.equal((await answers.changed).status, 200);
    assert.deepEqual(errorOf(await answers.synced), [409, 'conflict', 'plan']);
    assert.deepEqual((await pricesOf(test)).slice(0, 2), [
      ['large', null, null],
      ['nine', 9, 2],
    ]);
  });

  it('reports a source that cannot be read, and goes on with the other', async (t) => {
    const test = await started(t, { aggregator: { status: 503, text: 'not repeated' } });
    const synced = await test.send('POST', path, {});
    assert.deepEqual(member(synced.body, 'changes'), [small]);
    assert.deepEqual(member(synced.body, 'sources'), [
      {
        source: 'aggregator',
        prices: 0,
        nonsense: 0,
        unused_keys: [],
        more_unused_keys: 0,
        skipped: 'it responded with status 503',
      },
      read[1],
    ]);
  });

  it('without a readable source returns 502 and changes nothing', async (t) => {
    const test = await started(t, { aggregator: '<html>', catalogue: '{}' });
    const before = test.plane.store.state().position;
    const failed = await test.send('POST', path, {});
    assert.deepEqual(errorOf(failed), [502, 'upstream', null]);
    assert.match(JSON.stringify(failed.body), /aggregator: it is not a price list; catalogue: /);
    assert.equal(test.plane.store.state().position, before);
  });

  it('runs alone: a concurrent one is refused with Retry-After', async (t) => {
    const test = await started(t, { aggregator: null });
    const first = test.send('POST', path, { source: 'aggregator' });
    await until(() => test.server.asked.length > 0, { what: 'the first sync at its source' });
    const second = await test.send('POST', path, { source: 'catalogue' });
    assert.deepEqual(errorOf(second), [503, 'unavailable', null]);
    test.server.hangUp();
    assert.deepEqual(errorOf(await first), [502, 'upstream', null]);
  });

  it('accepts only known sources and fields', async (t) => {
    const { send } = await testAdministrator(t);
    for (const [body, param] of [
      [{ source: 'newspaper' }, 'source'],
      [{ overwrite: 'yes' }, 'overwrite'],
      [{ url: 'http://a.example' }, 'url'],
    ] as const) {
      assert.deepEqual(errorOf(await send('POST', path, body)), [400, 'invalid', param]);
    }
  });
});
