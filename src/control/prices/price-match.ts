// Finds the price of each provider model by its upstream name ("Commands of the binary",
// sync-prices): first with a vendor prefix, then the bare name. The aggregator's price takes
// precedence over the catalogue's. Pure.

import type { Model } from '../../../projections/config/model.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { closedModelsIn } from '../../../projections/snapshot.ts';
import type { PriceSourceName } from '../../lib/vocabulary.ts';
import type { ListedEntry, ListedPrice, UnusedKey } from '../../snapshot/prices/listed-price.ts';
import { regionalPrice } from '../../snapshot/prices/regions.ts';
import { vendorNames } from './price-vendors.ts';
import type { VendorNames } from './price-vendors.ts';

export type PriceLists = Readonly<Record<PriceSourceName, ReadonlyMap<string, ListedEntry> | null>>;

export type PriceMatch = Readonly<{
  model: Model;
  /** Null if the model has no provider. It is then not looked up. */
  upstreamModel: string | null;
  /** Null if no list has a price of the model. `name` is the name it was found under. */
  found: Readonly<{ source: PriceSourceName; name: string; price: ListedPrice }> | null;
  /** Keys of the matching entry that are not used. Without a price: of the first entry. */
  unused: readonly UnusedKey[];
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
        return { model, upstreamModel: null, found: null, unused: [] };
      }
      const { upstreamModel } = model.backend;
      const entries = entriesOf(upstreamModel, { vendor: vendorNames(provider), lists });
      const { found, unused } = foundIn(entries, provider.endpoint.api_base);
      return { model, upstreamModel, found, unused };
    });
}

type Asked = Readonly<{ vendor: VendorNames; lists: PriceLists }>;
type NamedEntry = Readonly<{ source: PriceSourceName; name: string; entry: ListedEntry }>;

/** In order of precedence. */
const entriesOf = (upstreamModel: string, { vendor, lists }: Asked): readonly NamedEntry[] =>
  priceSourceOrder.flatMap((source) =>
    namesOf(upstreamModel, vendor[source]).flatMap((name): NamedEntry[] => {
      const entry = lists[source]?.get(name);
      return entry === undefined ? [] : [{ source, name, entry }];
    }),
  );

function foundIn(
  entries: readonly NamedEntry[],
  address: string,
): Pick<PriceMatch, 'found' | 'unused'> {
  // The aggregator does not list regions, but its prices are those of the same vendor.
  const regions = entries.find(({ entry }) => entry.regions !== undefined)?.entry.regions;
  for (const { source, name, entry } of entries) {
    const { unused } = entry;
    if (entry.price !== null) {
      const price = regionalPrice(entry.price, { regions, address });
      return { found: { source, name, price }, unused };
    }
  }
  return { found: null, unused: entries[0]?.entry.unused ?? [] };
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
