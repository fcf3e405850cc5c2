// The entries of model_list, each resolved to a model's facts and the one backend that it names (specification, "File-mode
// configuration file").

import type { Protocol } from '../../lib/vocabulary.ts';
import type { Notes, ReadOptions } from './document.ts';
import type { Deployment, ModelInfo, ServiceBlock } from './format.ts';
import { isUnfit, providerOf } from './providers.ts';
import type { FileProvider } from './providers.ts';
import { readModelName, underV1, unspoken, vendors } from './vendors.ts';
import type { Vendor } from './vendors.ts';

/** What is known of a model wherever it is served. Prices are micro-units per million tokens; null is unpriced. */
export type ModelFacts = Readonly<{
  description: string | null;
  inputPricePerMtok: number | null;
  outputPricePerMtok: number | null;
  cacheTtlSeconds: number | null;
  contextLength: number | null;
}>;

/** Null is the default. */
export type FlowControl = Readonly<
  Record<
    | 'admission_max_concurrent'
    | 'admission_high_water'
    | 'admission_max_queued'
    | 'admission_max_wait_seconds'
    | 'upstream_timeout_seconds',
    number | null
  >
>;

export type Entry = Readonly<{
  /** Its place in model_list. */
  at: number;
  name: string;
  provider: FileProvider;
  upstreamModel: string;
  defaultMaxTokens: number | null;
  /** Null: the file gives none. */
  weight: number | null;
  facts: ModelFacts;
  flowControl: FlowControl;
}>;

export type BareModel = Readonly<{ name: string; facts: ModelFacts; flowControl: FlowControl }>;

export const readEntries = (
  list: readonly Deployment[],
  options: Notes & ReadOptions,
): readonly Entry[] => list.flatMap((deployment, at) => readEntry(deployment, at, options) ?? []);

function readEntry(
  { model_name: name, litellm_params: parameters, model_info: info }: Deployment,
  at: number,
  { source, errors, warnings, environment }: Notes & ReadOptions,
): Entry | null {
  const pathOf = (field: string) =>
    field in parameters || field === 'api_base'
      ? ['model_list', at, 'litellm_params', field]
      : ['model_list', at, field];
  const wrong = (field: string, message: string): null => {
    errors.push(source.issue(pathOf(field), message));
    return null;
  };
  const unfit = unfitNames(name, parameters.model);
  if (unfit !== null) return wrong(unfit.field, unfit.message);
  const address = parameters.api_base ?? parameters.base_url ?? '';
  const read = readModelName(parameters.model, {
    hasAddress: address !== '',
    protocol: parameters.protocol ?? null,
  });
  const apiBase = address === '' ? read.vendor?.apiBase : withV1(address, read.prefix);
  if (apiBase === undefined) return wrong('api_base', missingAddress(read.prefix));
  const provider = providerOf({
    ...parameters,
    api_base: apiBase,
    protocol: read.protocol,
    api_key: parameters.api_key ?? keyOfVariable(read.vendor, environment),
  });
  if (isUnfit(provider)) return wrong(provider.field, provider.message);
  const { max_tokens: maxTokens } = parameters;
  if (read.protocol === 'openai' && (maxTokens ?? null) !== null) {
    warnings.push(source.issue(pathOf('max_tokens'), 'is not sent to a backend of this protocol'));
  }
  return {
    at,
    name,
    provider,
    upstreamModel: read.upstreamModel,
    defaultMaxTokens: parameters.default_max_tokens ?? nativeDefault(read.protocol, maxTokens),
    weight: parameters.weight ?? null,
    facts: {
      ...factsOf(info ?? {}),
      inputPricePerMtok: priceOf(parameters.input_cost_per_token ?? info?.input_cost_per_token),
      outputPricePerMtok: priceOf(parameters.output_cost_per_token ?? info?.output_cost_per_token),
    },
    flowControl: flowControlOf(info ?? {}, parameters.timeout ?? null),
  };
}

type UnfitName = Readonly<{ field: 'model_name' | 'model'; message: string }>;

const wildcard = (text: string): string => `${text} is a wildcard; list each model by its own name`;

function unfitNames(name: string, model: string): UnfitName | null {
  if (name.includes('*')) return { field: 'model_name', message: wildcard(name) };
  if (model.includes('*')) return { field: 'model', message: wildcard(model) };
  const prefix = model.split('/', 1)[0] ?? '';
  if (!model.includes('/') || !unspoken.has(prefix)) return null;
  const message = `${prefix}/ is not spoken here; name an OpenAI-compatible api_base of it with openai/`;
  return { field: 'model', message };
}

const missingAddress = (prefix: string | null): string =>
  prefix === null || vendors.has(prefix)
    ? 'is required'
    : `is required: no address is known for ${prefix}/`;

/** Ollama's is written without the path of its chat-completions API. */
function withV1(address: string, prefix: string | null): string {
  if (prefix === null || !underV1.has(prefix) || !URL.canParse(address)) return address;
  const { pathname, origin } = new URL(address);
  return pathname === '/' ? `${origin}/v1` : address;
}

const keyOfVariable = (vendor: Vendor | null, environment: ReadOptions['environment']) =>
  vendor === null ? null : (environment[vendor.keyVariable] ?? null);

/** The native protocols need a bound on every request; the common format's default serves as that. */
const nativeDefault = (protocol: Protocol, maxTokens: number | null | undefined): number | null =>
  protocol === 'openai' ? null : (maxTokens ?? null);

/** Money a token is a million times as much a million tokens, and a million micro-units are one unit. */
const priceOf = (costPerToken: number | null | undefined): number | null =>
  costPerToken === null || costPerToken === undefined ? null : Math.round(costPerToken * 1e12);

const factsOf = (
  info: ModelInfo,
): Omit<ModelFacts, 'inputPricePerMtok' | 'outputPricePerMtok'> => ({
  description: info.description ?? null,
  cacheTtlSeconds: info.cache_ttl_seconds ?? null,
  contextLength: info.context_length ?? info.max_input_tokens ?? null,
});

const flowControlOf = (
  given: Partial<{ [Field in keyof FlowControl]: number | null | undefined }>,
  timeoutSeconds: number | null,
): FlowControl => ({
  admission_max_concurrent: given.admission_max_concurrent ?? null,
  admission_high_water: given.admission_high_water ?? null,
  admission_max_queued: given.admission_max_queued ?? null,
  admission_max_wait_seconds: given.admission_max_wait_seconds ?? null,
  upstream_timeout_seconds: given.upstream_timeout_seconds ?? wholeTimeout(timeoutSeconds),
});

const wholeTimeout = (seconds: number | null): number | null =>
  seconds === null || seconds <= 0 ? null : Math.min(Math.ceil(seconds), 86_400);

export const bareModelOf = (given: ServiceBlock['models'][number]): BareModel => ({
  name: given.name,
  facts: {
    description: given.description ?? null,
    inputPricePerMtok: given.input_price_per_mtok ?? null,
    outputPricePerMtok: given.output_price_per_mtok ?? null,
    cacheTtlSeconds: given.cache_ttl_seconds ?? null,
    contextLength: given.context_length ?? null,
  },
  flowControl: flowControlOf(given, null),
});
