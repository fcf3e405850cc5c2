// The windows of budgets: how long they are, and that they turn one at a time.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import * as fc from 'fast-check';

import { nextWindowStart, windowEnd } from '../../src/limits/window.ts';
import { budgetWindow } from '../../src/lib/vocabulary.ts';

const at = (text: string): number => Date.parse(text);

// window, its start, now -> the start of the next one, or null while it lasts
const cases = [
  ['daily', '2026-01-01T06:00:00Z', '2026-01-01T06:00:00Z', null],
  ['daily', '2026-01-01T06:00:00Z', '2026-01-02T05:59:59.999Z', null],
  ['daily', '2026-01-01T06:00:00Z', '2026-01-02T06:00:00Z', '2026-01-02T06:00:00Z'],
  ['daily', '2026-01-01T06:00:00Z', '2026-01-09T23:00:00Z', '2026-01-02T06:00:00Z'],
  ['weekly', '2026-01-01T06:00:00Z', '2026-01-08T05:59:59Z', null],
  ['weekly', '2026-01-01T06:00:00Z', '2026-01-08T06:00:00Z', '2026-01-08T06:00:00Z'],
  ['monthly', '2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z', null],
  ['monthly', '2026-02-01T00:00:00Z', '2026-03-03T00:00:00Z', '2026-03-03T00:00:00Z'],
  // A clock that was set back turns nothing.
  ['daily', '2026-01-01T06:00:00Z', '2025-12-01T00:00:00Z', null],
] as const;

for (const [window, start, now, next] of cases) {
  it(`a ${window} window of ${start} is, at ${now}, followed by ${next ?? 'nothing yet'}`, () => {
    const expected = next === null ? null : at(next);
    assert.equal(nextWindowStart(at(start), window, at(now)), expected);
  });
}

it('windows follow each other without a gap until the one that lasts', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...budgetWindow.options),
      fc.integer({ min: 0, max: 200 * 24 * 3_600_000 }),
      (window, now) => {
        let start = 0;
        for (let next; (next = nextWindowStart(start, window, now)) !== null; start = next) {
          assert.equal(next, windowEnd(start, window));
        }
        assert.ok(start <= now && now < windowEnd(start, window));
      },
    ),
  );
});
