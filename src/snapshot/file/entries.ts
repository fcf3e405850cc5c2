// Resolves each entry of model_list to a model and its backend (specification, "File-mode
// configuration file").

import type { Values } from '../../fields/field.ts';
import { flowFields, informationFields, modelFields } from '../../fields/model.ts';
import { picked } from '../../fields/values.ts';
import { plainly } from '../../lib/plain-issue.ts';
import type { Protocol } from '../../lib/vocabulary.ts';
import { commonProtocol } from '../../protocols/facts.ts';
import { blockAt } from './blocks.ts';
import { deployment } from './format.ts';
import type { ModelInfo, ServiceBlock } from './format.ts';
import { entryPrices } from './prices.ts';
import { isUnfit, providerOf } from './providers.ts';
import type { FileProvider } from './providers.ts';
import type { Notes, Path, ReadOptions } from './source.ts';
import { readModelName, underV1, unspoken } from './vendors.ts';
import type { Vendor } from './vendors.ts';
import { zodIssues } from './zod-issues.ts';

export type ModelFacts = Readonly<{ description: string | null }> & Values<typeof modelFields>;

export type FlowControl = Values<typeof flowFields>;

export type Entry = Readonly<{
  at: number;
  name: string;
  provider: FileProvider;
  upstreamModel: string;
  defaultMaxTokens: number | null;
  weight: number | null;
  facts: ModelFacts;
  flowControl: FlowControl;
}>;

export type BareModel = Readonly<{ name: string; facts: ModelFacts; flowControl: FlowControl }>;

export type EntryList = Readonly<{
  entries: readonly Entry[];
  /** Includes the names of invalid and omitted entries. */
  names: ReadonlySet<unknown>;
  /** The positions of entries that gw cannot serve. They are errors or left out. */
  unserved: ReadonlySet<number>;
}>;

type Options = Notes & ReadOptions;

export function readEntries(options: Options): EntryList {
  const { source, errors, warnings } = options;
  const given = blockAt(source.tree, [])['model_list'];
  const list: readonly unknown[] = Array.isArray(given) ? given : [];
  const providers = customProviders(source.tree);
  const unserved = new Set<number>();
  const entries = list.flatMap((raw, at) => {
    const read = readEntry(raw, at, { ...options, customProviders: providers });
    if (!('unsupported' in read)) return read;
    const { field, message } = read.unsupported;
    const issue = source.issue(pathOf(blockAt(raw, ['litellm_params']), at, field), message);
    if (options.skipUnsupported === true) {
      warnings.push({ ...issue, message: `this entry is skipped: ${message}` });
    } else {
      errors.push({ ...issue, message: `${message}; --skip-unsupported leaves this entry out` });
    }
    unserved.add(at);
    return [];
  });
  const names = new Set(list.map((raw) => blockAt(raw, [])['model_name']));
  return { entries, names, unserved };
}

/** By the prefix of their models: providers that are Python code. */
const customProviders = (tree: unknown): ReadonlySet<unknown> =>
  new Set(
    Object.values(blockAt(tree, ['litellm_settings', 'custom_provider_map'])).map(
      (given) => blockAt(given, [])['provider'],
    ),
  );

const pathOf = (parameters: object, at: number, field: string): Path =>
  field in parameters || field === 'api_base'
    ? ['model_list', at, 'litellm_params', field]
    : ['model_list', at, field];

/** `field` is the path of the setting. */
type Unsupported = Readonly<{ unsupported: Readonly<{ field: string; message: string }> }>;

/** Empty if the entry is invalid. */
function readEntry(
  raw: unknown,
  at: number,
  options: Options & Readonly<{ customProviders: ReadonlySet<unknown> }>,
): readonly Entry[] | Unsupported {
  const { source, errors, warnings, environment } = options;
  const given = blockAt(raw, ['litellm_params']);
  const unspoken = unspokenBy(
    textOf(blockAt(raw, [])['model_name']),
    textOf(given['model']),
    options.customProviders,
  );
  if (unspoken !== null) return { unsupported: unspoken };
  const parsed = deployment.safeParse(raw, plainly);
  if (!parsed.success) {
    errors.push(...zodIssues(parsed.error, source, ['model_list', at]));
    return [];
  }
  const { model_name: name, litellm_params: parameters, model_info: info } = parsed.data;
  const address = parameters.api_base ?? parameters.base_url ?? '';
  const read = readModelName(parameters.model, {
    hasAddress: address !== '',
    protocol: parameters.protocol ?? null,
  });
  const apiBase = address === '' ? read.vendor?.base_url : withV1(address, read.prefix);
  if (apiBase === undefined) {
    const message = missingAddress(parameters.model, read.prefix);
    return { unsupported: { field: 'api_base', message } };
  }
  const provider = providerOf({
    ...parameters,
    api_base: apiBase,
    protocol: read.protocol,
    api_key: parameters.api_key ?? keyOfVariable(read.vendor, environment),
  });
  if (isUnfit(provider)) {
    errors.push(source.issue(pathOf(parameters, at, provider.field), provider.message));
    return [];
  }
  const { max_tokens: maxTokens } = parameters;
  if (read.protocol === commonProtocol && (maxTokens ?? null) !== null) {
    const path = pathOf(parameters, at, 'max_tokens');
    warnings.push(source.issue(path, 'is ignored: gw does not send it with this protocol'));
  }
  return [
    {
      at,
      name,
      provider,
      upstreamModel: read.upstreamModel,
      defaultMaxTokens: parameters.default_max_tokens ?? nativeDefault(read.protocol, maxTokens),
      weight: parameters.weight ?? null,
      facts: factsOf(parameters, info ?? {}),
      flowControl: flowControlOf(info ?? {}, parameters.timeout ?? null),
    },
  ];
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const wildcard = (text: string): string => `${text} is a wildcard; list each model by its own name`;

/** Reads only the names: the other fields of such an entry follow the rules of another reader. */
function unspokenBy(
  name: string,
  model: string,
  customProviders: ReadonlySet<unknown>,
): Unsupported['unsupported'] | null {
  if (name.includes('*')) return { field: 'model_name', message: wildcard(name) };
  if (model.includes('*')) return { field: 'model', message: wildcard(model) };
  const slash = model.indexOf('/');
  if (slash === -1) return null;
  const prefix = model.slice(0, slash);
  if (customProviders.has(prefix)) {
    const message =
      `${prefix}/ is a provider of custom_provider_map, which is Python code that gw cannot run; ` +
      'give it an OpenAI-compatible API, then use the prefix openai/ and that api_base';
    return { field: 'model', message };
  }
  const remedy = unspoken.get(prefix);
  return remedy === undefined
    ? null
    : { field: 'model', message: `gw has no protocol for ${prefix}/; ${remedy}` };
}

function missingAddress(model: string, prefix: string | null): string {
  if (prefix === null && model.startsWith('gemini-')) {
    return `is required for ${model}; for Google AI Studio, write model: gemini/${model}`;
  }
  return prefix === null
    ? `is required for ${model}; or write the prefix of its vendor, as in openai/${model}`
    : `is required: gw knows no address for ${prefix}/`;
}

/** Ollama's address is written without the path of its chat-completions API. */
function withV1(address: string, prefix: string | null): string {
  if (prefix === null || !underV1.has(prefix) || !URL.canParse(address)) return address;
  const { pathname, origin } = new URL(address);
  return pathname === '/' ? `${origin}/v1` : address;
}

const keyOfVariable = (vendor: Vendor | null, environment: ReadOptions['environment']) =>
  vendor === null ? null : (environment[vendor.file.key_variable] ?? null);

/** The native protocols require an output limit. The common format's default is used. */
const nativeDefault = (protocol: Protocol, maxTokens: number | null | undefined): number | null =>
  protocol === commonProtocol ? null : (maxTokens ?? null);

/** A card of model_info has priority over the one of the other prices. */
function factsOf(parameters: object, info: ModelInfo): ModelFacts {
  const { price_card: card, ...information } = picked(informationFields, info);
  const prices = entryPrices(parameters, info);
  return {
    description: info.description ?? null,
    input_price_per_mtok: prices.inputPricePerMtok,
    output_price_per_mtok: prices.outputPricePerMtok,
    price_card: card ?? prices.priceCard,
    ...information,
    context_length: info.context_length ?? info.max_input_tokens ?? null,
  };
}

const flowControlOf = (given: object, timeoutSeconds: number | null): FlowControl => {
  const values = picked(flowFields, given);
  const { upstream_timeout_seconds: timeout } = values;
  return { ...values, upstream_timeout_seconds: timeout ?? wholeTimeout(timeoutSeconds) };
};

const wholeTimeout = (seconds: number | null): number | null =>
  seconds === null || seconds <= 0 ? null : Math.min(Math.ceil(seconds), 86_400);

export const bareModelOf = (given: ServiceBlock['models'][number]): BareModel => ({
  name: given.name,
  facts: { description: given.description ?? null, ...picked(modelFields, given) },
  flowControl: flowControlOf(given, null),
});
