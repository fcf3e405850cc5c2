// Tests `gw usage verify`, `gw usage reprice` and `gw usage what-if`.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { it } from 'node:test';
import type { TestContext } from 'node:test';

import { sql } from '@databases/pg';

import { adminPassword, testAdministrator } from '../harness/admin/admin.ts';
import { reported, reportUsage } from '../harness/admin/usage.ts';
import { gw } from '../harness/program/command-line.ts';

const run = '01ARZ3NDEKTSV4RRFFQ6000000';

async function ledger(t: TestContext) {
  const started = await testAdministrator(t);
  const prices = { input_price_per_mtok: 1_000_000, output_price_per_mtok: 2_000_000 };
  await started.send('POST', '/admin/models', { name: 'small', ...prices });
  await started.login('ada', ['operator']);
  const env = { GW_CONTROL_URL: started.url, GW_PASSWORD: adminPassword };
  const usage = (...given: readonly string[]) => gw(['usage', ...given, '--login', 'ada'], { env });
  return { ...started, usage };
}

it('prints what was verified, and exits 10 naming what differs', async (t) => {
  const { usage, plane, ...started } = await ledger(t);
  await reportUsage(
    started,
    [1, 2, 5].map((seq) => reported(seq, { run, seq })),
  );
  const lost = await usage('verify');
  assert.equal(lost.code, 10, lost.stderr);
  assert.match(
    lost.stdout,
    new RegExp(`the rows with numbers 3 to 4 of run ${run} of r1 never arrived`),
  );
  await reportUsage(
    started,
    [3, 4].map((seq) => reported(seq, { run, seq })),
  );
  const whole = await usage('verify');
  assert.equal(whole.code, 0, whole.stderr);
  assert.match(whole.stdout, /^5 rows and 0 rolled-up requests of 1 proxy process\n/);
  assert.match(whole.stdout, /the ledger is complete and its sums are correct\n$/);
  await plane.db.query(sql`update op.usage_events set cost_micros = 7 where seq = 2`);
  const changed = await usage('verify', '--json');
  assert.equal(changed.code, 10);
  assert.equal(JSON.parse(changed.stdout).problems[0].id, reported(2).id);
});

it('corrects costs with other prices, and refuses malformed options', async (t) => {
  const { usage, send, ...started } = await ledger(t);
  await reportUsage(started, [reported(1)]);
  await send('PATCH', '/admin/models/1', { input_price_per_mtok: 500_000 });
  const from = new Date(Date.now() - 3_600_000).toISOString();
  const span = ['--from', from, '--to', new Date().toISOString()];
  const dry = await usage('reprice', ...span, '--dry-run');
  assert.equal(dry.stdout, '1 of 1 rows would be corrected\nUSD: -500 micro-units\n', dry.stderr);
  const made = await usage('reprice', ...span, '--model', 'small', '--reason', 'wrong price');
  assert.equal(made.stdout, '1 of 1 rows were corrected\nUSD: -500 micro-units\n', made.stderr);
  const again = await usage('reprice', ...span);
  assert.equal(again.stdout, '0 of 1 rows were corrected\n');
  for (const [flags, problem] of [
    [['--to', from], '--from'],
    [[...span, '--card', 'newest'], '--card must be a version from 1, current or booked'],
    [[...span, '--card', '3'], 'card: version 3 needs a model'],
  ] as const) {
    const { code, stderr } = await usage('reprice', ...flags);
    assert.equal(code, 2, stderr);
    assert.ok(stderr.includes(problem), stderr);
  }
});

it('says what becomes of a recomputation that it no longer waits for', async (t) => {
  const isAsked = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    if (request.url === '/admin/usage/reprice') isAsked.resolve();
    else response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const env = { GW_CONTROL_URL: `http://127.0.0.1:${address.port}`, GW_ADMIN_TOKEN: 'token' };
  const range = ['--from', '2026-10-01T00:00:00Z', '--to', '2026-11-01T00:00:00Z'];
  const given = await gw(['usage', 'reprice', ...range, '--wait', '1'], { env });
  await isAsked.promise;
  assert.equal(given.code, 3, given.stderr);
  assert.match(
    given.stderr,
    /no answer after 1 s.*all corrections.*or none.*Run the command again/,
  );
});

it('computes what usage would have cost, and refuses malformed options', async (t) => {
  const { usage, send, ...started } = await ledger(t);
  const prices = { input_price_per_mtok: 500_000, output_price_per_mtok: 2_000_000 };
  await send('POST', '/admin/models', { name: 'mini', ...prices });
  await reportUsage(started, [reported(1), reported(2, { cache_read_tokens: 9 })]);
  const from = new Date(Date.now() - 3_600_000).toISOString();
  const span = ['--from', from, '--to', new Date().toISOString()];
  const other = await usage('what-if', ...span, '--model', 'small', '--card-of', 'mini');
  const text = '2 of 2 rows were compared\nUSD: 0.003000 instead of 0.004000 (-0.001000)\n';
  assert.equal(other.stdout, text, other.stderr);
  const card = JSON.stringify({ ...prices, price_card: { input_audio: 1 } });
  const given = await usage('what-if', ...span, '--prices', card);
  assert.match(given.stdout, /^1 of 2 rows were compared\n1 row with counts that these/);
  for (const [flags, problem] of [
    [['--from', from], '--to'],
    [[...span, '--card', 'booked'], '--card must be a version from 1, current or uncached'],
    [[...span, '--card', '3'], 'card: version 3 needs a model'],
    [[...span, '--prices', '{'], 'prices: must be JSON'],
  ] as const) {
    const { code, stderr } = await usage('what-if', ...flags);
    assert.equal(code, 2, stderr);
    assert.ok(stderr.includes(problem), stderr);
  }
});
