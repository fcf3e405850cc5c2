// Tests the lineage of a snapshot relative to the previous one.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { lineageOf } from '../../../src/gateway/control-link/lineage.ts';
import type { Lineage, LogPosition } from '../../../src/gateway/control-link/lineage.ts';

const place = (
  version: number,
  position: number,
  more: Partial<LogPosition['log']> = {},
): LogPosition => ({
  version,
  log: { id: 'a', position, hash: `hash ${position}`, ...more },
});

const held = place(5, 7);
const cases: readonly [Lineage, string, LogPosition | null, LogPosition][] = [
  ['follows', 'the first of all', null, place(1, 1)],
  ['follows', 'the same again', held, held],
  ['follows', 'a newer version', held, place(8, 8)],
  ['follows', 'the same version, further on in the log', held, place(5, 9)],
  ['follows', 'the same version of a replica that has read less', held, place(5, 6)],
  ['went_back', 'an older version', held, place(4, 7)],
  ['forked', 'the same position with a different history', held, place(5, 7, { hash: 'other' })],
  ['another_log', 'a newer version of another log', held, place(9, 9, { id: 'b' })],
  ['another_log', 'an older version of another log', held, place(1, 1, { id: 'b' })],
];

describe('the lineage of a snapshot', () => {
  for (const [lineage, what, before, next] of cases) {
    it(`of ${what} is ${lineage}`, () => assert.equal(lineageOf(before, next), lineage));
  }
});
