// Tests what `gw sync-prices` writes to the database, its output and its exit codes.

import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { providerId, modelId } from '../../src/lib/ids.ts';
import { gw } from '../harness/program/command-line.ts';
import { endpointAt } from '../harness/events/examples.ts';
import { testPlane } from '../harness/control/plane.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';
import { until } from '../harness/wait.ts';

const fixture = (name: string): string =>
  path.join(import.meta.dirname, '../fixtures/prices', `${name}.json`);
const env = {
  GW_PRICE_AGGREGATOR_URL: fixture('aggregator'),
  GW_PRICE_CATALOGUE_URL: fixture('catalogue'),
};

/** Creates a model that the aggregator prices, and one that it does not know. */
async function started(t: TestContext) {
  const started = await testPlane(t);
  const { run, url } = started;
  const endpoint = endpointAt('https://api.openai.com/v1');
  await run({
    command: {
      type: 'CreateProvider',
      name: 'openai',
      defaultName: '',
      kind: 'cloud',
      catalogueKey: 'openai',
      endpoint,
      credential: null,
    },
  });
  for (const [index, name] of ['gpt-9', 'own'].entries()) {
    await run({ command: { type: 'CreateModel', name, fields: {} } });
    await run({
      command: {
        type: 'AttachBackend',
        id: modelId.parse(index + 1),
        target: { providerId: providerId.parse(1) },
        upstreamModel: null,
        defaultMaxTokens: null,
      },
    });
  }
  const sync = (...parameters: string[]) =>
    gw(['sync-prices', '--database-url', url, ...parameters], { env });
  return { ...started, sync };
}

test('sync-prices needs no encryption key, and running control planes apply its prices', async (t) => {
  const { sync, plane } = await started(t);
  const dry = await sync('--dry-run');
  assert.equal(dry.code, 0, dry.stderr);
  assert.match(dry.stdout, /1 would be updated, 0 already priced, 1 unmatched\n$/);
  assert.equal(plane.store.state().model.byId.get(1)?.inputPricePerMtok, null);
  const { code, stdout, stderr } = await sync();
  assert.deepEqual([code, stderr], [0, '']);
  assert.deepEqual(stdout.split('\n'), [
    'aggregator: 3 prices, 2 implausible',
    'aggregator: known keys, not used: 2 (for reasons see --json)',
    'catalogue: 4 prices, 4 implausible',
    'catalogue: unknown key, not used: output_cost_per_smell (models: 1)',
    'catalogue: known keys, not used: 1 (for reasons see --json)',
    'gpt-9: 3.00 in and 12.50 out per million, was unpriced (aggregator openai/gpt-9)',
    '  cache_read: 0.30 per million tokens, was not set',
    '  fallbacks: cache_write_5m as input, cache_write_1h as input, input_audio as input, ' +
      'input_image as input, output_audio as output, output_image as output, was not set',
    'own: no price found for own',
    '1 updated, 0 already priced, 1 unmatched',
    '',
  ]);
  await until(() => plane.store.state().model.byId.get(1)?.inputPricePerMtok === 3_000_000, {
    what: 'the new price in a running plane',
  });
  const forced = await sync('--json', '--overwrite', '--source', 'catalogue');
  const answer: unknown = JSON.parse(forced.stdout);
  assert.match(JSON.stringify(answer), /"old_input_price_per_mtok":3000000/);
});

test('sync-prices skips an unreadable source, and fails if all are unreadable', async (t) => {
  const { sync } = await started(t);
  const one = await sync('--price-aggregator-url', '/does/not/exist.json');
  assert.equal(one.code, 0);
  assert.match(one.stdout, /^aggregator: skipped, it could not be read \(ENOENT\)$/m);
  assert.match(one.stdout, /catalogue gpt-9/);
  const none = await sync('--source', 'aggregator', '--price-aggregator-url', '/not/there.json');
  assert.equal(none.code, 1);
  assert.match(none.stderr, /no price source could be read: aggregator: /);
});

test('sync-prices refuses invalid arguments', async (t) => {
  const unknown = await gw(['sync-prices', '--database-url', 'postgres://x', '--source', 'rumour']);
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /--source must be one of aggregator, catalogue, both, was "rumour"/);
  assert.match((await gw(['sync-prices'])).stderr, /sync-prices needs --database-url/);
  const { url, drop } = await testDatabase();
  t.after(drop);
  const empty = await gw(['sync-prices', '--database-url', url], { env });
  assert.equal(empty.code, 5);
  assert.match(empty.stderr, /no configuration yet/);
});
