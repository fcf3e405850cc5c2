// Tests reading price lists: exact, with invalid prices ignored.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import {
  readAggregatorPrices,
  readCataloguePrices,
  unusedPrices,
} from '../../../src/control/prices/price-list.ts';
import type { PriceList } from '../../../src/control/prices/price-list.ts';

const fixture = (name: string): string =>
  readFileSync(new URL(`../../fixtures/prices/${name}.json`, import.meta.url), 'utf8');
const of = (input: number | null, output: number | null) => ({
  inputPricePerMtok: input,
  outputPricePerMtok: output,
  priceCard: null,
});
const cached = {
  cache_read: 300_000,
  fallbacks: {
    cache_write_5m: 'input',
    cache_write_1h: 'input',
    input_audio: 'input',
    input_image: 'input',
    output_audio: 'output',
    output_image: 'output',
  },
};
const pricesIn = (list: PriceList | null) =>
  Object.fromEntries(
    [...(list?.entries ?? [])].flatMap(([name, { price }]) =>
      price === null ? [] : [[name, price]],
    ),
  );

describe("the aggregator's list", () => {
  it('is read exactly: decimal texts per token, 0 is free, and -1 is not a price', () => {
    const list = readAggregatorPrices(fixture('aggregator'));
    assert.deepEqual(pricesIn(list), {
      'openai/gpt-9': { ...of(3_000_000, 12_500_000), priceCard: cached },
      'openai/gpt-9:free': of(0, 0),
      'vendor/engine-large': of(600_000, 1_000_000),
    });
    assert.equal(list?.nonsense, 2);
    assert.equal(list?.next, null);
  });

  it('names its next page', () => {
    const list = readAggregatorPrices('{"data":[],"links":{"next":"/api/v1/models?page=2"}}');
    assert.equal(list?.next, '/api/v1/models?page=2');
  });

  it('is null for another document', () => {
    for (const text of ['', '[]', '{}', '{"data":{}}', 'null', '<html>']) {
      assert.equal(readAggregatorPrices(text), null, text);
    }
  });
});

describe('the catalogue', () => {
  it('is read without its sample entry, unpriced models and zeros', () => {
    const list = readCataloguePrices(fixture('catalogue'));
    const { ranker, 'azure/gpt-9': tiered, ...prices } = pricesIn(list);
    // It is priced by request, so that a price of 0 per token is one.
    assert.equal(ranker?.priceCard?.per_request, 2_000);
    assert.deepEqual(tiered?.priceCard?.service_tiers, { flex: { input: 1_650_000 } });
    assert.deepEqual(prices, {
      'gpt-9': of(9_000_000, 9_000_000),
      'engine-small': of(250_000, 0),
    });
    assert.equal(list?.nonsense, 4);
  });

  it('is null for another document', () => {
    for (const text of ['', '[]', '"text"', 'null', '<html>']) {
      assert.equal(readCataloguePrices(text), null, text);
    }
  });
});

it('counts the models of each key that it does not use, unknown keys first', () => {
  const list = readCataloguePrices(fixture('catalogue'));
  assert.deepEqual(unusedPrices(list?.entries ?? new Map()), {
    keys: [
      { key: 'output_cost_per_smell', reason: null, models: 1 },
      {
        key: 'output_cost_per_pixel',
        reason: 'these models bill the tokens of a request',
        models: 3,
      },
    ],
    more: 0,
  });
});

it('gives the price of a container to the models of its provider that run code', () => {
  const answering = { input_cost_per_token: 1e-6, litellm_provider: 'openai', mode: 'responses' };
  const list = readCataloguePrices(
    JSON.stringify({
      'openai/container': { code_interpreter_cost_per_session: 0.03, litellm_provider: 'openai' },
      coder: answering,
      vectors: { ...answering, mode: 'embedding' },
      free: { ...answering, input_cost_per_token: 0 },
      other: { ...answering, litellm_provider: 'elsewhere' },
    }),
  );
  const cards = Object.entries(pricesIn(list)).map(([name, price]) => [name, price?.priceCard]);
  assert.partialDeepStrictEqual(Object.fromEntries(cards), {
    coder: { tool_calls: { code_interpreter: 30_000 } },
    vectors: null,
    other: null,
  });
  assert.equal(cards.length, 3);
});

it('lists a bounded number of keys that it does not use', () => {
  const keys = Array.from({ length: 250 }, (_, index) => [`cost_${index}`, 1]);
  const list = readCataloguePrices(JSON.stringify({ m: Object.fromEntries(keys) }));
  const { keys: listed, more } = unusedPrices(list?.entries ?? new Map());
  assert.deepEqual([listed.length, more], [200, 50]);
});

it('every price in whole micro-units is preserved, however a double represents it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000_000_000 }), (micros) => {
      const cost = Number(`${micros}e-12`);
      const text = JSON.stringify({
        m: { input_cost_per_token: cost, output_cost_per_token: cost },
      });
      assert.deepEqual(readCataloguePrices(text)?.entries.get('m')?.price, of(micros, micros));
    }),
  );
});
