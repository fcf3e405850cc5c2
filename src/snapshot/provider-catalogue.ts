// Provides the catalogue of public providers and common engines, whose defaults save operators from
// looking them up. Other providers can be used too (specification, "Models, backends, providers").

import { z } from 'zod';

import { credentialKind, protocol } from '../lib/vocabulary.ts';
import rows from './provider-catalogue.json' with { type: 'json' };

/** `models_path` is resolved against `base_url`. Null if the provider has no model list. */
export const catalogueEntry = z.object({
  key: z.string(),
  display_name: z.string(),
  base_url: z.string(),
  protocol,
  auth_header: z.string(),
  auth_scheme: z.string().nullable(),
  credential_kinds: z.array(credentialKind).readonly(),
  models_path: z.string().nullable(),
  notes: z.string().nullable(),
});
export type CatalogueEntry = Readonly<z.output<typeof catalogueEntry>>;

/** For price lists and configuration files. The admin API does not return these facts. */
const vendorEntry = catalogueEntry.extend({
  /**
   * The vendor's names in the price lists. Null if a list does not have its models under a separate
   * name.
   */
  prices: z
    .object({ aggregator: z.string().nullable(), catalogue: z.string().nullable() })
    .optional(),
  file: z
    .object({
      /** The prefix before the first slash of a model's name. */
      prefixes: z.array(z.string()),
      /** Matches names without a prefix. */
      bare_names: z.string().optional(),
      /** Used if the file does not set a credential. */
      key_variable: z.string(),
    })
    .optional(),
});
export const vendorEntries = z.array(vendorEntry).parse(rows);

/** Sorted by display name. */
export const providerCatalogue: readonly CatalogueEntry[] = z.array(catalogueEntry).parse(rows);

export const findCatalogueEntry = (key: string): CatalogueEntry | null =>
  providerCatalogue.find((entry) => entry.key === key) ?? null;

/** The first `<placeholder>` left in a base URL. */
export const placeholderIn = (url: string): string | null => /<[^<>]+>/.exec(url)?.[0] ?? null;
