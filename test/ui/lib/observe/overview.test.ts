// Tests the sums and the first-run checklist of the overview, and how ranges and keys are read.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import {
  firstRun,
  hasAnswer,
  hasAnswerIn,
  nextStep,
  usableKeys,
} from '../../../../ui/lib/observe/first-run.ts';
import { ranked } from '../../../../ui/lib/text/match.ts';
import { readRange, writeRange } from '../../../../ui/lib/page/range.ts';
import {
  alignedOf,
  isSameData,
  lastKnownIndex,
  latencyOf,
  loneIndexes,
  totalsOf,
} from '../../../../ui/lib/observe/series.ts';
import { meaningOf } from '../../../../ui/lib/page/shortcut.ts';

const point = {
  requests: 10,
  upstream_errors: 1,
  refused_authorisation: 1,
  refused_rate_limit: 2,
  refused_budget: 3,
  refused_no_backend: 1,
  refused_backend_overloaded: 0,
  failed_attempts: null,
  prompt_tokens: 100,
  completion_tokens: 50,
  cost_micros: 7,
  unpriced_requests: 0,
};

it('a total without prices is unpriced, never zero', () => {
  const unpriced = { ...point, cost_micros: null, unpriced_requests: 10 };
  assert.equal(totalsOf([unpriced]).costMicros, null);
  assert.deepEqual(
    [totalsOf([point, unpriced]).costMicros, totalsOf([point, unpriced]).unpriced],
    [7, 10],
  );
  assert.equal(totalsOf([]).costMicros, 0);
});

it('a request without permission is refused, and one that the gateway cannot answer has failed', () => {
  const { refused, failed } = totalsOf([point, point]);
  assert.deepEqual([refused, failed], [12, 4]);
});

it('latency covers the whole range, and is unknown without responses', () => {
  const whole = { p50_ms: 80, p95_ms: 900, p99_ms: null };
  assert.deepEqual(latencyOf(whole), { p50: 80, p95: 900, p99: null });
  assert.deepEqual(latencyOf(undefined), { p50: null, p95: null, p99: null });
});

it('a value between two gaps is visible', () => {
  assert.deepEqual(loneIndexes([1, null, 2, null, 3, 4, null, 0]), [0, 2, 7]);
});

it('a legend shows the last known value', () => {
  assert.equal(lastKnownIndex([{ values: [1, null, null] }, { values: [1, 0, null] }]), 1);
  assert.equal(lastKnownIndex([{ values: [null] }, { values: [] }]), -1);
  assert.equal(lastKnownIndex([]), -1);
});

it('the first open step is next', () => {
  const facts = { providers: 1, servedModels: 0, frontendModels: 1, keys: 0, hasAnswered: false };
  assert.equal(nextStep(firstRun(facts))?.title, 'Register a model');
  const all = { providers: 1, servedModels: 1, frontendModels: 1, keys: 1, hasAnswered: true };
  assert.equal(nextStep(firstRun(all)), null);
  assert.equal(nextStep(firstRun({ ...all, keys: 0, providers: 0 })), null);
});

it('a range is read from its address, and an invalid one is null', () => {
  for (const text of ['15m', '24h', '7d', '2026-11-01T00:00:00.000Z/2026-11-02T00:00:00.000Z']) {
    const range = readRange(text);
    assert.ok(range !== null);
    assert.equal(writeRange(range), text);
  }
  for (const text of ['', '0h', '5 apples', '2026-11-02T00:00:00Z/2026-11-01T00:00:00Z']) {
    assert.equal(readRange(text), null);
  }
});

it('keys are text input in a field', () => {
  const free = { held: false, typing: false, going: false, single: true };
  assert.deepEqual(meaningOf({ ...free, key: '/' }), { kind: 'filter' });
  assert.equal(meaningOf({ ...free, key: '/', typing: true }), null);
  assert.deepEqual(meaningOf({ ...free, key: 'k', held: true, typing: true }), { kind: 'palette' });
  assert.deepEqual(meaningOf({ ...free, key: 'p', going: true }), { kind: 'screen', key: 'p' });
});

it('disabled single-key shortcuts do nothing, and the palette still opens', () => {
  const off = { held: false, typing: false, going: false, single: false };
  for (const key of ['/', '?', 'n', 'g']) assert.equal(meaningOf({ ...off, key }), null, key);
  assert.equal(meaningOf({ ...off, key: 'p', going: true }), null);
  assert.deepEqual(meaningOf({ ...off, key: 'k', held: true }), { kind: 'palette' });
});

it('finds texts that begin with the query first', () => {
  const found = ranked(['my gpt', 'a-gpt', 'gpt-4'], 'gpt', (text) => text);
  assert.deepEqual(found, ['gpt-4', 'my gpt', 'a-gpt']);
});

it('a refused or failed request does not count as answered, and an unusable key does not count', () => {
  const rows = [
    { refusal: 'authorisation', status: 401 },
    { refusal: null, status: 502 },
    { refusal: 'no_backend', status: null },
  ];
  assert.equal(hasAnswer(rows), false);
  assert.equal(hasAnswer([...rows, { refusal: null, status: 200 }]), true);
  const now = Date.UTC(2026, 10, 22);
  const key = { disabled: false, expires_at: null };
  const past = '2026-11-21T00:00:00.000Z';
  assert.equal(
    usableKeys(
      [
        { ...key, disabled: true },
        { ...key, expires_at: past },
      ],
      now,
    ),
    0,
  );
  assert.equal(usableKeys([key], now), 1);
});

it('sums show that a request was answered after its row expired', () => {
  const sums = { requests: 9, refused_requests: 9, upstream_success: 0 };
  assert.equal(hasAnswerIn([]), false);
  assert.equal(hasAnswerIn([sums]), false);
  assert.equal(hasAnswerIn([{ ...sums, refused_requests: 2 }]), false);
  assert.equal(hasAnswerIn([{ ...sums, refused_requests: 2, upstream_success: null }]), true);
});

it('a chart gets new values if any of them changed', () => {
  const drawn = alignedOf([1_000, 2_000], [{ values: [1, null] }, { values: [0, 2] }]);
  assert.deepEqual(drawn, [
    [1, 2],
    [1, null],
    [0, 2],
  ]);
  const others = [
    alignedOf([1_000, 3_000], [{ values: [1, null] }, { values: [0, 2] }]),
    alignedOf([1_000, 2_000], [{ values: [1, 0] }, { values: [0, 2] }]),
    alignedOf([1_000, 2_000], [{ values: [1, null] }]),
    alignedOf([1_000], [{ values: [1] }, { values: [0] }]),
  ];
  assert.equal(isSameData(drawn, structuredClone(drawn)), true);
  for (const other of others) assert.equal(isSameData(drawn, other), false);
});
