// Decides a price sync: new prices of many models in one command. It skips deleted models, models
// whose upstream name has changed, and models that keep their price.

import type { Model } from '../../projections/config/model.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import type { ModelId } from '../lib/ids.ts';
import type { Decision } from './decision.ts';
import { setFields } from './set-fields.ts';

/** Micro-units per million tokens. */
export type SyncedPrice = Readonly<{
  id: ModelId;
  upstreamModel: string;
  inputPricePerMtok: number;
  outputPricePerMtok: number;
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
    if (keepsPrice(model, price, { overwrite })) return [];
    const { inputPricePerMtok, outputPricePerMtok } = price;
    return setFields('model', model, { inputPricePerMtok, outputPricePerMtok });
  });

export function keepsPrice(
  model: Pick<Model, 'inputPricePerMtok' | 'outputPricePerMtok'>,
  price: Pick<SyncedPrice, 'inputPricePerMtok' | 'outputPricePerMtok'>,
  { overwrite }: Pick<PriceCommand, 'overwrite'>,
): boolean {
  const { inputPricePerMtok: input, outputPricePerMtok: output } = model;
  const isSame = input === price.inputPricePerMtok && output === price.outputPricePerMtok;
  const isPriced = input !== null || output !== null;
  return isSame || (isPriced && !overwrite);
}
