// Tests how figures are computed from samples: medians over the rounds, ratios within each round.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { CandidateName } from '../../bench/gateway/candidates.ts';
import { jsonLines, median, renderReport, summarise } from '../../bench/gateway/report.ts';
import type { Sample } from '../../bench/gateway/run.ts';
import { requestBody, workloads } from '../../bench/gateway/workload.ts';

const sample = (candidate: CandidateName, round: number, cpuMicros: number | null): Sample => ({
  round,
  candidate,
  workload: 'json-1k',
  sent: 1000,
  requestsPerSecond: 100 * round,
  cpuMicros,
  p50Micros: 10,
  p99Micros: 20,
  rssMegabytes: cpuMicros === null ? null : 50.04,
});

test('averages the two middle values for the median of an even count', () => {
  assert.equal(median([4, 1, 3, 2]), 2.5);
  assert.equal(median([9, 1, 2]), 2);
});

test('computes ratios within each round, so that a slow round does not distort them', () => {
  const { ratios } = summarise([
    sample('floor', 1, 10),
    sample('gw', 1, 12),
    sample('floor', 2, 100),
    sample('gw', 2, 120),
    sample('floor', 3, 10),
    sample('gw', 3, 20),
  ]);
  assert.deepEqual(ratios, [
    { candidate: 'gw', against: 'floor', workload: 'json-1k', cpu: 1.2, cpuRange: [1.2, 2] },
  ]);
});

test('a line of JSON holds the medians of one candidate at one workload', () => {
  const lines = jsonLines(
    summarise([sample('direct', 1, null), sample('direct', 2, null), sample('gw', 1, 30.26)]),
  ).split('\n');
  assert.deepEqual(
    lines.map((line): unknown => JSON.parse(line)),
    [
      { ...figures, candidate: 'direct', rps: 150, cpu_us: null, rss_mb: null },
      { ...figures, candidate: 'gw', rps: 100, cpu_us: 30.3, rss_mb: 50 },
    ],
  );
});

const figures = { workload: 'json-1k', p50_us: 10, p99_us: 20 };

test('judges a target by the median ratio, and omits it without its rival', () => {
  const met = renderReport(summarise([sample('floor', 1, 10), sample('gw', 1, 12.5)]));
  assert.match(met, /gw ÷ floor +\| json-1k +\| ≤ 1\.250 \| 1\.250 .* met/);
  assert.doesNotMatch(met, /gw ÷ portkey/);
  const missed = renderReport(summarise([sample('floor', 1, 10), sample('gw', 1, 12.6)]));
  assert.match(missed, /gw ÷ floor .* missed/);
});

test('sends requests of the workload’s size, independent of the model’s name', () => {
  for (const workload of workloads) {
    assert.equal(requestBody(workload, 'm').length, workload.requestBytes);
    assert.equal(requestBody(workload, 'a-longer-name').length, workload.requestBytes);
  }
});
