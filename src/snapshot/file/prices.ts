// Reads the prices of an entry of model_list, which has them under the names of price lists.

import type { z } from 'zod';

import { readCatalogueEntry } from '../prices/catalogue-entry.ts';
import { priceKeyIn, priceKeyOf } from '../prices/catalogue-keys.ts';
import type { ListedPrice } from '../prices/listed-price.ts';

/** True if gw uses the price. `entry` has all settings of the entry, such as its mode. */
export const isUsedPrice = (entry: object, key: string): boolean =>
  (priceKeyIn(entry, key)?.kind ?? 'unused') !== 'unused';

/** The reason why gw ignores a price. Undefined if the key is not that of a known price. */
export function unusedPriceReason(key: string): string | undefined {
  const meaning = priceKeyOf(key);
  if (meaning?.kind === 'unit') return 'models of this mode are not billed by it';
  return meaning?.kind === 'unused' && meaning.reason !== null ? meaning.reason : undefined;
}

/** Refuses each price that is not one. YAML reads 1e-6 as text. */
export function checkPrices(given: object, context: z.RefinementCtx): void {
  for (const [key, input] of Object.entries(given)) {
    if (!readCatalogueEntry({ [key]: input }).isNonsense) continue;
    const message = 'must be a number from 0 to 1000';
    context.addIssue({ code: 'custom', path: [key], message, input });
  }
}

const none: ListedPrice = { inputPricePerMtok: null, outputPricePerMtok: null, priceCard: null };

/** The settings of litellm_params take precedence over those of model_info. */
export function entryPrices(parameters: object, info: object): ListedPrice {
  const given = [...Object.entries(info), ...Object.entries(parameters)];
  const entry = Object.fromEntries(given.filter(([, value]) => value !== null));
  const used = Object.entries(entry).filter(([key]) => key === 'mode' || isUsedPrice(entry, key));
  return readCatalogueEntry(Object.fromEntries(used)).price ?? none;
}
