// Tests which endpoints are scraped next: the longest waiting first, and unresponsive endpoints do not block the others.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { selectDue } from '../../../src/gateway/engine-metrics/select-due.ts';
import type { Waiting } from '../../../src/gateway/engine-metrics/select-due.ts';

const many = (count: number, one: Waiting): readonly Waiting[] =>
  Array.from({ length: count }, () => ({ ...one }));
const silent = { scrapedAtMs: 0, isSilent: true };
const living = { scrapedAtMs: 1, isSilent: false };

it('selects a bounded number of endpoints, the longest waiting first', () => {
  const due = Array.from({ length: 100 }, (_, index) => ({ ...living, scrapedAtMs: 100 - index }));
  const asked = selectDue(due, []).map(({ scrapedAtMs }) => scrapedAtMs);
  assert.deepEqual(
    asked,
    Array.from({ length: 64 }, (_, index) => index + 1),
  );
  assert.equal(selectDue(due, many(60, living)).length, 4);
  assert.equal(selectDue(due, many(64, living)).length, 0);
});

it('gives at most half of the slots to endpoints that do not answer', () => {
  const asked = selectDue([...many(500, silent), ...many(40, living)], []);
  assert.equal(asked.filter(({ isSilent }) => isSilent).length, 32);
  assert.equal(asked.filter(({ isSilent }) => !isSilent).length, 32);
  assert.equal(selectDue(many(500, silent), many(32, silent)).length, 0);
  assert.equal(selectDue(many(40, living), many(32, silent)).length, 32);
});
