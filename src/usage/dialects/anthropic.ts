// Describes the usage of the Messages API. Its `input_tokens` excludes cache reads and writes.

import { tokenParts } from '../counts.ts';
import {
  add,
  addsTo,
  both,
  ignored,
  is,
  isGiven,
  nothingFound,
  object,
  readName,
  serviceTier,
  toolCalls,
} from './field.ts';
import type { Dialect, Fields, Found, Given } from './field.ts';

const { derived, label } = ignored;

const input: Fields = {
  input_tokens: is('promptTokens'),
  cache_read_input_tokens: both(is('cacheReadTokens'), addsTo('promptTokens')),
  // It is read before the sum of both, which has no time to live.
  cache_creation: object({
    ephemeral_5m_input_tokens: is('cacheWrite5mTokens'),
    ephemeral_1h_input_tokens: is('cacheWrite1hTokens'),
  }),
  cache_creation_input_tokens: both(is('cacheWrite5mTokens'), addsTo('promptTokens')),
};

const usage = object({
  ...input,
  output_tokens: is('completionTokens'),
  output_tokens_details: object({ thinking_tokens: is('reasoningTokens') }),
  server_tool_use: toolCalls('_requests'),
  service_tier: serviceTier,
  // A faster mode of the same model, and the region that served it, see `settle`.
  speed: label,
  inference_geo: label,
  // The steps of the answer. Only compactions are not in the totals, see `settle`.
  iterations: derived,
  total_tokens: derived,
});

/** Fields that other vendors do not have together with `input_tokens`. */
const ownNames = [
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'cache_creation',
  'service_tier',
  'iterations',
];

export const anthropicUsage: Dialect = {
  claims: (given) =>
    !Object.hasOwn(given, 'prompt_tokens') && ownNames.some((name) => Object.hasOwn(given, name)),
  usage,
  settle,
};

function settle(found: Found, { speed, inference_geo: geo, iterations }: Given): void {
  // The mode and the region have other prices, like a tier.
  const mode = readName(speed);
  if (mode !== null && mode !== 'standard') found.serviceTier = mode;
  const region = readName(geo);
  if (region !== null && !anyRegion.has(region)) {
    const tier = found.serviceTier ?? 'standard';
    found.serviceTier = tier === 'standard' ? region : (readName(`${tier}.${region}`) ?? tier);
  }
  if (!Array.isArray(iterations)) return;
  // The totals exclude the compaction of the conversation, which the same model writes. They also
  // exclude the advice of another model. It has the price of that model, so it does not count here.
  for (const step of iterations) {
    if (isGiven(step) && step['type'] === 'compaction') addStep(found, step);
  }
}

const anyRegion: ReadonlySet<string> = new Set(['global', 'not_available']);

function addStep(found: Found, step: Given): void {
  const own: Found = { ...nothingFound };
  usage.read(step, own);
  for (const count of counts) {
    const more = own[count];
    if (more !== null) add(found, count, more);
  }
}

const counts = ['promptTokens', 'completionTokens', ...tokenParts.map(({ key }) => key)] as const;

/**
 * The usage of a stream. The input of its first event has priority (Gateway rule 11), unless it is
 * zero, as with servers that only know it at the end.
 */
export function pairUsage(first: Given | null, last: Given | null): Given | null {
  if (first === null || last === null) return last ?? first;
  const names = Object.keys(input);
  const isEmpty = names.every((name) => !(Number(first[name] ?? 0) > 0));
  if (isEmpty && typeof last['input_tokens'] === 'number') return { ...first, ...last };
  const rest = Object.entries(last).filter(([name]) => !names.includes(name));
  return { ...first, ...Object.fromEntries(rest) };
}
