// The members of a chat request that neither vendor's protocol can say, by what becomes of them.
// What would change the answer is refused with its name; what would not is left out.

import type { Protocol } from '../lib/vocabulary.ts';
import { member } from './json.ts';
import type { JsonObject } from './json.ts';
import type { Field } from './read-fields.ts';
import { unsupported } from './refusal.ts';

type Refused = Readonly<{
  feature: string;
  /** Whether this value asks for anything; absent and null never do. */
  asks: (value: unknown) => boolean;
}>;

const always = (): boolean => true;
const isOn = (value: unknown): boolean => value !== false;
const isFilled = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.length > 0
    : typeof value !== 'object' || value === null || Object.keys(value).length > 0;
const isMoreThan =
  (least: number) =>
  (value: unknown): boolean =>
    value !== least;
const isMoreThanText = (value: unknown): boolean =>
  !Array.isArray(value) || value.some((modality) => modality !== 'text');

/** Gateway rule 14 names the first five; the others would be lost without a word. */
export const refusedMembers: Readonly<Record<string, Refused>> = {
  n: { feature: 'n greater than 1', asks: isMoreThan(1) },
  logprobs: { feature: 'logprobs', asks: isOn },
  top_logprobs: { feature: 'top_logprobs', asks: isMoreThan(0) },
  seed: { feature: 'seed', asks: always },
  functions: { feature: 'the deprecated functions parameter', asks: always },
  function_call: { feature: 'the deprecated function_call parameter', asks: always },
  logit_bias: { feature: 'logit_bias', asks: isFilled },
  modalities: { feature: 'modalities other than text', asks: isMoreThanText },
  audio: { feature: 'audio output', asks: always },
  web_search_options: { feature: 'web_search_options', asks: always },
};

/** Known to the API, and left out: none of them is part of what the model is asked. */
export const droppedMembers = [
  'metadata', // for the vendor's own lists of what was stored
  'moderation',
  'prediction', // makes an answer quicker, not another one
  'prompt_cache_key', // each vendor caches in its own way
  'prompt_cache_options',
  'prompt_cache_retention',
  'service_tier', // tiers are not the same from vendor to vendor
  'store',
  'verbosity', // a wish that no vendor but one knows
] as const;

export function refuseUntranslatable({ object, refusals }: Field, protocol: Protocol): void {
  for (const [name, { feature, asks }] of Object.entries(refusedMembers)) {
    const value = presentValue(object, name);
    if (value !== null && asks(value)) refusals.push(unsupported(protocol, feature, name));
  }
}

const presentValue = (object: JsonObject, name: string): unknown => member(object, name) ?? null;
