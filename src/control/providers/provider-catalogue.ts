// The provider catalogue: what is known of public providers and common engines, so that an operator need not look it up.
// A convenience, never a limit (specification, "Models, backends, providers").

import { z } from 'zod';

import { credentialKind, protocol } from '../../lib/vocabulary.ts';
import rows from './provider-catalogue.json' with { type: 'json' };

/** `models_path` is resolved against `base_url`; null is a provider that publishes no model list. */
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

/** Sorted by display name. */
export const providerCatalogue: readonly CatalogueEntry[] = z.array(catalogueEntry).parse(rows);

export const findCatalogueEntry = (key: string): CatalogueEntry | null =>
  providerCatalogue.find((entry) => entry.key === key) ?? null;

/** The first `<placeholder>` that a base URL still holds. */
export const placeholderIn = (url: string): string | null => /<[^<>]+>/.exec(url)?.[0] ?? null;
