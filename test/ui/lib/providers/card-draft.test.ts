// Tests the form of a price card: exact amounts, rows of tools and tiers, and where errors appear.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import {
  assert as check,
  constantFrom,
  date,
  dictionary,
  integer,
  oneof,
  option,
  property,
  record,
  stringMatching,
  tuple,
  uniqueArray,
} from 'fast-check';
import type { Arbitrary } from 'fast-check';

import { withSortedKeys } from '../../../../src/lib/canonical-json.ts';
import { givenPriceCard } from '../../../../src/usage/price-card.ts';
import type { PriceCard } from '../../../../src/usage/price-card.ts';
import { partPrices, tokenPrices, unitPrices } from '../../../../src/usage/price-names.ts';
import {
  cardFields,
  cardParts,
  rates,
  withRow,
  withoutTexts,
} from '../../../../ui/lib/providers/card-draft.ts';

const amount = integer({ min: 0, max: 1_000_000_000_000_000 });
const setOf = (names: readonly Readonly<{ name: string }>[]) =>
  record(Object.fromEntries(names.map(({ name }) => [name, amount])), { requiredKeys: [] });
const tiers = uniqueArray(integer({ min: 1, max: 1_000_000 }), {
  minLength: 1,
  maxLength: 3,
}).chain((above) =>
  tuple(
    ...above
      .toSorted((a, b) => a - b)
      .map((above_tokens) =>
        setOf(tokenPrices).map((prices) => Object.assign({}, prices, { above_tokens })),
      ),
  ),
);
const name = stringMatching(/^[A-Za-z][A-Za-z0-9_.-]{0,8}$/);
const named = <Value>(value: Arbitrary<Value>) =>
  dictionary(name, value, { minKeys: 1, maxKeys: 3 });
const service = oneof(
  integer({ min: 0, max: 10_000 }).map((percent) => ({ percent })),
  setOf(tokenPrices)
    .filter((prices) => Object.keys(prices).length > 0)
    .chain((prices) =>
      option(tiers).map((own) =>
        own === null ? prices : Object.assign({}, prices, { context_tiers: own }),
      ),
    ),
);
const card = tuple(
  setOf([...partPrices, ...unitPrices]),
  record(
    {
      tool_calls: named(amount),
      service_tiers: named(service),
      context_tiers: tiers,
      currency: constantFrom('EUR', 'USD', 'JPY'),
      fallbacks: constantFrom({ cache_read: 'input' }, { reasoning: 'output' }),
      effective_from: date({
        min: new Date(0),
        max: new Date('2100-01-01'),
        noInvalidDate: true,
      }).map((at) => at.toISOString()),
    },
    { requiredKeys: [] },
  ),
).map(([prices, others]) => Object.assign({}, prices, others));

const readBack = (draft: Readonly<Record<string, string>>) => rates.readTexts(draft, 'price_card');

it('keeps every amount of any card exactly, in the order of the server', () => {
  check(
    property(card, (any) => {
      const given: PriceCard = givenPriceCard.parse(any);
      const read = readBack(rates.writeTexts(given, 'price_card'));
      const expected = Object.keys(given).length === 0 ? null : withSortedKeys(given);
      assert.equal(JSON.stringify(read), JSON.stringify({ body: expected }));
    }),
  );
});

it('sends null without any price, and only what is set otherwise', () => {
  assert.deepEqual(readBack({}), { body: null });
  assert.deepEqual(readBack({ 'price_card.cache_read': ' ' }), { body: null });
  assert.deepEqual(readBack({ 'price_card.cache_read': '$0.000001' }), { body: { cache_read: 1 } });
  const all = { 'price_card.cache_read': '0', 'price_card.fallbacks.reasoning': 'output' };
  assert.deepEqual(withoutTexts({ ...all, name: 'm' }, 'price_card'), { name: 'm' });
});

it('adds rows at the end, and removes one with its own tiers', () => {
  const tier = rates.writeTexts({ service_tiers: { flex: { percent: 50 } } }, 'price_card');
  const parts = cardParts(tier, 'price_card');
  const added = withRow(tier, parts.service_tiers, 'name');
  assert.deepEqual(Object.keys(added).at(-1), 'price_card.service_tiers.1.name');
  const removed = withoutTexts(added, 'price_card.service_tiers.0');
  assert.deepEqual(removed, { 'price_card.service_tiers.1.name': '' });
});

const problems: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
  ['a price that is not an amount', { cache_read: 'cheap' }, 'cache_read'],
  [
    'a price finer than a micro-unit',
    { 'tool_calls.0.name': 'a', 'tool_calls.0.amount': '0.0000001' },
    'tool_calls.a',
  ],
  ['a tool without a price', { 'tool_calls.4.name': 'web_search' }, 'tool_calls.web_search'],
  ['a tool without a name', { 'tool_calls.4.amount': '1' }, 'tool_calls.0.name'],
  ['a name with a blank', { 'service_tiers.0.name': 'flex tier' }, 'service_tiers.flex tier'],
  [
    'a name twice',
    {
      'service_tiers.0.name': 'flex',
      'service_tiers.0.percent': '5',
      'service_tiers.1.name': 'flex',
    },
    'service_tiers.1',
  ],
  [
    'a context tier without a size',
    { 'context_tiers.3.input': '1' },
    'context_tiers.0.above_tokens',
  ],
  [
    'a price in the tier of a service tier',
    {
      'service_tiers.0.name': 'flex',
      'service_tiers.0.context_tiers.0.above_tokens': '5',
      'service_tiers.0.context_tiers.0.input': 'x',
    },
    'service_tiers.flex.context_tiers.0.input',
  ],
  ['a start that is not a time', { effective_from: 'soon' }, 'effective_from'],
];

for (const [title, texts, field] of problems) {
  it(`reports ${title} at its field, by the name of the server`, () => {
    const draft = Object.fromEntries(
      Object.entries(texts).map(([key, value]) => [`price_card.${key}`, value]),
    );
    const read = readBack(draft);
    assert.equal('wrong' in read ? read.wrong.field : null, `price_card.${field}`);
    const names = cardFields(cardParts(draft, 'price_card')).map((one) => one.name);
    assert.ok(names.includes(`price_card.${field}`));
    assert.equal(new Set(names).size, names.length);
  });
}
