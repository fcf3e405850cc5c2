// Defines the price card of a provider model: every price in addition to the two base prices
// (docs: prices). Each part of the token totals (counts.ts) has a price of its own.

import { z } from 'zod';

import { priceField, tokensField } from '../lib/amounts.ts';
import { timestampField } from '../lib/fields.ts';
import { shortened } from '../lib/text.ts';
import {
  cachedPrices,
  fallbackPrices,
  partPrices,
  reportedName as reported,
  tokenPrices,
  unitPrices,
} from './price-names.ts';
import { hoursRule, isHours } from './price-hours.ts';
import type {
  CachedPrice,
  FallbackPrice,
  PartPrice,
  TokenPrice,
  UnitPrice,
} from './price-names.ts';

/** Micro-units per million tokens. A price that is absent is not known. */
export type PriceSet = Readonly<{ [Name in TokenPrice]?: number | undefined }>;

/** Replaces all prices of a set above a number of prompt tokens. */
export type ContextTier = PriceSet & Readonly<{ above_tokens: number }>;

/** A percentage of the token prices that apply otherwise, or a set of its own. */
export type ServiceTier = PriceSet &
  Readonly<{
    percent?: number | undefined;
    context_tiers?: readonly ContextTier[] | undefined;
    /** When the tier also applies to requests of the standard tier (price-hours.ts). */
    hours?: string | undefined;
  }>;

export type PriceCard = Readonly<{ [Name in PartPrice | CachedPrice]?: number | undefined }> &
  Readonly<{ [Name in UnitPrice]?: number | undefined }> &
  Readonly<{
    /** Micro-units for each call, by the name of a tool that the provider runs. */
    tool_calls?: Readonly<Record<string, number>> | undefined;
    /** By the service tier that the answer reports. */
    service_tiers?: Readonly<Record<string, ServiceTier>> | undefined;
    /** Ascending. The last tier whose `above_tokens` the prompt exceeds applies. */
    context_tiers?: readonly ContextTier[] | undefined;
    /** ISO 4217. Absent means `defaultCurrency` (src/lib/vocabulary.ts). */
    currency?: string | undefined;
    /** The price of the same set that is used for a price that the set does not have. */
    fallbacks?: Readonly<{ [Name in PartPrice]?: FallbackPrice | undefined }> | undefined;
    /** RFC 3339. The prices of the model, including the base prices, apply from this time. */
    effective_from?: string | undefined;
  }>;

export const contextTiersMax = 8;
export const namedPricesMax = 32;

export const percentMax = 10_000;
const hoursLengthMax = 1000;

const partNames = partPrices.map(({ name }) => name);
const fallbackNames = fallbackPrices.map(({ name }) => name);
const tokenNames = tokenPrices.map(({ name }) => name);

/**
 * `isGiven`: the card comes from a request or a file, so what is not known or not possible is an
 * error. Otherwise it was stored, maybe by another release.
 */
type Form = Readonly<{ isGiven: boolean }>;

function cardSchema(form: Form): z.ZodType<PriceCard, PriceCard> {
  const price = form.isGiven ? priceField : z.int().nonnegative();
  const sets = membersFor(tokenNames, price);
  const contextTiers = z
    .array(objectOf(form, { above_tokens: tokensField, ...sets }))
    .max(contextTiersMax)
    .readonly()
    .optional();
  const percent = z.int().nonnegative().max(percentMax).optional();
  const hours = form.isGiven ? hoursField : z.string();
  const serviceTier = objectOf(form, {
    percent,
    hours: hours.optional(),
    ...sets,
    context_tiers: contextTiers,
  });
  return objectOf(form, {
    ...membersFor(partNames, price),
    ...membersFor(
      cachedPrices.map(({ name }) => name),
      price,
    ),
    ...membersFor(
      unitPrices.map(({ name }) => name),
      price,
    ),
    tool_calls: named(price),
    service_tiers: named(serviceTier),
    context_tiers: contextTiers,
    currency: z.string().optional(),
    fallbacks: objectOf(form, membersFor(partNames, z.enum(fallbackNames))).optional(),
    effective_from: (form.isGiven ? timestampField : z.string()).optional(),
  });
}

const hoursField = z.string().max(hoursLengthMax).refine(isHours, { error: hoursRule });

const reportedName = z.string().regex(reported.pattern, { error: reported.must });

const isListable = (named: object): boolean => Object.keys(named).length <= namedPricesMax;
const tooManyNames = { error: `must have at most ${namedPricesMax} names` };

const named = <Value extends z.ZodType>(value: Value) =>
  z.record(reportedName, value).refine(isListable, tooManyNames).optional();

/** A card in an event, a snapshot or a response. */
export const storedPriceCard = cardSchema({ isGiven: false });

/** A card in a request or a configuration file. */
export const givenPriceCard = cardSchema({ isGiven: true }).superRefine((card, context) => {
  for (const { path, message, input } of problemsOf(card)) {
    context.addIssue({ code: 'custom', path: [...path], message, input });
  }
});

type Problem = Readonly<{ path: readonly (string | number)[]; message: string; input: unknown }>;

function* problemsOf(card: PriceCard): Generator<Problem> {
  const { currency, context_tiers: tiers = [], service_tiers: services = {} } = card;
  if (currency !== undefined && !currencies.has(currency)) {
    const message = `must be an ISO 4217 currency code, such as USD, was ${shortened(currency)}`;
    yield { path: ['currency'], message, input: currency };
  }
  for (const [name, target] of Object.entries(card.fallbacks ?? {})) {
    if (
      target === undefined ||
      target === 'input' ||
      target === 'output' ||
      card[target] !== undefined
    )
      continue;
    const message = `must name a price of this card, input or output, was ${target}`;
    yield { path: ['fallbacks', name], message, input: target };
  }
  yield* tierProblems(tiers, ['context_tiers']);
  for (const [name, { percent, hours: _hours, context_tiers: own = [], ...set }] of Object.entries(
    services,
  )) {
    const path = ['service_tiers', name];
    const priced = Object.values(set).filter((price) => price !== undefined).length + own.length;
    if ((percent === undefined) === (priced === 0)) {
      const message = 'must have either percent or prices of its own';
      yield { path, message, input: services[name] };
    }
    yield* tierProblems(own, [...path, 'context_tiers']);
  }
}

function* tierProblems(
  tiers: readonly ContextTier[],
  path: readonly (string | number)[],
): Generator<Problem> {
  for (const [index, { above_tokens: tokens }] of tiers.entries()) {
    const before = tiers[index - 1]?.above_tokens ?? 0;
    if (tokens > before) continue;
    const message = `must be more than ${before}, that of the tier before, was ${tokens}`;
    yield { path: [...path, index, 'above_tokens'], message, input: tokens };
  }
}

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

function membersFor<Name extends string, Member extends z.ZodType>(
  names: readonly Name[],
  member: Member,
): { [Key in Name]: z.ZodOptional<Member> };
function membersFor(names: readonly string[], member: z.ZodType): object {
  return Object.fromEntries(names.map((name) => [name, member.optional()]));
}

function objectOf<Shape extends z.ZodRawShape>(form: Form, shape: Shape): z.ZodObject<Shape>;
function objectOf({ isGiven }: Form, shape: z.ZodRawShape): z.ZodObject {
  return isGiven ? z.strictObject(shape) : z.object(shape);
}
