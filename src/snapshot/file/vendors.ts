// What the prefix of a model's name in a configuration file says: which vendor is meant, where it is reached when the file
// names no address, and which prefixes stand for what this gateway does not speak.

import type { Protocol } from '../../lib/vocabulary.ts';

export type Vendor = Readonly<{
  /** Of the provider catalogue, which has the same address. */
  catalogueKey: string;
  apiBase: string;
  protocol: Protocol;
  /** Where the format looks for a credential that the file does not name. */
  keyVariable: string;
}>;

const vendor = (
  catalogueKey: string,
  apiBase: string,
  keyVariable: string,
  protocol: Protocol = 'openai',
): Vendor => ({ catalogueKey, apiBase, protocol, keyVariable });

const openai = vendor('openai', 'https://api.openai.com/v1', 'OPENAI_API_KEY');
const anthropic = vendor(
  'anthropic',
  'https://api.anthropic.com',
  'ANTHROPIC_API_KEY',
  'anthropic',
);

/** By the prefix before the first slash. */
export const vendors: ReadonlyMap<string, Vendor> = new Map([
  ['openai', openai],
  ['anthropic', anthropic],
  [
    'gemini',
    vendor(
      'gemini',
      'https://generativelanguage.googleapis.com/v1beta',
      'GEMINI_API_KEY',
      'gemini',
    ),
  ],
  ['cerebras', vendor('cerebras', 'https://api.cerebras.ai/v1', 'CEREBRAS_API_KEY')],
  ['cohere', vendor('cohere', 'https://api.cohere.ai/compatibility/v1', 'COHERE_API_KEY')],
  ['cohere_chat', vendor('cohere', 'https://api.cohere.ai/compatibility/v1', 'COHERE_API_KEY')],
  [
    'dashscope',
    vendor(
      'dashscope',
      'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
      'DASHSCOPE_API_KEY',
    ),
  ],
  ['deepinfra', vendor('deepinfra', 'https://api.deepinfra.com/v1/openai', 'DEEPINFRA_API_KEY')],
  ['deepseek', vendor('deepseek', 'https://api.deepseek.com', 'DEEPSEEK_API_KEY')],
  [
    'fireworks_ai',
    vendor('fireworks', 'https://api.fireworks.ai/inference/v1', 'FIREWORKS_AI_API_KEY'),
  ],
  ['groq', vendor('groq', 'https://api.groq.com/openai/v1', 'GROQ_API_KEY')],
  ['hyperbolic', vendor('hyperbolic', 'https://api.hyperbolic.xyz/v1', 'HYPERBOLIC_API_KEY')],
  ['mistral', vendor('mistral', 'https://api.mistral.ai/v1', 'MISTRAL_API_KEY')],
  ['moonshot', vendor('moonshot', 'https://api.moonshot.ai/v1', 'MOONSHOT_API_KEY')],
  ['nebius', vendor('nebius', 'https://api.tokenfactory.nebius.com/v1', 'NEBIUS_API_KEY')],
  ['novita', vendor('novita', 'https://api.novita.ai/openai/v1', 'NOVITA_API_KEY')],
  ['nvidia_nim', vendor('nvidia', 'https://integrate.api.nvidia.com/v1', 'NVIDIA_NIM_API_KEY')],
  ['openrouter', vendor('openrouter', 'https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY')],
  ['perplexity', vendor('perplexity', 'https://api.perplexity.ai', 'PERPLEXITYAI_API_KEY')],
  ['sambanova', vendor('sambanova', 'https://api.sambanova.ai/v1', 'SAMBANOVA_API_KEY')],
  ['together_ai', vendor('together', 'https://api.together.xyz/v1', 'TOGETHERAI_API_KEY')],
  ['voyage', vendor('voyage', 'https://api.voyageai.com/v1', 'VOYAGE_API_KEY')],
  ['xai', vendor('xai', 'https://api.x.ai/v1', 'XAI_API_KEY')],
  ['zai', vendor('zai', 'https://api.z.ai/api/paas/v4', 'ZAI_API_KEY')],
  ['zhipu', vendor('zhipu', 'https://open.bigmodel.cn/api/paas/v4', 'ZHIPU_API_KEY')],
]);

/** Names without a prefix that the format knows by themselves. */
export function vendorOfBareName(model: string): Vendor | null {
  if (/^(gpt-|chatgpt-|o[134](-|$)|text-embedding-|dall-e-|tts-|whisper-)/.test(model)) {
    return openai;
  }
  return model.startsWith('claude-') ? anthropic : null;
}

/** Stripped wherever the model is (specification, "File-mode configuration file"): they name a way to speak, not a model. */
const transports: ReadonlySet<string> = new Set([
  'openai',
  'vllm',
  'hosted_vllm',
  'openai_like',
  'openrouter',
  'ollama',
  'ollama_chat',
]);

/** They serve their chat-completions API under /v1, and are written without it. */
export const underV1: ReadonlySet<string> = new Set(['ollama', 'ollama_chat']);

/** Stripped where the backend speaks the protocol of that name. */
export const protocolOfPrefix: Readonly<Record<string, Protocol>> = {
  anthropic: 'anthropic',
  gemini: 'gemini',
};

const vertex =
  'for Google AI Studio, write gemini/; else name the OpenAI-compatible address of Vertex AI as ' +
  'api_base with openai/';
const azure =
  'name the address of its v1 API (https://<resource>.openai.azure.com/openai/v1) as api_base, ' +
  'with openai/<deployment>';
const bedrock = 'name the OpenAI-compatible address of Bedrock as api_base, with openai/';
const compatible = 'name an OpenAI-compatible address of it as api_base, with openai/';

/** Prefixes of vendors with a wire format or a signature of requests of their own, and what to write instead. */
export const unspoken: ReadonlyMap<string, string> = new Map([
  ['azure', azure],
  ['azure_ai', azure],
  ['azure_text', azure],
  ['bedrock', bedrock],
  ['bedrock_converse', bedrock],
  ['sagemaker', compatible],
  ['sagemaker_chat', compatible],
  ['vertex_ai', vertex],
  ['vertex_ai_beta', vertex],
  ['watsonx', compatible],
  ['replicate', compatible],
  ['huggingface', compatible],
  ['text-completion-openai', 'write openai/: gw forwards /v1/completions by it too'],
]);

export type Named = Readonly<{ prefix: string | null; vendor: Vendor | null }>;

/** `model` as it is sent upstream, with what its prefix said. `hasAddress`: the file names one. */
export function readModelName(
  model: string,
  given: Readonly<{ hasAddress: boolean; protocol: Protocol | null }>,
): Named & Readonly<{ upstreamModel: string; protocol: Protocol }> {
  const slash = model.indexOf('/');
  const prefix = slash === -1 ? null : model.slice(0, slash);
  const rest = model.slice(slash + 1);
  const vendor = given.hasAddress
    ? null
    : prefix === null
      ? vendorOfBareName(model)
      : (vendors.get(prefix) ?? null);
  const spoken = prefix === null ? undefined : protocolOfPrefix[prefix];
  const protocol = given.protocol ?? vendor?.protocol ?? spoken ?? 'openai';
  const isStripped =
    prefix !== null &&
    (spoken === undefined ? transports.has(prefix) || vendor !== null : spoken === protocol);
  return { prefix, vendor, protocol, upstreamModel: isStripped ? rest : model };
}
