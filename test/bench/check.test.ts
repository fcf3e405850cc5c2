// Tests the comparison of measured ratios with recorded ones.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { compareRatios, toleranceFactor } from '../../bench/gateway/check.ts';
import type { Ratio } from '../../bench/gateway/report.ts';

const recorded = `
| workload | candidate | CPU µs | ÷ floor | ÷ nginx |
| -------- | --------- | ------ | ------- | ------- |
| json-1k  | nginx     | 16.0   | 0.29    | –       |
| json-1k  | gw        | 32.0   | 0.75    | 2.00    |
`;

const measured = (cpu: number, more: Partial<Ratio> = {}): Ratio => ({
  candidate: 'gw',
  against: 'nginx',
  workload: 'json-1k',
  cpu,
  cpuRange: [cpu, cpu],
  ...more,
});

test('accepts a ratio within the tolerance and reports one beyond it', () => {
  assert.deepEqual(compareRatios([measured(2 * toleranceFactor)], recorded), []);
  assert.deepEqual(compareRatios([measured(2.6)], recorded), [
    'gw ÷ nginx, json-1k: 2.60, at most 2.50',
  ]);
});

test('reports a ratio that is not recorded', () => {
  assert.deepEqual(compareRatios([measured(1, { candidate: 'gw-full' })], recorded), [
    'gw-full ÷ nginx, json-1k: RESULTS.md has no ratio',
  ]);
});

test('ignores other candidates and other references', () => {
  const others = [measured(9, { against: 'floor' }), measured(9, { candidate: 'haproxy' })];
  assert.deepEqual(compareRatios(others, recorded), []);
});
