// Tests how the observing screens handle time: incomplete buckets, the age of data, and the text of
// charts; and the states of requests, providers and replicas.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { bucketsOf, perSecond, wholeSums } from '../../../../ui/lib/observe/buckets.ts';
import { downText, lagOf, lagText, seenBy } from '../../../../ui/lib/observe/fleet.ts';
import { freshnessText } from '../../../../ui/lib/text/freshness.ts';
import { providerState } from '../../../../ui/lib/providers/provider-state.ts';
import { logarithmsOf } from '../../../../ui/lib/observe/series.ts';
import { rowsOf, summaryOf } from '../../../../ui/lib/observe/series-text.ts';
import { failedShare } from '../../../../ui/lib/observe/upstream.ts';
import { failedBeforeText, joined } from '../../../../ui/lib/observe/usage.ts';
import { outcomeOf } from '../../../../ui/lib/observe/usage-outcome.ts';

const minute = 60_000;
const points = [0, 1, 2, 3].map((index) => ({ at: new Date(index * minute).toISOString() }));

describe('a bucket that is only partly in the range', () => {
  it('computes the rate over the covered time, and a gap if it is too short', () => {
    const edges = { since: 0, until: 3.5 * minute };
    const whole = bucketsOf(points, { widthMs: minute, edges });
    assert.deepEqual(perSecond([60, 120, null, 30], whole), [1, 2, null, 1]);
    const early = bucketsOf(points, { widthMs: minute, edges: { since: 0, until: 3.1 * minute } });
    assert.deepEqual(perSecond([60, 60, 60, 6], early), [1, 1, 1, null]);
  });

  it('shows a gap instead of a sum that would look like a drop, at either end', () => {
    const edges = { since: 0.5 * minute, until: 3.5 * minute };
    const buckets = bucketsOf(points, { widthMs: minute, edges });
    const whole = (...lines: readonly number[][]) =>
      wholeSums(
        lines.map((values) => ({ label: '', values })),
        buckets,
      ).map(({ values }) => values);
    assert.deepEqual(whole([4, 9, 1, 0]), [[null, 9, 1, null]]);
    assert.deepEqual(whole([9, 9, 1, 7]), [[9, 9, 1, 7]]);
    assert.deepEqual(whole([0, 0, 0, 1]), [[0, 0, 0, 1]]);
    // Both values belong to one moment, or both are null.
    assert.deepEqual(whole([1, 1, 1, 2], [1, 1, 1, 0]), [
      [1, 1, 1, null],
      [1, 1, 1, null],
    ]);
  });
});

it('shows the age of the data', () => {
  const shown = { updatedAt: 1_000, isPaused: false };
  assert.equal(freshnessText(shown, 4_200), 'updated 3 s ago');
  assert.equal(freshnessText(shown, 500), 'updated now');
  assert.equal(freshnessText({ ...shown, isPaused: true }, 61_000), 'paused, updated 1 min ago');
  assert.equal(freshnessText({ updatedAt: null, isPaused: false }, 1), 'not loaded yet');
});

const milliseconds = (value: number | null): string => `${value} ms`;

it('a logarithmic axis has steps of powers of ten, and zero is a gap', () => {
  assert.deepEqual(logarithmsOf([{ values: [1, 1_000, 0, null] }]), [
    { values: [0, 3, null, null] },
  ]);
});

it('a chart describes its lines as text and as rows', () => {
  const series = [
    { label: 'p50', values: [3, null, 1, null] },
    { label: 'p95', values: [null, null, null, null] },
    { label: 'all', values: [2, null, 2, null] },
  ];
  assert.equal(
    summaryOf(series, milliseconds),
    'p50 1 ms to 3 ms, last 1 ms; p95 no data; all 2 ms, last 2 ms',
  );
  assert.deepEqual(rowsOf([0, 1, 2, 3], series), [
    { at: 2, values: [1, null, 2] },
    { at: 0, values: [3, null, 2] },
  ]);
});

it('the share of failed responses is known if every class is known', () => {
  const answers = {
    upstream_success: 6,
    upstream_client_error: 1,
    upstream_rate_limited: 1,
    upstream_server_error: 1,
    refused_no_backend: 1,
    refused_backend_overloaded: 0,
  };
  assert.equal(failedShare(answers), 0.3);
  assert.equal(failedShare({ ...answers, upstream_success: null }), null);
  const none = Object.fromEntries(Object.keys(answers).map((name) => [name, 0]));
  assert.equal(failedShare({ ...answers, ...none }), null);
});

it('names the compared period, and nothing if it was empty', () => {
  assert.equal(failedBeforeText({ failed: 1, requests: 8 }), '12.5 % before');
  assert.equal(failedBeforeText({ failed: 0, requests: 0 }), '');
  assert.equal(joined('3 requests', '', 'as before'), '3 requests, as before');
});

it('describes the outcome of a request in a word', () => {
  const request = { status: 200, refusal: null, cached: false };
  const cases = [
    [request, 'good', '200'],
    [{ ...request, cached: true }, 'good', '200, cached'],
    [{ ...request, status: 429 }, 'warn', '429'],
    [{ ...request, status: 502 }, 'bad', '502'],
    [{ ...request, status: null }, 'bad', 'no response'],
    [{ ...request, status: 402, refusal: 'budget' }, 'warn', 'refused: budget'],
  ] as const;
  for (const [one, tone, word] of cases) assert.deepEqual(outcomeOf(one), { tone, word });
});

it('derives the state of a provider from its lease, its health check and its kind', () => {
  const now = Date.UTC(2026, 10, 21);
  const at = (seconds: number) => new Date(now + seconds * 1_000).toISOString();
  const plain = { kind: 'static', lease_expires_at: null, degraded_since: null };
  const seen = { ...plain, last_seen_at: at(-5) };
  const leased = { ...seen, kind: 'dynamic', lease_expires_at: at(40) };
  const cases = [
    [{ ...plain, last_seen_at: null }, 'verified when created'],
    [{ ...plain, kind: 'dynamic', last_seen_at: null }, 'not verified yet'],
    [seen, 'answers'],
    [{ ...seen, degraded_since: at(-60) }, 'degraded'],
    [leased, 'answers'],
    [{ ...leased, lease_expires_at: at(-180) }, 'lease expired'],
  ] as const;
  for (const [one, word] of cases) assert.equal(providerState(one, now).word, word);
});

describe('a replica that serves an old version', () => {
  const now = Date.UTC(2026, 10, 21);
  const newest = [9, 7, 4].map((version, index) => ({
    version,
    created_at: new Date(now - (index + 1) * 30_000).toISOString(),
  }));
  const lag = (snapshot_version: number, all = true) =>
    lagText(lagOf({ snapshot_version }, { newest, all }, now));

  it('lags by its missing versions, since the first of them', () => {
    assert.deepEqual(
      [lag(9), lag(7), lag(4), lag(0)],
      ['none', '1 version, 30 s', '2 versions, 1 min', '3 versions, 2 min'],
    );
    assert.equal(lag(0, false), 'over 3 versions, 2 min');
  });

  it('shows the view of many replicas as squares, and names those that see a backend as down', () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const by = new Map(names.map((name) => [name, { healthy: name === 'a' }]));
    assert.equal(downText(by), 'b, c, d and 1 more');
    assert.deepEqual(seenBy(by, ['a', 'b', 'z']), [
      { name: 'a', state: 'up' },
      { name: 'b', state: 'down' },
      { name: 'z', state: null },
    ]);
  });
});
