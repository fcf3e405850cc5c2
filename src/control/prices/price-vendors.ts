// Maps providers to the vendor names under which a price source lists their models. Names are
// compared exactly, never guessed.

import type { Provider } from '../../../projections/config/provider.ts';
import { placeholderIn, vendorEntries } from '../../snapshot/provider-catalogue.ts';

/** Null if the source does not list the vendor's models under its name. */
export type VendorNames = Readonly<{ aggregator: string | null; catalogue: string | null }>;

const vendors = new Map(vendorEntries.map(({ key, prices }) => [key, prices]));

const unknownVendor: VendorNames = { aggregator: null, catalogue: null };

const keyByOrigin: ReadonlyMap<string, string> = new Map(
  vendorEntries
    .filter(({ base_url: url }) => placeholderIn(url) === null)
    .map(({ base_url: url, key }) => [new URL(url).origin, key]),
);

/** Uses the catalogue entry of the provider, or else its address. */
export function vendorNames({
  catalogueKey,
  endpoint,
}: Pick<Provider, 'catalogueKey' | 'endpoint'>): VendorNames {
  const key = catalogueKey ?? keyByOrigin.get(new URL(endpoint.api_base).origin) ?? '';
  return vendors.get(key) ?? unknownVendor;
}
