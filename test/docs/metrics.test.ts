// Checks that the reference of metrics has the names, types, labels and texts of the code.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';

import {
  controlMetrics,
  gatewayMetrics,
  operatorMetrics,
  processMetrics,
} from '../../src/telemetry/metric-table.ts';

const file = path.join(import.meta.dirname, '../../docs/reference/metrics.md');

it('docs/reference/metrics.md lists every series as it is exported', () => {
  const rows = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const tables = [processMetrics, gatewayMetrics, controlMetrics, operatorMetrics];
  const expected = tables
    .flatMap((table) => Object.values(table))
    .map(({ name, type, labels, help }) => [`\`${name}\``, type, labels.join(', '), help]);
  assert.deepEqual(rows, expected);
});
