// Reads the names of prices in the format of LiteLLM, which price lists and configuration files use:
// what is priced, in which service tier, and above how many prompt tokens.

import type { TokenPrice } from '../../usage/price-names.ts';

/** The meaning of one key of an entry. */
export type PriceKey =
  | Readonly<{
      kind: 'tokens';
      price: TokenPrice;
      tier: string | null;
      above: number | null;
    }>
  | Readonly<{ kind: 'request' }>
  /** `calls` is the number of calls that the price pays for. */
  | Readonly<{ kind: 'tool'; tool: string; calls: 1 | 1000 }>
  /** A list of prices by ranges of prompt tokens. */
  | Readonly<{ kind: 'ranges' }>
  /** A price that gw does not use. The reason is null if gw does not know the key. */
  | Readonly<{ kind: 'unused'; reason: string | null }>;

/** Prices of one token. */
const tokenKeys: Readonly<Record<string, TokenPrice>> = {
  input_cost_per_token: 'input',
  output_cost_per_token: 'output',
  cache_read_input_token_cost: 'cache_read',
  cache_creation_input_token_cost: 'cache_write_5m',
  cache_creation_input_token_cost_above_1hr: 'cache_write_1h',
  input_cost_per_audio_token: 'input_audio',
  input_cost_per_image_token: 'input_image',
  output_cost_per_audio_token: 'output_audio',
  output_cost_per_image_token: 'output_image',
  output_cost_per_reasoning_token: 'reasoning',
};

/** The service tier that answers report, by the ending of the key. */
const tiers: Readonly<Record<string, string>> = {
  batches: 'batch',
  flex: 'flex',
  priority: 'priority',
  balanced: 'balanced',
  ultrafast: 'ultrafast',
};

const otherKeys: Readonly<Record<string, PriceKey>> = {
  input_cost_per_request: { kind: 'request' },
  // One query is one request of /rerank.
  input_cost_per_query: { kind: 'request' },
  search_context_cost_per_query: { kind: 'tool', tool: 'web_search', calls: 1 },
  search_queries_cost_per_query: { kind: 'tool', tool: 'web_search', calls: 1 },
  google_maps_grounding_cost_per_query: { kind: 'tool', tool: 'google_maps', calls: 1 },
  file_search_cost_per_1k_calls: { kind: 'tool', tool: 'file_search', calls: 1000 },
  tiered_pricing: { kind: 'ranges' },
};

/** The first match applies. */
const unusedKeys: readonly (readonly [RegExp, string])[] = [
  [/_cost_per_token_cache_hit$/, 'cache_read_input_token_cost is the same price'],
  [/_dbu_cost_per_token$/, 'it is the price in units of Databricks; the price in dollars is used'],
  [/^explicit_cache_read_/, 'answers do not tell which cache reads were explicit'],
  [/_above_12hr/, 'usage rows count cache writes of 5 minutes and of 1 hour only'],
  [/^cache_.*_(audio|image)_token_cost/, 'usage rows do not split cached tokens by media type'],
  [/_decisions$/, 'gw has no route for decisions'],
  [/_video_token/, 'usage rows do not count video tokens'],
  [/^citation_cost/, 'usage rows do not count citation tokens'],
  [/^computer_use_/, 'usage rows do not count the tokens of computer use'],
  [/_per_second|_interval$/, 'usage rows do not count seconds'],
  [/_per_character/, 'usage rows do not count characters'],
  [/_per_image/, 'usage rows do not count images'],
  [/_per_pixel/, 'usage rows do not count pixels'],
  [/_per_(page|credit)/, 'gw has no route for documents'],
  [/_per_text_message$/, 'gw has no route for voice sessions'],
  [/_per_session$/, 'usage rows count calls of tools, not sessions'],
  [/_per_gb_per_day$/, 'storage does not belong to a request'],
  [/^guardrail_cost/, 'gw has no route for guardrails'],
  [/^off_peak_pricing$/, 'price cards have no times of day; the regular price is used'],
  [/_multiplier(_|$)/, 'gw does not know the region that served a request'],
  [/^provider_specific_entry$/, 'gw does not know the region or speed of a request'],
  [/^search_free_requests$/, 'free calls are shared by requests; each call is priced'],
];

const priceLike =
  /^(?=\w{1,100}$)\w*(cost|pric|multiplier|surcharge|discount|uplift|free_requests|specific_entry)/;
const tierNames = Object.keys(tiers).join('|');
const tokenKey = new RegExp(
  // The longest name first: a name may begin with another one.
  `^(${Object.keys(tokenKeys).toSorted().toReversed().join('|')})` +
    `(?:_(${tierNames}))?(?:_above_(\\d{1,9})(k?)_tokens)?(?:_(${tierNames}))?$`,
);

/** Null if the key is not a price. */
export function priceKeyOf(key: string): PriceKey | null {
  if (!priceLike.test(key)) return null;
  const [, name = '', early, above, thousand, late] = tokenKey.exec(key) ?? [];
  const price = tokenKeys[name];
  if (price !== undefined) {
    const tier = tiers[early ?? late ?? ''] ?? null;
    const threshold = above === undefined ? null : Number(above) * (thousand === 'k' ? 1000 : 1);
    return { kind: 'tokens', price, tier, above: threshold };
  }
  const other = Object.hasOwn(otherKeys, key) ? otherKeys[key] : undefined;
  if (other !== undefined) return other;
  const [, reason = null] = unusedKeys.find(([pattern]) => pattern.test(key)) ?? [];
  return { kind: 'unused', reason };
}
