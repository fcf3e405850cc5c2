// Defines the types of fields: their form in storage, requests, responses and files.

import { z } from 'zod';

import {
  cacheSecondsField,
  priceField,
  requestsField,
  requestsOrNoneField,
  secondsField,
  secondsOrNoneField,
  tokensField,
} from '../lib/amounts.ts';
import { givenPriceCard, storedPriceCard } from '../usage/price-card.ts';

const amount = (given: z.ZodInt, stored: z.ZodInt) => ({
  stored: stored.nullable(),
  snapshot: z.int().nullable(),
  input: given.nullable().optional(),
  file: given.nullish(),
  record: z.int().nullable(),
  column: 'bigint' as const,
});

const positive = (given: z.ZodInt) => amount(given, z.int().positive());
const natural = (given: z.ZodInt) => amount(given, z.int().nonnegative());

/**
 * `stored` is the form in events, `snapshot` in snapshots (accepts values of later releases),
 * `input` in requests, `file` in configuration files, `record` in responses, `column` in tables.
 * Null means not set.
 */
export const fieldTypes = {
  /** Micro-units per million tokens. Null means unpriced. */
  price: natural(priceField),
  tokens: positive(tokensField),
  /** Tokens of an answer. */
  outputTokens: { ...positive(tokensField), snapshot: z.int().positive().nullable() },
  cacheSeconds: positive(cacheSecondsField),
  requests: positive(requestsField),
  requestsOrNone: natural(requestsOrNoneField),
  seconds: positive(secondsField),
  secondsOrNone: natural(secondsOrNoneField),
  flag: {
    stored: z.boolean().nullable(),
    snapshot: z.boolean().nullable(),
    input: z.boolean().nullable().optional(),
    file: z.boolean().nullish(),
    record: z.boolean().nullable(),
    column: 'boolean',
  },
  /** Prices in addition to the two base prices, and what depends on the size of a prompt. */
  rates: {
    stored: storedPriceCard.nullable(),
    snapshot: storedPriceCard.nullable(),
    input: givenPriceCard.nullable().optional(),
    file: givenPriceCard.nullish(),
    record: storedPriceCard.nullable(),
    column: 'jsonb',
  },
} as const;

export type FieldTypes = typeof fieldTypes;
export type FieldType = keyof FieldTypes;
export type ValueOf<Type extends FieldType> = z.output<FieldTypes[Type]['record']>;
