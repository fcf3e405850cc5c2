// Compiles provider models for the data plane: endpoints with parsed addresses and credential
// headers. Omits unusable backends one by one.

import { hash } from 'node:crypto';

import { canonicalJson } from '../../lib/canonical-json.ts';
import { camelKeys } from '../../lib/case.ts';
import type { ModelId, ProviderId } from '../../lib/ids.ts';
import type { Steps } from '../../lib/steps.ts';
import type { Protocol } from '../../lib/vocabulary.ts';
import { withPrices } from '../../usage/price-versions.ts';
import type { PriceVersion } from '../../usage/price-versions.ts';
import { credentialsOf } from '../credential.ts';
import type { FoundCredential } from '../credential.ts';
import { flowControlOf, withoutFlowControl } from './flow-control.ts';
import type { FlowControl } from './flow-control.ts';
import { closedModels } from '../closed-models.ts';
import type { Snapshot, SnapshotBackend, SnapshotModel, SnapshotProvider } from '../schema.ts';

export type CompiledBackend = Readonly<{
  /**
   * Stable across versions if only the flow control changed. Counters and health are kept under it.
   */
  identity: string;
  /** Equal for backends with the same address and credential, which are probed together. */
  endpoint: string;
  providerId: ProviderId;
  apiBase: string;
  origin: string;
  /** The path of the API base, without a trailing slash. */
  basePath: string;
  protocol: Protocol;
  upstreamModel: string;
  /** A JSON string, for replacing the name in the body. */
  upstreamModelJson: Buffer;
  credential: string | null;
  /** Alternating name and value. Empty without a credential. */
  credentialHeaders: readonly string[];
  /** The default for requests without a limit, if the protocol needs one. */
  defaultMaxTokens: number | null;
  /** Omits tools that the protocol cannot express. */
  dropsTools: boolean;
  firstByteMs: number | null;
  /** Null while flow control is off. */
  flowControl: FlowControl | null;
}>;

export type CompiledModel = Readonly<{
  id: ModelId;
  name: string;
  /** Its bit in grants. */
  index: number;
  contextLength: number | null;
  /** Null disables caching. */
  cacheTtlMs: number | null;
  /** In the order of their start. One unless new prices are scheduled. */
  prices: readonly PriceVersion[];
  /**
   * True if wildcard grants such as `model/*` open it. A closed model needs a grant of its exact
   * name.
   */
  isOpen: boolean;
  /** True if it has a provider, usable or not. */
  isAttached: boolean;
  /** If empty, the model is not routable. */
  backends: readonly CompiledBackend[];
}>;

/** By name, one model per step. Adds sentences about omitted parts to `dropped`. */
export function* modelSteps(
  snapshot: Snapshot,
  dropped: string[],
): Steps<Map<string, CompiledModel>> {
  const endpointOf = endpointsOf(snapshot);
  const closed = closedModels(snapshot.config);
  const models = new Map<string, CompiledModel>();
  for (const model of snapshot.config.models) {
    const backends: CompiledBackend[] = [];
    for (const backend of model.backends) {
      const endpoint = endpointOf(backend.provider_id);
      if (typeof endpoint === 'string') dropped.push(`model ${model.name}: ${endpoint}`);
      else backends.push(compileBackend(model, backend, endpoint));
    }
    const { id, name, context_length: contextLength } = model;
    const seconds = model.cache_ttl_seconds;
    const cacheTtlMs = seconds === null || seconds <= 0 ? null : seconds * 1000;
    const index = models.size;
    models.set(name, {
      id,
      name,
      index,
      contextLength,
      cacheTtlMs,
      prices: pricesOf(model),
      isOpen: !closed.has(id),
      isAttached: model.backends.length > 0,
      backends,
    });
    yield;
  }
  return models;
}

const pricesOf = (model: SnapshotModel): readonly PriceVersion[] =>
  model.price_versions?.map((one) => camelKeys(one)) ??
  withPrices(
    [],
    {
      input: model.input_price_per_mtok,
      output: model.output_price_per_mtok,
      card: model.price_card ?? null,
    },
    { setAtMs: 0 },
  );

/** Shared by all backends of a provider. */
type Endpoint = Pick<
  CompiledBackend,
  | 'endpoint'
  | 'providerId'
  | 'apiBase'
  | 'origin'
  | 'basePath'
  | 'protocol'
  | 'credential'
  | 'credentialHeaders'
> &
  /** Part of a backend's identity: the provider and its secret. */
  Readonly<{ identityText: string }>;

/**
 * Computed once per provider, because models far outnumber providers. A string is the reason why
 * its backends cannot be used.
 */
function endpointsOf(snapshot: Snapshot): (id: ProviderId) => Endpoint | string {
  const providers = new Map(snapshot.config.providers.map((provider) => [provider.id, provider]));
  const credentialOf = credentialsOf(snapshot);
  const made = new Map<ProviderId, Endpoint | string>();
  return (id) => {
    const known = made.get(id);
    if (known !== undefined) return known;
    const provider = providers.get(id);
    const endpoint =
      provider === undefined
        ? `provider ${id} does not exist`
        : compileEndpoint(provider, credentialOf(provider));
    made.set(id, endpoint);
    return endpoint;
  };
}

function compileEndpoint(provider: SnapshotProvider, found: FoundCredential): Endpoint | string {
  if ('reason' in found) return found.reason;
  const { credential } = found;
  if (credential !== null && !/^[\t\x20-\x7e\x80-\xff]*$/.test(credential)) {
    return `the credential of provider ${provider.name} cannot be sent in a header`;
  }
  const url = URL.canParse(provider.api_base) ? new URL(provider.api_base) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return `the address of provider ${provider.name} is not an http or https URL`;
  }
  const scheme = provider.auth_scheme;
  const value = scheme === null || scheme === '' ? credential : `${scheme} ${credential}`;
  // Access tokens are renewed every hour for the same endpoint. Another key file has another ref.
  const secret = provider.credential_kind === 'static' ? credential : null;
  return {
    endpoint: endpointIdentity(provider, secret),
    providerId: provider.id,
    apiBase: provider.api_base,
    origin: url.origin,
    basePath: url.pathname.replace(/\/+$/, ''),
    protocol: provider.protocol,
    credential,
    credentialHeaders: value === null || credential === null ? [] : [provider.auth_header, value],
    identityText: `${canonicalJson(provider)},${canonicalJson(secret)}`,
  };
}

function compileBackend(
  { name, drop_unsupported_tools: dropsTools }: SnapshotModel,
  backend: SnapshotBackend,
  { identityText, ...endpoint }: Endpoint,
): CompiledBackend {
  const seconds = backend.upstream_timeout_seconds;
  const own = `${canonicalJson(name)},${canonicalJson(withoutFlowControl(backend))}`;
  return {
    ...endpoint,
    identity: hash('sha256', `[${own},${identityText}]`),
    upstreamModel: backend.upstream_model,
    upstreamModelJson: Buffer.from(JSON.stringify(backend.upstream_model)),
    defaultMaxTokens: backend.default_max_tokens,
    dropsTools: dropsTools === true,
    firstByteMs: seconds === null ? null : seconds * 1000,
    flowControl: flowControlOf(backend),
  };
}

/** The provider's name does not identify endpoints. The key file of a token does. */
function endpointIdentity(provider: SnapshotProvider, secret: string | null): string {
  const { api_base, protocol, auth_header, auth_scheme, credential_kind: kind } = provider;
  const credential = kind === 'static' ? secret : provider.credential_ref;
  return hash(
    'sha256',
    canonicalJson([api_base, protocol, auth_header, auth_scheme, kind, credential]),
  );
}
