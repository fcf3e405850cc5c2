// Tests that the price of a model is found by its exact upstream name.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { matchPrices } from '../../../src/control/prices/price-match.ts';
import type { PriceLists } from '../../../src/control/prices/price-match.ts';
import { providerCatalogue } from '../../../src/snapshot/provider-catalogue.ts';
import { vendorNames } from '../../../src/control/prices/price-vendors.ts';
import {
  backendAttached,
  endpointAt,
  modelCreated,
  providerCreated,
} from '../../harness/events/examples.ts';
import { given } from '../../harness/events/test-log.ts';

const price = { inputPricePerMtok: 1, outputPricePerMtok: 2, priceCard: null };
const entry = { price, unused: [], isNonsense: false };
const listOf = (names: readonly string[]) => new Map(names.map((name) => [name, entry]));

type Names = Readonly<{ aggregator?: readonly string[]; catalogue?: readonly string[] }>;
const lists = ({ aggregator, catalogue }: Names): PriceLists => ({
  aggregator: aggregator === undefined ? null : listOf(aggregator),
  catalogue: catalogue === undefined ? null : listOf(catalogue),
});

/**
 * The source and name under which the price of `upstream` is found for a provider with this
 * address.
 */
function found(upstream: string, names: Names, address = 'https://engine.example/v1') {
  const provider = providerCreated(1, 'p', { endpoint: endpointAt(address) });
  const { state } = given([provider, modelCreated(1, 'm'), backendAttached(1, 1, upstream)]);
  const found = matchPrices(state, lists(names))[0]?.found ?? null;
  return found === null ? null : `${found.source} ${found.name}`;
}

const openai = 'https://api.openai.com/v1';

describe('a model', () => {
  for (const [what, expected, actual] of [
    ['its own name', 'catalogue u', found('u', { catalogue: ['u'] })],
    ['its name with a prefix, first', 'catalogue v/u', found('v/u', { catalogue: ['u', 'v/u'] })],
    ['its name without the prefix, then', 'catalogue u', found('v/u', { catalogue: ['u'] })],
    [
      'everything after the first slash',
      'catalogue w/u',
      found('v/w/u', { catalogue: ['w/u', 'u'] }),
    ],
    [
      "the name with its vendor's prefix, before its own",
      'aggregator openai/u',
      found('u', { aggregator: ['u', 'openai/u'] }, openai),
    ],
    [
      "the aggregator's price, whatever the catalogue has",
      'aggregator u',
      found('v/u', { aggregator: ['u'], catalogue: ['v/u'] }),
    ],
    [
      "the catalogue's price, if the aggregator has none",
      'catalogue u',
      found('u', { aggregator: ['x'], catalogue: ['u'] }),
    ],
    ['nothing for similar names', null, found('gpt-9', { catalogue: ['gpt-9-mini', 'GPT-9'] })],
    ['nothing under the vendor of another address', null, found('u', { aggregator: ['openai/u'] })],
  ] as const) {
    it(`is found by ${what}`, () => assert.equal(actual, expected));
  }

  it('without a usable price has the reasons of the first entry under its name', () => {
    const unused = [{ key: 'cost_per_second', reason: 'no seconds' }];
    const unpriced = { ...entry, price: null, unused };
    const { state } = given([
      providerCreated(1, 'p', { endpoint: endpointAt(openai) }),
      modelCreated(1, 'm'),
      backendAttached(1, 1, 'v/u'),
    ]);
    const both = { aggregator: new Map([['v/u', unpriced]]), catalogue: null };
    assert.deepEqual(matchPrices(state, both)[0]?.unused, unused);
    const [priced] = matchPrices(state, { ...both, catalogue: listOf(['u']) });
    assert.deepEqual([priced?.found?.name, priced?.unused], ['u', []]);
  });

  it('costs more at an address of a region, if the catalogue says so', () => {
    const card = {
      cache_read: 100,
      service_tiers: { flex: { input: 50 }, fast: { percent: 200 } },
    };
    const base = { inputPricePerMtok: 1000, outputPricePerMtok: null, priceCard: card };
    const regions = new Map([['eu', 110]]);
    const regional = { price: base, regions, unused: [], isNonsense: false };
    const priceAt = (host: string, aggregator: PriceLists['aggregator'] = null) => {
      const provider = providerCreated(1, 'p', { endpoint: endpointAt(`https://${host}/v1`) });
      const { state } = given([provider, modelCreated(1, 'm'), backendAttached(1, 1, 'u')]);
      const catalogue = new Map([['u', regional]]);
      return matchPrices(state, { aggregator, catalogue })[0]?.found?.price;
    };
    assert.deepEqual(priceAt('api.openai.com'), base);
    assert.deepEqual(priceAt('us.api.openai.com'), base);
    assert.deepEqual(priceAt('eu.api.openai.com.example'), base);
    assert.deepEqual(priceAt('eu.api.openai.com'), {
      inputPricePerMtok: 1100,
      outputPricePerMtok: null,
      priceCard: {
        cache_read: 110,
        service_tiers: { flex: { input: 55 }, fast: { percent: 200 } },
      },
    });
    const listed = new Map([['u', { ...entry, price: { ...price, inputPricePerMtok: 500 } }]]);
    assert.equal(priceAt('eu.api.openai.com', listed)?.inputPricePerMtok, 550);
  });

  it('is not looked up without a provider', () => {
    const { state } = given([modelCreated(1, 'u')]);
    const [match] = matchPrices(state, lists({ catalogue: ['u'] }));
    assert.deepEqual([match?.upstreamModel, match?.found], [null, null]);
  });
});

it('identifies a vendor by the catalogue entry of the provider, before its address', () => {
  const endpoint = endpointAt(openai);
  assert.equal(vendorNames({ catalogueKey: null, endpoint }).aggregator, 'openai');
  assert.equal(vendorNames({ catalogueKey: 'xai', endpoint }).aggregator, 'x-ai');
  assert.equal(vendorNames({ catalogueKey: 'vllm', endpoint }).aggregator, null);
  assert.equal(vendorNames({ catalogueKey: 'constructor', endpoint }).aggregator, null);
});

it('identifies a catalogue provider with a custom address by that address', () => {
  const endpoint = endpointAt('https://api.groq.com/openai/v1');
  assert.ok(providerCatalogue.some(({ key }) => key === 'groq'));
  assert.equal(vendorNames({ catalogueKey: null, endpoint }).catalogue, 'groq');
});
