// Tests how values are formatted for people, in tables of cases.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import {
  formatBytes,
  formatCount,
  formatDuration,
  formatDurationOfColumn,
  formatMoney,
  formatMoneyShort,
  formatRate,
  formatShare,
  formatShareOfColumn,
  formatShort,
  formatSince,
  formatTime,
  formatZone,
} from '../../../../ui/lib/text/format.ts';

/** A moment in a zone this many minutes ahead of UTC. */
function aheadBy(minutes: number): Date {
  const at = new Date('2026-11-21T14:05:09Z');
  at.getTimezoneOffset = () => -minutes;
  return at;
}

const cases: readonly (readonly [string, string])[] = [
  [formatMoney(null), 'unpriced'],
  [formatMoney(0), '$0.00'],
  [formatMoney(1_234_567), '$1.234567'],
  [formatMoney(-12_000_000_000), '-$12,000.00'],
  [formatMoneyShort(null), 'unpriced'],
  [formatMoneyShort(9), '< $0.01'],
  [formatMoneyShort(12_340_000), '$12.34'],
  [formatMoneyShort(1_250_000_000_000), '$1.3M'],
  [formatShort(null), 'no data'],
  [formatShort(999), '999'],
  [formatShort(12_345), '12.3K'],
  [formatDuration(null), 'no data'],
  [formatDuration(0.5), '0.5 ms'],
  [formatDuration(84), '84 ms'],
  [formatDuration(1_240), '1.2 s'],
  [formatDuration(180_000), '3 min'],
  [formatDurationOfColumn(2_000), '2.0 s'],
  [formatDurationOfColumn(2_400), '2.4 s'],
  [formatDurationOfColumn(642), '642 ms'],
  [formatDurationOfColumn(null), 'no data'],
  [formatRate(0.0025), '0.0025'],
  [formatRate(0.005), '0.005'],
  [formatRate(0), '0'],
  [formatShare(0, 0), 'no data'],
  [formatShare(1, 10_000), '< 0.1 %'],
  [formatShare(1, 8), '12.5 %'],
  [formatShareOfColumn(3, 100), '3.0 %'],
  [formatShareOfColumn(1, 10_000), '< 0.1 %'],
  [formatBytes(0), '0 bytes'],
  [formatBytes(1_023), '1023 bytes'],
  [formatBytes(1_500_000), '1.4 MiB'],
  [formatCount(1, 'model'), '1 model'],
  [formatCount(2_000, 'key'), '2,000 keys'],
  [formatTime(new Date('2026-11-21T14:05:09.9Z'), 'utc'), '2026-11-21 14:05:09 UTC'],
  [formatZone(aheadBy(330), 'local'), 'UTC+05:30'],
  [formatZone(aheadBy(-480), 'local'), 'UTC−08:00'],
  [formatZone(aheadBy(330), 'utc'), 'UTC'],
  [formatSince(new Date(1_000), 181_000), '3 min ago'],
  [formatSince(new Date(7_201_000), 1_000), 'in 2 h'],
];

for (const [found, expected] of cases) {
  it(`writes ${expected}`, () => assert.equal(found, expected));
}
