// Lists members of chat requests that other protocols cannot express. Members that change the
// answer are refused by name. The others are omitted.

import type { Protocol } from '../lib/vocabulary.ts';
import { member } from './json.ts';
import type { JsonObject } from './json.ts';
import type { Field } from './read-fields.ts';
import { unsupported } from './refusal.ts';

type Refused = Readonly<{
  feature: string;
  /** True if this value requests something. Absent and null values never do. */
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

/** Gateway rule 14 names the first five. The others would be lost silently. */
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

/** Known members without effect on the prompt. */
export const droppedMembers = [
  'metadata', // metadata for stored completions
  'moderation',
  'prediction', // only makes the answer faster
  'prompt_cache_key', // vendors cache in different ways
  'prompt_cache_options',
  'prompt_cache_retention',
  'service_tier', // tiers differ between vendors
  'store',
  'verbosity', // only one vendor supports it
] as const;

export function refuseUntranslatable({ object, refusals }: Field, protocol: Protocol): void {
  for (const [name, { feature, asks }] of Object.entries(refusedMembers)) {
    const value = presentValue(object, name);
    if (value !== null && asks(value)) refusals.push(unsupported(protocol, feature, name));
  }
}

const presentValue = (object: JsonObject, name: string): unknown => member(object, name) ?? null;
