// Reads the names of prices in the format of LiteLLM, which price lists and configuration files use:
// what is priced, in which service tier, and above how many prompt tokens.

import type { TokenPrice, UnitPrice } from '../../usage/price-names.ts';

/** The meaning of one key of an entry. */
export type PriceKey =
  | Readonly<{
      kind: 'tokens';
      price: TokenPrice;
      tier: string | null;
      above: number | null;
    }>
  | Readonly<{ kind: 'unit'; price: UnitPrice }>
  /** `calls` is the number of calls that the price pays for. */
  | Readonly<{ kind: 'tool'; tool: string; calls: 1 | 1000 }>
  /** A list of prices by ranges of prompt tokens. */
  | Readonly<{ kind: 'ranges' }>
  /** Factors of the token prices by the mode or region that answers report. */
  | Readonly<{ kind: 'modes' }>
  /** The factor of the token prices at addresses of this region. */
  | Readonly<{ kind: 'region'; region: string }>
  /** Prices for hours of the week. */
  | Readonly<{ kind: 'off_peak' }>
  /** A price that gw does not use. */
  | UnusedPrice;

export type UnusedPrice = Readonly<{
  kind: 'unused';
  group: UnusedGroup;
  /** Null if gw does not know the key. */
  reason: string | null;
}>;

/** `not_counted`: a request can have this price, but no count of it is known. */
export type UnusedGroup = 'not_relayed' | 'no_price' | 'not_counted' | 'unknown';

/** Prices of one token. */
const tokenKeys: Readonly<Record<string, TokenPrice>> = {
  input_cost_per_token: 'input',
  output_cost_per_token: 'output',
  cache_read_input_token_cost: 'cache_read',
  cache_creation_input_token_cost: 'cache_write_5m',
  cache_creation_input_token_cost_above_1hr: 'cache_write_1h',
  cache_creation_input_token_cost_above_12hr: 'cache_write_1h',
  cache_read_input_audio_token_cost: 'cache_read_audio',
  cache_read_input_image_token_cost: 'cache_read_image',
  explicit_cache_read_input_token_cost: 'cache_read_explicit',
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
  input_cost_per_request: { kind: 'unit', price: 'per_request' },
  // One query is one request of /rerank.
  input_cost_per_query: { kind: 'unit', price: 'per_request' },
  output_cost_per_image: { kind: 'unit', price: 'per_output_image' },
  input_cost_per_image: { kind: 'unit', price: 'per_input_image' },
  input_cost_per_pixel: { kind: 'unit', price: 'output_pixels' },
  output_cost_per_pixel: { kind: 'unit', price: 'output_pixels' },
  input_cost_per_second: { kind: 'unit', price: 'input_seconds' },
  output_cost_per_second: { kind: 'unit', price: 'input_seconds' },
  input_cost_per_audio_per_second: { kind: 'unit', price: 'input_seconds' },
  input_cost_per_character: { kind: 'unit', price: 'input_characters' },
  search_context_cost_per_query: { kind: 'tool', tool: 'web_search', calls: 1 },
  search_queries_cost_per_query: { kind: 'tool', tool: 'web_search', calls: 1 },
  google_maps_grounding_cost_per_query: { kind: 'tool', tool: 'google_maps', calls: 1 },
  code_interpreter_cost_per_session: { kind: 'tool', tool: 'code_interpreter', calls: 1 },
  file_search_cost_per_1k_calls: { kind: 'tool', tool: 'file_search', calls: 1000 },
  tiered_pricing: { kind: 'ranges' },
  provider_specific_entry: { kind: 'modes' },
  regional_endpoint_uplift_multiplier: { kind: 'region', region: 'regional' },
  regional_processing_uplift_multiplier_eu: { kind: 'region', region: 'eu' },
  regional_processing_uplift_multiplier_us: { kind: 'region', region: 'us' },
  off_peak_pricing: { kind: 'off_peak' },
};

/** The first match applies. */
const unusedKeys: readonly (readonly [RegExp, UnusedGroup, string])[] = [
  [/_decisions$/, 'not_relayed', 'gw has no route for decisions'],
  [/_per_(page|credit)/, 'not_relayed', 'gw has no route for documents'],
  [/_per_text_message$/, 'not_relayed', 'gw has no route for voice sessions'],
  [/^cache_creation_input_audio_/, 'not_relayed', 'gw has no route for voice sessions'],
  [/_per_gb_per_day$/, 'not_relayed', 'storage does not belong to a request'],
  [/^guardrail_cost/, 'not_relayed', 'gw has no route for guardrails'],
  [/_video|_interval$|_second_\d+[pk]$/, 'not_relayed', 'no route of gw generates or embeds video'],
  [/^output_cost_per_character/, 'not_relayed', 'only APIs without a route in gw bill it'],
  [/_per_image_\d/, 'not_relayed', 'only APIs without a route in gw bill images by size'],
  [/^cost_per_second$/, 'no_price', 'reserved capacity does not belong to a request'],
  [/_cost_per_token_cache_hit$/, 'no_price', 'cache_read_input_token_cost is the same price'],
  [/_dbu_cost_per_token$/, 'no_price', 'it is a price in units of Databricks; gw uses dollars'],
  [/^citation_cost/, 'no_price', 'the provider reports the cost of each request'],
  [/^computer_use_/, 'no_price', 'these tokens have the price of the model'],
  [/^search_free_requests$/, 'no_price', 'free calls are shared by requests; each call is priced'],
  [/_per_\w+_above_\d+k_tokens$/, 'not_counted', 'prices of other units have no context tiers'],
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
  const found = unusedKeys.find(([pattern]) => pattern.test(key));
  if (found === undefined) return { kind: 'unused', group: 'unknown', reason: null };
  const [, group, reason] = found;
  return { kind: 'unused', group, reason };
}

/**
 * The modes of models in the list whose endpoints gw relays, with the units that their answers or
 * requests count.
 */
const relayedModes: ReadonlyMap<unknown, readonly UnitPrice[]> = new Map(
  Object.entries({
    chat: ['per_output_image'],
    completion: [],
    responses: ['per_output_image'],
    embedding: ['per_input_image', 'input_seconds', 'input_characters'],
    rerank: [],
    moderation: [],
    image_generation: ['per_output_image', 'per_input_image', 'output_pixels'],
    image_edit: ['per_output_image', 'per_input_image', 'output_pixels'],
    audio_transcription: ['input_seconds'],
    audio_speech: ['input_characters'],
  }),
);
const tokenModes: ReadonlySet<unknown> = new Set(['chat', 'responses']);

const unusedAs = (group: UnusedGroup, reason: string): UnusedPrice => ({
  kind: 'unused',
  group,
  reason,
});
const notRelayed = unusedAs('not_relayed', 'gw does not relay the endpoints of these models');
const reserved = unusedAs('no_price', 'reserved capacity does not belong to a request');
const sameAsAudio = unusedAs('no_price', 'output_cost_per_audio_token is the same price');
const sameAsTokens = unusedAs('no_price', 'these models bill the tokens of a request');
/** The models that list it make one song for each request. */
const song: PriceKey = { kind: 'unit', price: 'per_request' };

/** The meaning of a key in an entry, which depends on its mode. */
export function priceKeyIn(entry: object, key: string): PriceKey | null {
  const meaning = priceKeyOf(key);
  if (meaning === null || meaning.kind === 'tokens' || meaning.kind === 'tool') return meaning;
  const mode: unknown = Reflect.get(entry, 'mode') ?? 'chat';
  const units = relayedModes.get(mode);
  if (units === undefined) return notRelayed;
  if (meaning.kind !== 'unit' || meaning.price === 'per_request') return meaning;
  // Without a price of the answer, it is the price of a generated image.
  const isGenerated = units.includes('per_output_image') && !tokenModes.has(mode);
  if (key === 'input_cost_per_image' && isGenerated && !('output_cost_per_image' in entry)) {
    return { kind: 'unit', price: 'per_output_image' };
  }
  if (meaning.price === 'per_output_image' && !(isGenerated || isPaidInTokens(entry))) return song;
  if (units.includes(meaning.price)) return meaning;
  if (!key.endsWith('_per_second')) return sameAsTokens;
  return mode === 'audio_speech' ? sameAsAudio : reserved;
}

const isPaidInTokens = (entry: object): boolean =>
  ['input_cost_per_token', 'output_cost_per_token'].some(
    (name) => Number(Reflect.get(entry, name)) > 0,
  );

/** True for a model that bills tokens at 0 if it has only prices of other units. */
export const isBilledByUnit = (mode: unknown): boolean =>
  /^(?:image_generation|image_edit|audio_transcription|audio_speech)$/.test(String(mode));
