// Tests that a price sync sets only the prices that it may set, in one command.

import { describe, it } from 'node:test';

import type { PriceCard } from '../../src/usage/price-card.ts';
import type { GwEvent } from '../../events/catalogue.ts';
import type { SyncedPrice } from '../../src/deciders/price.ts';
import { modelId } from '../../src/lib/ids.ts';
import {
  backendAttached,
  endpointAt,
  modelCreated,
  providerCreated,
} from '../harness/events/examples.ts';
import { given } from '../harness/events/test-log.ts';

type Priced = readonly [input: number | null, output: number | null, card?: PriceCard];

const priced = (id: number, ...[input, output, card]: Priced): GwEvent => ({
  stream: `model-${id}`,
  type: 'ModelPriced',
  data: {
    id: modelId.parse(id),
    input_price_per_mtok: input,
    output_price_per_mtok: output,
    ...(card === undefined ? {} : { price_card: card }),
  },
});
const price = (id: number, upstreamModel = 'u'): SyncedPrice => ({
  id: modelId.parse(id),
  upstreamModel,
  inputPricePerMtok: 3,
  outputPricePerMtok: 15,
  priceCard: null,
});
const card = { cache_read: 1 };
const sync = (prices: readonly SyncedPrice[], overwrite = false) =>
  ({ type: 'SyncPrices', overwrite, prices }) as const;

const model = (id: number): GwEvent[] => [modelCreated(id, `m${id}`), backendAttached(id, 1, 'u')];
const provider = providerCreated(1, 'p', { endpoint: endpointAt('https://p.example') });

describe('a price sync', () => {
  it('prices what has no price, whole or in part only when told to overwrite', () => {
    const plane = [
      provider,
      ...model(1),
      ...model(2),
      ...model(3),
      priced(2, 1, 1),
      priced(3, 1, null),
    ];
    const all = [price(1), price(2), price(3)];
    given(plane)
      .when(sync(all))
      .yields([priced(1, 3, 15)]);
    given(plane)
      .when(sync(all, true))
      .yields([priced(1, 3, 15), priced(2, 3, 15), priced(3, 3, 15)]);
  });

  it('changes nothing where the price is the same', () =>
    given([provider, ...model(1), priced(1, 3, 15)])
      .when(sync([price(1)], true))
      .yields([]));

  it('sets a card, and keeps that of a priced model unless told to overwrite', () => {
    const plane = [provider, ...model(1), ...model(2), priced(2, null, null, { per_request: 1 })];
    const all = [
      { ...price(1), priceCard: card },
      { ...price(2), priceCard: card },
    ];
    given(plane)
      .when(sync(all))
      .yields([priced(1, 3, 15, card)]);
    given(plane)
      .when(sync(all, true))
      .yields([priced(1, 3, 15, card), priced(2, 3, 15, card)]);
  });

  it('keeps prices that the list does not have', () => {
    given([provider, ...model(1), priced(1, 1, 2, card)])
      .when(sync([{ ...price(1), outputPricePerMtok: null }], true))
      .yields([priced(1, 3, 2, card)]);
    given([provider, ...model(1), priced(1, 3, 15, card)])
      .when(sync([price(1)], true))
      .yields([]);
  });

  it('leaves alone a model whose prices are in another currency', () =>
    given([provider, ...model(1), priced(1, 1, 2, { currency: 'EUR' })])
      .when(sync([{ ...price(1), priceCard: card }], true))
      .yields([]));

  it('leaves alone what is gone, detached, or served under another name by now', () =>
    given([provider, ...model(1), modelCreated(2, 'm2')])
      .when(sync([price(1, 'other'), price(2), price(9)], true))
      .yields([]));
});
