// Tests which version of a model's prices applies at a time.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { Prices } from '../../../src/usage/price.ts';
import {
  priceVersionsMax,
  pricesAt,
  versionsAhead,
  withPrices,
} from '../../../src/usage/price-versions.ts';
import type { PriceVersion } from '../../../src/usage/price-versions.ts';

const day = (number: number): number => Date.parse('2026-11-01T00:00:00Z') + number * 86_400_000;

const at = (input: number): Prices => ({ input, output: null, card: null });
const scheduled = (input: number, startMs: number): Prices => ({
  ...at(input),
  card: { effective_from: new Date(startMs).toISOString() },
});
/** The prices that were set, each with its time. */
const set = (...given: readonly (readonly [number, Prices])[]): readonly PriceVersion[] =>
  given.reduce<readonly PriceVersion[]>(
    (versions, [ms, prices]) => withPrices(versions, prices, { setAtMs: ms }),
    [],
  );
const lastVersion = (versions: readonly PriceVersion[]): number | undefined =>
  versions.at(-1)?.version;
const inputAt = (versions: readonly PriceVersion[], ms: number): number | null | undefined =>
  pricesAt(versions, ms)?.input;

it('applies the first prices to all earlier rows, because clocks of proxies differ', () => {
  const versions = set([day(1), at(5)]);
  assert.deepEqual([inputAt(versions, day(0)), inputAt(versions, day(1))], [5, 5]);
});

it('applies a version until the next one begins', () => {
  const versions = set([day(1), at(5)], [day(3), at(7)]);
  assert.deepEqual([inputAt(versions, day(3) - 1), inputAt(versions, day(3))], [5, 7]);
  assert.equal(lastVersion(versions), 2);
});

it('applies a scheduled card from its time', () => {
  const versions = set([day(1), at(5)], [day(2), scheduled(9, day(10))]);
  assert.deepEqual([inputAt(versions, day(9)), inputAt(versions, day(10))], [5, 9]);
});

it('applies the base prices without the card before a scheduled first card', () => {
  const versions = set([day(1), scheduled(9, day(10))]);
  const card = { effective_from: new Date(day(10)).toISOString() };
  assert.deepEqual(pricesAt(versions, day(9)), { ...at(9), version: 0, fromMs: 0 });
  assert.deepEqual(pricesAt(versions, day(10)), { ...at(9), card, version: 1, fromMs: day(10) });
  assert.equal(versionsAhead(versions).length, 2);
});

it('counts on from the number before the first', () => {
  assert.deepEqual(
    withPrices([], at(5), { setAtMs: day(1), after: 7 }).map(({ version }) => version),
    [8],
  );
});

it('applies a card whose time has passed from when it was set', () => {
  const versions = set([day(1), at(5)], [day(4), scheduled(9, day(2))]);
  assert.deepEqual([inputAt(versions, day(3)), inputAt(versions, day(4))], [5, 9]);
});

it('cancels a scheduled card when prices are set before it begins', () => {
  const versions = set([day(1), at(5)], [day(2), scheduled(9, day(10))], [day(3), at(6)]);
  assert.deepEqual([inputAt(versions, day(2)), inputAt(versions, day(11))], [5, 6]);
  assert.equal(lastVersion(versions), 3);
});

it('keeps what applies until a scheduled card begins', () => {
  const versions = set([day(0), at(4)], [day(1), at(5)], [day(2), scheduled(9, day(10))]);
  assert.deepEqual(
    versionsAhead(versions).map(({ version }) => version),
    [2, 3],
  );
  assert.equal(versionsAhead(set([day(1), at(5)])).length, 1);
  assert.deepEqual(versionsAhead([]), []);
});

it('keeps a bounded number of versions and counts on', () => {
  const many = Array.from({ length: 30 }, (_, index) => [day(index), at(index)] as const);
  const versions = set(...many);
  assert.equal(versions.length, priceVersionsMax);
  assert.equal(lastVersion(versions), 30);
  // The oldest version that is kept applies to all earlier rows.
  assert.equal(inputAt(versions, day(1)), 10);
});
