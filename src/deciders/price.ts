// Decides a price sync: new prices of many models in one command. It skips deleted models, models
// whose upstream name has changed, and models that keep their price.

import type { Model } from '../../projections/config/model.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import type { ModelId } from '../lib/ids.ts';
import { defaultCurrency } from '../lib/vocabulary.ts';
import type { PriceCard } from '../usage/price-card.ts';
import type { Decision } from './decision.ts';
import { setFields } from './set-fields.ts';

/** Micro-units per million tokens. The model keeps its own where a synced price is null. */
type Prices = Readonly<{
  inputPricePerMtok: number | null;
  outputPricePerMtok: number | null;
  priceCard: PriceCard | null;
}>;

export type SyncedPrice = Prices &
  Readonly<{
    id: ModelId;
    /** The upstream model that the price belongs to. */
    upstreamModel: string;
  }>;

export type PriceCommand = Readonly<{
  type: 'SyncPrices';
  /** True replaces existing prices. */
  overwrite: boolean;
  prices: readonly SyncedPrice[];
}>;

export const decidePrices = (state: ConfigState, { overwrite, prices }: PriceCommand): Decision =>
  prices.flatMap((price) => {
    const model = state.model.byId.get(price.id);
    if (model?.backend?.upstreamModel !== price.upstreamModel) return [];
    return setFields('model', model, pricesAfter(model, price, { overwrite }));
  });

/** The prices of a model after a sync that found `listed`. */
export function pricesAfter(
  { inputPricePerMtok, outputPricePerMtok, priceCard = null }: Model,
  listed: Prices,
  { overwrite }: Pick<PriceCommand, 'overwrite'>,
): Prices {
  const own = { inputPricePerMtok, outputPricePerMtok, priceCard };
  const isPriced = Object.values(own).some((price) => price !== null);
  // Lists have prices in US dollars.
  const isForeign = (priceCard?.currency ?? defaultCurrency) !== defaultCurrency;
  if (isForeign || (isPriced && !overwrite)) return own;
  return {
    inputPricePerMtok: listed.inputPricePerMtok ?? inputPricePerMtok,
    outputPricePerMtok: listed.outputPricePerMtok ?? outputPricePerMtok,
    priceCard: listed.priceCard ?? priceCard,
  };
}
