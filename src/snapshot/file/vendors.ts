// What the prefix of a model's name in a configuration file says: which vendor is meant, where it is reached when the file
// names no address, and which prefixes stand for what this gateway does not speak.

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

/** For names without a prefix that the format knows by themselves. */
const vendorOfBareName = (model: string): Vendor | null =>
  bareNames.find(([names]) => names.test(model))?.[1] ?? null;

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

/** Prefixes that are stripped where the backend speaks the protocol of that name. */
const spokenProtocol = (prefix: string | null): Protocol | undefined =>
  protocolNames.find((name) => name === prefix && name !== commonProtocol);

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
  const spoken = spokenProtocol(prefix);
  const protocol = given.protocol ?? vendor?.protocol ?? spoken ?? commonProtocol;
  const isStripped =
    prefix !== null &&
    (spoken === undefined ? transports.has(prefix) || vendor !== null : spoken === protocol);
  return { prefix, vendor, protocol, upstreamModel: isStripped ? rest : model };
}
