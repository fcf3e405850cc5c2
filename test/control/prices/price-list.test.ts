// Tests reading price lists: exact, with invalid prices ignored.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import {
  readAggregatorPrices,
  readCataloguePrices,
} from '../../../src/control/prices/price-list.ts';

const fixture = (name: string): string =>
  readFileSync(new URL(`../../fixtures/prices/${name}.json`, import.meta.url), 'utf8');
const of = (input: number, output: number) => ({
  inputPricePerMtok: input,
  outputPricePerMtok: output,
});

describe("the aggregator's list", () => {
  it('is read exactly: decimal texts per token, 0 is free, and -1 is not a price', () => {
    const list = readAggregatorPrices(fixture('aggregator'));
    assert.deepEqual(Object.fromEntries(list?.prices ?? []), {
      'openai/gpt-9': of(3_000_000, 12_500_000),
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
    assert.deepEqual(Object.fromEntries(list?.prices ?? []), {
      'gpt-9': of(9_000_000, 9_000_000),
      'azure/gpt-9': of(3_300_000, 11_000_000),
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

it('every price in whole micro-units is preserved, however a double represents it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000_000_000 }), (micros) => {
      const cost = Number(`${micros}e-12`);
      const text = JSON.stringify({
        m: { input_cost_per_token: cost, output_cost_per_token: cost },
      });
      assert.deepEqual(readCataloguePrices(text)?.prices.get('m'), of(micros, micros));
    }),
  );
});
