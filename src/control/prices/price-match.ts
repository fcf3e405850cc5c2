// Finds the price of each provider model by its upstream name ("Commands of the binary",
// sync-prices): first with a vendor prefix, then the bare name. The aggregator's price takes
// precedence over the catalogue's. Pure.

import type { Model } from '../../../projections/config/model.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { closedModelsIn } from '../../../projections/snapshot.ts';
import type { PriceSourceName } from '../../lib/vocabulary.ts';
import type { TokenPrices } from './price-list.ts';
import { vendorNames } from './price-vendors.ts';
import type { VendorNames } from './price-vendors.ts';

export type PriceLists = Readonly<Record<PriceSourceName, ReadonlyMap<string, TokenPrices> | null>>;

export type PriceMatch = Readonly<{
  model: Model;
  /** Null if the model has no provider. It is then not looked up. */
  upstreamModel: string | null;
  /** Null if no list has the model. `name` is the name it was found under. */
  found: Readonly<{ source: PriceSourceName; name: string; prices: TokenPrices }> | null;
}>;

/** In order of precedence. */
export const priceSourceOrder = ['aggregator', 'catalogue'] as const;

/**
 * All models that can be called, by name. Setting a price would turn a learned model into an
 * operator's.
 */
export function matchPrices(state: ConfigState, lists: PriceLists): readonly PriceMatch[] {
  const closed = closedModelsIn(state);
  return [...state.model.byId.values()]
    .filter(({ id }) => !closed.has(id))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((model): PriceMatch => {
      const provider = state.provider.byId.get(model.backend?.providerId ?? 0);
      if (model.backend === null || provider === undefined) {
        return { model, upstreamModel: null, found: null };
      }
      const { upstreamModel } = model.backend;
      const found = findPrice(upstreamModel, { vendor: vendorNames(provider), lists });
      return { model, upstreamModel, found };
    });
}

type Asked = Readonly<{ vendor: VendorNames; lists: PriceLists }>;

function findPrice(upstreamModel: string, { vendor, lists }: Asked): PriceMatch['found'] {
  for (const source of priceSourceOrder) {
    for (const name of namesOf(upstreamModel, vendor[source])) {
      const prices = lists[source]?.get(name);
      if (prices !== undefined) return { source, name, prices };
    }
  }
  return null;
}

/**
 * An upstream name may already have a vendor prefix. Then its bare name follows the first slash.
 */
export function namesOf(upstreamModel: string, vendor: string | null): readonly string[] {
  const slash = upstreamModel.indexOf('/');
  return [
    ...(vendor === null ? [] : [`${vendor}/${upstreamModel}`]),
    upstreamModel,
    ...(slash < 0 ? [] : [upstreamModel.slice(slash + 1)]),
  ];
}
