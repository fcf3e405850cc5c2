// Tests which prices cause a warning.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { priceWarnings } from '../../../../ui/lib/providers/price-check.ts';

const price = (dollars: number | null) => ({
  input_price_per_mtok: dollars === null ? null : Math.round(dollars * 1_000_000),
});
const others = [0.2, 0.25, 0.3].map(price);

const warned = (before: number | null, after: number | null, among = others): string =>
  priceWarnings({ before: price(before), after: price(after), others: among }).join();

it('warns of a price 100 times the median of the others, or a hundredth of it', () => {
  assert.equal(
    warned(null, 250),
    'Input price $250.00 per million tokens is 1,000 times the median of your other models ($0.25). Check the amount.',
  );
  assert.match(warned(null, 25), /100 times the median/);
  assert.equal(warned(null, 24.9), '');
  assert.match(warned(null, 0.0025), /1\/100 of the median/);
});

it('warns of a change by a factor of 100, even without others', () => {
  assert.match(warned(0.25, 25, []), /is 100 times the current price \(\$0.25\)/);
  assert.match(warned(25, 0.25, []), /is 1\/100 of the current price/);
  assert.equal(warned(0.25, 24, []), '');
});

it('warns of more than $1,000 per million tokens', () => {
  assert.match(warned(null, 1_001, []), /more than any provider is known to charge/);
  assert.equal(warned(null, 1_000, []), '');
});

it('does not warn about unchanged, free or removed prices', () => {
  assert.equal(warned(250, 250), '');
  assert.equal(warned(0.25, 0), '');
  assert.equal(warned(0.25, null), '');
  assert.equal(priceWarnings({ before: price(250), after: {}, others }).length, 0);
});

it('does not compare with fewer than three prices', () =>
  assert.equal(warned(null, 250, others.slice(1)), ''));
