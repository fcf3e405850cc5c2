// Computes what past usage would have cost with other prices.

import { z } from 'zod';

import { withoutModel } from '../../control/usage/ledger/priced-pages.ts';
import type { WhatIfPrices } from '../../control/usage/ledger/what-if.ts';
import { priceField } from '../../lib/amounts.ts';
import { nameField, timestamp, timestampField } from '../../lib/fields.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { givenPriceCard } from '../../usage/price-card.ts';
import { wholeNumber } from '../http/fields.ts';
import type { UsageNeeds } from './needs.ts';
import { none, route } from '../http/route.ts';

const givenPrices = z.strictObject({
  input_price_per_mtok: priceField.nullable().default(null),
  output_price_per_mtok: priceField.nullable().default(null),
  price_card: givenPriceCard.nullable().default(null),
});

/** Prices in the form of a model's fields, as JSON. */
const pricesParameter = z
  .string()
  .max(10_000)
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: 'custom', message: 'must be JSON' });
      return z.NEVER;
    }
  })
  .pipe(givenPrices);

const query = z.strictObject({
  since: timestampField,
  until: timestampField,
  model: nameField.optional(),
  card: z.union([z.enum(['current', 'uncached']), wholeNumber({ from: 1 })]).optional(),
  card_of: nameField.optional(),
  prices: pricesParameter.optional(),
});

export const whatIfRecord = z.object({
  since: timestamp,
  until: timestamp,
  model: z.string().nullable(),
  /**
   * Rows of the range, except answers of the cache, costs that the provider reported, and
   * estimates: no card prices them.
   */
  rows: z.int(),
  /** Rows that these prices do not cover. They are in no amount. */
  unpriced_rows: z.int(),
  /** Rows that are unpriced now, and that these prices cover. */
  newly_priced_rows: z.int(),
  costs: z
    .array(
      z.object({
        currency: z.string(),
        /** The cost of the rows that have a price now, and their cost after corrections. */
        cost_micros: z.int(),
        corrected_cost_micros: z.int(),
        /** The cost of the same rows with these prices. */
        what_if_cost_micros: z.int(),
        /** The cost of the rows that are unpriced now. */
        newly_priced_cost_micros: z.int(),
      }),
    )
    .readonly(),
});

type Asked = z.output<typeof query>;

export const usageWhatIfRoutes = [
  route({
    method: 'GET',
    path: '/admin/usage/what-if',
    operation: 'whatIfUsage',
    permission: 'usage:read',
    summary: 'Compute what past usage would have cost with other prices; changes nothing',
    refusals: ['too_large', 'too_many', 'unavailable'],
    params: none,
    query,
    body: none,
    response: whatIfRecord,
    parameters: {
      model: 'Only requests that this model served.',
      card:
        'The version of the prices of `card_of` or `model`; `current` (default), those in effect now; or `uncached`, ' +
        'those of each row with cached tokens at the base price.',
      card_of: 'The model that has the prices. Default: each model has its own.',
      prices:
        'Prices to use instead: a JSON object with `input_price_per_mtok`, `output_price_per_mtok` and `price_card`.',
    },
    handle: async ({ query }, { signal }, { usageWhatIf }: UsageNeeds) => {
      const { since, until, model = null } = query;
      const prices = pricesOf(query);
      if (isRefusal(prices)) return prices;
      const found = await usageWhatIf({ since, until, model, prices }, signal());
      if (isRefusal(found)) return found;
      const costs = found.costs.map((one) => ({
        currency: one.currency,
        cost_micros: one.bookedMicros,
        corrected_cost_micros: one.correctedMicros,
        what_if_cost_micros: one.whatIfMicros,
        newly_priced_cost_micros: one.newlyPricedMicros,
      }));
      const { rows, unpricedRows: unpriced_rows, newlyPricedRows: newly_priced_rows } = found;
      return { body: { since, until, model, rows, unpriced_rows, newly_priced_rows, costs } };
    },
  }),
] as const;

function pricesOf({ model, card, card_of: of, prices }: Asked): WhatIfPrices | Refusal {
  if (prices !== undefined) {
    if (card !== undefined || of !== undefined) return onlyPrices;
    const { input_price_per_mtok: input, output_price_per_mtok: output, price_card } = prices;
    return { given: { input, output, card: price_card } };
  }
  if (card === 'uncached') return of === undefined ? card : ownPrices;
  if (typeof card !== 'number') return of === undefined ? 'current' : { model: of, version: null };
  const named = of ?? model;
  return named === undefined ? withoutModel(card) : { model: named, version: card };
}

const onlyPrices = refuse('invalid', 'prices: cannot be combined with card or card_of', {
  param: 'prices',
});

const ownPrices = refuse('invalid', 'card: uncached cannot be combined with card_of', {
  param: 'card',
});
