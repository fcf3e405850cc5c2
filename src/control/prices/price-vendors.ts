// Under which vendor's name a price source lists the models of a provider. Names are compared exactly, never guessed.

import type { Provider } from '../../../projections/config/provider.ts';
import { placeholderIn, providerCatalogue } from '../providers/provider-catalogue.ts';

/** Null where the source does not list that vendor's models under a name of its own. */
export type VendorNames = Readonly<{ aggregator: string | null; catalogue: string | null }>;

/** By the key of the provider catalogue. */
const vendors: Readonly<Record<string, VendorNames>> = {
  anthropic: { aggregator: 'anthropic', catalogue: 'anthropic' },
  'azure-openai': { aggregator: null, catalogue: 'azure' },
  'bedrock-mantle': { aggregator: null, catalogue: 'bedrock' },
  'bedrock-runtime': { aggregator: null, catalogue: 'bedrock' },
  cerebras: { aggregator: null, catalogue: 'cerebras' },
  cloudflare: { aggregator: null, catalogue: 'cloudflare' },
  cohere: { aggregator: 'cohere', catalogue: 'cohere' },
  dashscope: { aggregator: 'qwen', catalogue: 'dashscope' },
  'dashscope-cn': { aggregator: 'qwen', catalogue: 'dashscope' },
  databricks: { aggregator: null, catalogue: 'databricks' },
  deepinfra: { aggregator: null, catalogue: 'deepinfra' },
  deepseek: { aggregator: 'deepseek', catalogue: 'deepseek' },
  fireworks: { aggregator: null, catalogue: 'fireworks_ai' },
  gemini: { aggregator: 'google', catalogue: 'gemini' },
  'gemini-openai': { aggregator: 'google', catalogue: 'gemini' },
  groq: { aggregator: null, catalogue: 'groq' },
  hyperbolic: { aggregator: null, catalogue: 'hyperbolic' },
  minimax: { aggregator: 'minimax', catalogue: 'minimax' },
  mistral: { aggregator: 'mistralai', catalogue: 'mistral' },
  moonshot: { aggregator: 'moonshotai', catalogue: 'moonshot' },
  'moonshot-cn': { aggregator: 'moonshotai', catalogue: 'moonshot' },
  nvidia: { aggregator: 'nvidia', catalogue: 'nvidia_nim' },
  openai: { aggregator: 'openai', catalogue: 'openai' },
  openrouter: { aggregator: null, catalogue: 'openrouter' },
  perplexity: { aggregator: 'perplexity', catalogue: 'perplexity' },
  sambanova: { aggregator: null, catalogue: 'sambanova' },
  together: { aggregator: null, catalogue: 'together_ai' },
  vertex: { aggregator: 'google', catalogue: 'vertex_ai' },
  'vertex-openai': { aggregator: 'google', catalogue: 'vertex_ai' },
  voyage: { aggregator: null, catalogue: 'voyage' },
  xai: { aggregator: 'x-ai', catalogue: 'xai' },
  zai: { aggregator: 'z-ai', catalogue: 'zai' },
  zhipu: { aggregator: 'z-ai', catalogue: 'zai' },
};

const unknownVendor: VendorNames = { aggregator: null, catalogue: null };

const keyByOrigin: ReadonlyMap<string, string> = new Map(
  providerCatalogue
    .filter(({ base_url: url }) => placeholderIn(url) === null)
    .map(({ base_url: url, key }) => [new URL(url).origin, key]),
);

/** By the catalogue entry that the provider was made of, else by its address. */
export function vendorNames({
  catalogueKey,
  endpoint,
}: Pick<Provider, 'catalogueKey' | 'endpoint'>): VendorNames {
  const key = catalogueKey ?? keyByOrigin.get(new URL(endpoint.api_base).origin) ?? '';
  return (Object.hasOwn(vendors, key) ? vendors[key] : undefined) ?? unknownVendor;
}
