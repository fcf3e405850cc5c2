// Interprets the prefix of a model name in a configuration file: the vendor, its default address,
// and wire formats that gw does not support.

import type { Protocol } from '../../lib/vocabulary.ts';
import { commonProtocol, protocolNames } from '../../protocols/facts.ts';
import { vendorEntries } from '../provider-catalogue.ts';

type VendorEntry = (typeof vendorEntries)[number];
export type Vendor = VendorEntry & Readonly<{ file: NonNullable<VendorEntry['file']> }>;

const known = vendorEntries.filter((entry): entry is Vendor => entry.file !== undefined);

/** By the prefix before the first slash. */
const vendors = new Map(known.flatMap((entry) => entry.file.prefixes.map((one) => [one, entry])));

const bareNames = known.flatMap((entry) =>
  entry.file.bare_names === undefined ? [] : [[new RegExp(entry.file.bare_names), entry] as const],
);

/** For names without a prefix that the format recognizes. */
const vendorOfBareName = (model: string): Vendor | null =>
  bareNames.find(([names]) => names.test(model))?.[1] ?? null;

/**
 * These prefixes name an API, not a model, and are removed (specification, "File-mode configuration
 * file").
 */
const transports: ReadonlySet<string> = new Set([
  'openai',
  'vllm',
  'hosted_vllm',
  'openai_like',
  'openrouter',
  'ollama',
  'ollama_chat',
]);

/** These serve their chat-completions API under /v1, but are configured without it. */
export const underV1: ReadonlySet<string> = new Set(['ollama', 'ollama_chat']);

/** Such a prefix is removed if the backend speaks this protocol. */
const spokenProtocol = (prefix: string | null): Protocol | undefined =>
  protocolNames.find((name) => name === prefix && name !== commonProtocol);

const vertex =
  'for Google AI Studio, write gemini/; else name the OpenAI-compatible address of Vertex AI as ' +
  'api_base with openai/';
const azure =
  'name the address of its v1 API (https://<resource>.openai.azure.com/openai/v1) as api_base, ' +
  'with openai/<deployment>';
const bedrock = 'use the prefix openai/ and the OpenAI-compatible address of Bedrock as api_base';
const compatible = 'use the prefix openai/ and its OpenAI-compatible address as api_base';

/**
 * Vendors with their own wire format or request signature, by prefix, and what to write instead.
 */
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
  ['text-completion-openai', 'write openai/, which serves /v1/completions too'],
]);

export type Named = Readonly<{ prefix: string | null; vendor: Vendor | null }>;

/** `model` is the upstream name. `hasAddress`: the file sets an address. */
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
  const spoken = spokenProtocol(prefix);
  const protocol = given.protocol ?? vendor?.protocol ?? spoken ?? commonProtocol;
  const isStripped =
    prefix !== null &&
    (spoken === undefined ? transports.has(prefix) || vendor !== null : spoken === protocol);
  return { prefix, vendor, protocol, upstreamModel: isStripped ? rest : model };
}
