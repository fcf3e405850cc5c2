// Under which vendor's name a price source lists the models of a provider. Names are compared exactly, never guessed.

import type { Provider } from '../../../projections/config/provider.ts';
import { placeholderIn, vendorEntries } from '../../snapshot/provider-catalogue.ts';

/** Null where the source does not list that vendor's models under a name of its own. */
export type VendorNames = Readonly<{ aggregator: string | null; catalogue: string | null }>;

const vendors = new Map(vendorEntries.map(({ key, prices }) => [key, prices]));

const unknownVendor: VendorNames = { aggregator: null, catalogue: null };

const keyByOrigin: ReadonlyMap<string, string> = new Map(
  vendorEntries
    .filter(({ base_url: url }) => placeholderIn(url) === null)
    .map(({ base_url: url, key }) => [new URL(url).origin, key]),
);

/** By the catalogue entry that the provider was made of, else by its address. */
export function vendorNames({
  catalogueKey,
  endpoint,
}: Pick<Provider, 'catalogueKey' | 'endpoint'>): VendorNames {
  const key = catalogueKey ?? keyByOrigin.get(new URL(endpoint.api_base).origin) ?? '';
  return vendors.get(key) ?? unknownVendor;
}
