// Describes the usage metadata of generateContent. Thoughts are not part of the candidates, and the
// results of the vendor's own tools are not part of the prompt.

import {
  addsTo,
  both,
  entries,
  ignored,
  is,
  isUnits,
  object,
  serviceTier,
  subtractsFrom,
} from './field.ts';
import type { Dialect, Field, Fields, Given } from './field.ts';

const { derived, inTotal } = ignored;

const otherModalities: Fields = {
  MODALITY_UNSPECIFIED: inTotal,
  TEXT: inTotal,
  IMAGE: inTotal,
  AUDIO: inTotal,
  VIDEO: inTotal,
  DOCUMENT: inTotal,
};

/** A list of counts by modality. The others have the price of the total. */
const modalities = (fields: Fields): Field =>
  entries({ by: 'modality', count: 'tokenCount' }, { ...otherModalities, ...fields });

const input = modalities({ AUDIO: addsTo('inputAudioTokens'), IMAGE: addsTo('inputImageTokens') });
const output = modalities({
  AUDIO: addsTo('outputAudioTokens'),
  IMAGE: addsTo('outputImageTokens'),
});

const usage = object({
  promptTokenCount: is('promptTokens'),
  candidatesTokenCount: is('completionTokens'),
  responseTokenCount: is('completionTokens'),
  toolUsePromptTokenCount: addsTo('promptTokens'),
  thoughtsTokenCount: both(is('reasoningTokens'), addsTo('completionTokens')),
  cachedContentTokenCount: is('cacheReadTokens'),
  promptTokensDetails: input,
  toolUsePromptTokensDetails: input,
  // Cached tokens are cache reads, so they do not count as audio or images again.
  cacheTokensDetails: modalities({
    AUDIO: both(subtractsFrom('inputAudioTokens'), isUnits('cache_read_audio_tokens')),
    IMAGE: both(subtractsFrom('inputImageTokens'), isUnits('cache_read_image_tokens')),
  }),
  candidatesTokensDetails: output,
  responseTokensDetails: output,
  serviceTier,
  trafficType: serviceTier,
  totalTokenCount: derived,
});

const totals = ['promptTokenCount', 'candidatesTokenCount'];

const ownNames = ['thoughtsTokenCount', 'trafficType'];

/** False for the metadata of early events in a stream, which may have no counts. */
export const hasTotals = (given: Given): boolean =>
  totals.some((name) => typeof given[name] === 'number');

export const geminiUsage: Dialect = {
  claims: (given) => hasTotals(given) || ownNames.some((name) => Object.hasOwn(given, name)),
  usage,
  settle(found) {
    const tier = found.serviceTier;
    if (tier !== null) found.serviceTier = tiers.get(tier) ?? tier;
  },
};

/** Vertex AI reports a kind of traffic instead of a tier. */
const tiers: ReadonlyMap<string, string> = new Map([
  ['ON_DEMAND', 'standard'],
  ['ON_DEMAND_FLEX', 'flex'],
  ['ON_DEMAND_PRIORITY', 'priority'],
  ['PROVISIONED_THROUGHPUT', 'provisioned'],
]);
