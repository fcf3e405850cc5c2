// Tests the comparison of a bill with the ledger.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { array, assert as holds, bigInt, constantFrom, property, record } from 'fast-check';

import { compareBill } from '../../../src/usage/bill/compare.ts';
import type { Compared, LedgerLine } from '../../../src/usage/bill/compare.ts';
import type { BillLine } from '../../../src/usage/bill/line.ts';
import { modelMatcher } from '../../../src/usage/bill/match-models.ts';

const billed = (
  model: string | null,
  micros: bigint,
  change: Partial<BillLine> = {},
): BillLine => ({
  day: '2026-11-01',
  lastDay: '2026-11-01',
  model,
  currency: 'USD',
  picos: micros * 1_000_000n,
  tokens: null,
  ...change,
});

const used = (
  model: string | null,
  micros: bigint | null,
  change: Partial<LedgerLine> = {},
): LedgerLine => ({
  day: '2026-11-01',
  model,
  currency: 'USD',
  micros,
  unpricedRequests: micros === null ? 1n : 0n,
  tokens: 10n,
  ...change,
});

const compare = (change: Partial<Compared>) =>
  compareBill({
    bill: [],
    ledger: [],
    upstreamNames: new Map(),
    by: 'day',
    tolerance: { micros: 0, percent: 0 },
    ...change,
  });

describe('a bill and the ledger', () => {
  it('differ where only one has a charge, or the amounts differ', () => {
    const { differences, totals, matches } = compare({
      bill: [billed('a', 100n), billed('b', 40n), billed('c', 7n), billed('e', 5n)],
      ledger: [used('a', 90n), used('c', 7n), used('d', 3n), used('e', null)],
    });
    assert.deepEqual(
      differences.map(({ kind, model, differenceMicros, percent }) => [
        kind,
        model,
        differenceMicros,
        percent,
      ]),
      [
        ['only_in_bill', 'b', 40, 100],
        ['differs', 'a', 10, 10],
        ['unpriced', 'e', 5, 100],
        ['only_in_ledger', 'd', -3, null],
      ],
    );
    assert.equal(matches, 1);
    const sums = { billMicros: 152, ledgerMicros: 100, differenceMicros: 52 };
    assert.deepEqual(totals, [{ currency: 'USD', ...sums }]);
  });

  it('are compared by day, or by month', () => {
    const second = { day: '2026-11-02', lastDay: '2026-11-02' };
    const given = { bill: [billed('a', 5n, second)], ledger: [used('a', 5n)] };
    assert.equal(compare(given).differences.length, 2);
    assert.deepEqual(compare({ ...given, by: 'month' }).differences, []);
  });

  it('agree within a tolerance in money or in percent', () => {
    const given = { bill: [billed('a', 1_000n)], ledger: [used('a', 990n)] };
    assert.equal(
      compare({ ...given, tolerance: { micros: 9, percent: 0.5 } }).differences.length,
      1,
    );
    assert.equal(compare({ ...given, tolerance: { micros: 10, percent: 0 } }).matches, 1);
    assert.equal(compare({ ...given, tolerance: { micros: 0, percent: 1 } }).matches, 1);
  });

  it('are never compared across currencies', () => {
    const { differences } = compare({
      bill: [billed('a', 5n, { currency: 'EUR' })],
      ledger: [used('a', 5n)],
    });
    assert.deepEqual(differences.map(({ kind }) => kind).toSorted(), [
      'only_in_bill',
      'only_in_ledger',
    ]);
  });

  it('add models with the same upstream model', () => {
    const { differences, matches } = compare({
      bill: [billed('gpt-4o-2024-08-06', 5n), billed('gpt-4o-2024-08-06', 4n)],
      ledger: [used('fast', 6n), used('cheap', 3n)],
      upstreamNames: new Map([
        ['fast', 'gpt-4o'],
        ['cheap', 'gpt-4o'],
      ]),
    });
    assert.deepEqual([differences, matches], [[], 1]);
  });

  it('have no difference if they have the same lines', () => {
    const line = record({
      day: constantFrom('2026-11-01', '2026-11-02', '2026-12-01'),
      model: constantFrom('gpt-4o', 'gpt-4o-mini', 'gpt-4o-2024-08-06', 'Claude 4.5', null),
      currency: constantFrom('USD', 'EUR'),
      micros: bigInt({ min: 0n, max: 10n ** 12n }),
    });
    holds(
      property(array(line), constantFrom('day', 'month'), (lines, by) => {
        const { differences, totals } = compare({
          bill: lines.map(({ model, micros, day, currency }) =>
            billed(model, micros, { day, lastDay: day, currency }),
          ),
          ledger: lines.map(({ model, micros, ...rest }) => used(model, micros, rest)),
          by,
        });
        assert.deepEqual(differences, []);
        assert.ok(totals.every(({ differenceMicros }) => differenceMicros === 0));
      }),
    );
  });
});

describe('a model name in a bill', () => {
  it('is matched exactly, without its date, or as a part of a description', () => {
    const match = modelMatcher(
      new Map([
        ['gpt-4o', ['chat']],
        ['gpt-4o-mini', []],
        ['claude-sonnet-4-5-20250929', []],
        ['gemini-2.5-pro', []],
      ]),
    );
    const cases = [
      ['gpt-4o', 'gpt-4o'],
      ['chat', 'gpt-4o'],
      ['gpt-4o-2024-08-06', 'gpt-4o'],
      ['gpt-4o-mini-2024-07-18', 'gpt-4o-mini'],
      ['gpt-4o-realtime', null],
      ['Claude Sonnet 4.5', 'claude-sonnet-4-5-20250929'],
      ['Gemini 2.5 Pro GA Text Input - Predictions', 'gemini-2.5-pro'],
      ['Gemini 2.5 Flash Text Input', null],
    ] as const;
    for (const [name, expected] of cases) assert.equal(match(name), expected, name);
  });
});
