// Tests the summary of requests: totals, percentiles, histograms and times of the rows that a filter selects.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { summarizeUsage } from '../../../src/db/usage/usage-summary.ts';
import { errorOf, member, testAdministrator } from '../../../test/harness/admin/admin.ts';
import { reported, reportUsage } from '../../../test/harness/admin/usage.ts';
import { bounds } from '../summary.ts';

const path = '/admin/usage/summary';
const startMs = Math.floor(Date.now() / 60_000) * 60_000 - 3_600_000;
const at = (minutes: number): string => new Date(startMs + minutes * 60_000).toISOString();
const span = { since: at(0), until: at(10) };

async function filled(...[test]: Parameters<typeof testAdministrator>) {
  const started = await testAdministrator(test);
  await started.send('POST', '/admin/models', { name: 'small' });
  await started.send('POST', '/admin/models', { name: 'large' });
  const events = [
    reported(1, { at: at(0), duration_ms: 199, reported_cost_micros: 10 }),
    reported(2, { at: at(0.5), duration_ms: 200, cached: true }),
    reported(3, { at: at(2), duration_ms: 700, reported_cost_micros: 2_000 }),
    reported(4, { at: at(2), duration_ms: 499, status: 503, ttft_ms: null, usage_reported: false }),
    reported(5, { at: at(3), duration_ms: 90_000, model_id: 2, model: 'large' }),
    reported(6, { at: at(10), duration_ms: 1 }),
  ];
  assert.equal((await reportUsage(started, events)).status, 200);
  const ask = async (query: Readonly<Record<string, string>>): Promise<unknown> => {
    const asked = new URLSearchParams({ ...span, bucket: '60', ...query });
    const { status, body } = await started.send('GET', `${path}?${asked.toString()}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  return { ...started, ask };
}

it('has totals, percentiles and histograms of the rows in the range', async (t) => {
  const { ask } = await filled(t);
  const body = await ask({ model: 'small' });
  const { histograms, times, ...totals } = Object(body);
  assert.deepEqual(totals, {
    requests: 4,
    failed: 1,
    cached: 1,
    tokens: 6_000,
    cost_micros: 2_010,
    priced: 3,
    duration_ms: { p50: 200, p95: 700, p99: 700 },
    ttft_ms: { p50: 10, p95: 10, p99: 10 },
    request_cost_micros: { p50: 10, p95: 2_000, p99: 2_000 },
    searched_since: null,
    bucket_seconds: 60,
  });
  assert.deepEqual(histograms.duration_ms, [
    { from: 100, below: 200, requests: 1, failed: 0 },
    { from: 200, below: 500, requests: 2, failed: 1 },
    { from: 500, below: 1_000, requests: 1, failed: 0 },
  ]);
  assert.deepEqual(
    histograms.cost_micros.filter((bar: unknown) => member(bar, 'requests') !== 0),
    [
      // The cached one.
      { from: 0, below: 1, requests: 1, failed: 0 },
      { from: 10, below: 20, requests: 1, failed: 0 },
      { from: 2_000, below: 5_000, requests: 1, failed: 0 },
    ],
  );
  assert.equal(times.length, 10);
  assert.deepEqual(times.slice(0, 4), [
    { at: at(0), requests: 2, failed: 0 },
    { at: at(1), requests: 0, failed: 0 },
    { at: at(2), requests: 2, failed: 1 },
    { at: at(3), requests: 0, failed: 0 },
  ]);
});

it('counts in each bar what the filter of the bar selects', async (t) => {
  const { ask } = await filled(t);
  const { histograms, requests } = Object(await ask({}));
  for (const [measure, bars] of Object.entries<readonly Readonly<Record<string, number | null>>[]>(
    histograms,
  )) {
    for (const { from, below, requests: expected } of bars) {
      const ends = { [`${measure}_from`]: String(from), [`${measure}_below`]: String(below) };
      assert.equal(member(await ask(ends), 'requests'), expected, `${measure} ${from}`);
    }
  }
  assert.equal(requests, 5);
});

it('has no percentiles and no bars without requests', async (t) => {
  const { ask } = await filled(t);
  const body = Object(await ask({ model: 'none' }));
  assert.equal(body.requests, 0);
  assert.deepEqual([body.duration_ms, body.cost_micros, body.histograms.tokens], [null, null, []]);
  assert.ok(body.times.every((one: unknown) => member(one, 'requests') === 0));
});

it('leaves costs in another currency out of its sums', async (t) => {
  const { ask, plane } = await filled(t);
  await plane.db.query(plane.db.sql`
    update op.usage_events set currency = 'EUR' where cost_micros = 2000`);
  const body = Object(await ask({ model: 'small' }));
  assert.deepEqual([body.cost_micros, body.priced], [10, 2]);
});

it('reads the newest rows up to a bound, and says since when', async (t) => {
  const { plane } = await filled(t);
  const found = await summarizeUsage(plane.reports, {
    filter: { ...span, model: 'small' },
    startMs,
    widthMs: 60_000,
    bounds,
    rows: 3,
  });
  // Rows 5, 4 and 3, of which the filter selects two.
  assert.equal(found.requests, 2);
  assert.equal(found.read_since?.toISOString(), at(2));
});

it('refuses a range that ends before it begins, or has too many buckets', async (t) => {
  const { send } = await testAdministrator(t);
  for (const query of [
    `since=${at(1)}&until=${at(0)}`,
    'since=0001-01-01T00:00:00Z&until=9000-01-01T00:00:00Z',
    `until=${at(0)}`,
  ]) {
    assert.deepEqual(errorOf(await send('GET', `${path}?${query}`)), [400, 'invalid', 'since']);
  }
});
