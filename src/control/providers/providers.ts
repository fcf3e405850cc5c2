// Prepares changes of providers by people. A new endpoint or credential must answer before anything
// is stored (specification, "Provider creation rules").

import type { Endpoint } from '../../../events/provider.ts';
import type { Provider } from '../../../projections/config/provider.ts';
import { decide } from '../../deciders/decide.ts';
import { noProvider } from '../../deciders/provider.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { ModelId, ProviderId } from '../../lib/ids.ts';
import type { ProviderKind } from '../../lib/vocabulary.ts';
import type { Revealing } from '../access/principal-names.ts';
import type { Configuration } from '../commands/configuration.ts';
import type { Mutation } from '../commands/execute.ts';
import { dialled, secretsOf, vaultedCredential } from './credential.ts';
import type { Vaulting } from './credential.ts';
import { storedTarget, verify } from './dial-target.ts';
import { completeEndpoint } from './endpoint.ts';
import type { GivenEndpoint } from './endpoint.ts';
import { findCatalogueEntry } from '../../snapshot/provider-catalogue.ts';
import type { Dial } from './verify-provider.ts';

export type ProviderTools = Vaulting & Revealing & Readonly<{ dial: Dial }>;

type GivenProvider = GivenEndpoint &
  Readonly<{
    name?: string | undefined;
    kind?: ProviderKind | undefined;
    /** An empty string clears the credential. */
    upstream_api_key?: string | undefined;
  }>;

type Creation = GivenProvider & Readonly<{ catalogue_key?: string | undefined }>;
type Change = GivenProvider & Readonly<{ keep_credential: boolean }>;
type Present = Pick<Configuration, 'state' | 'refresh'>;

export async function createProvider(
  tools: ProviderTools,
  { state, refresh }: Present,
  given: Creation,
): Promise<Mutation | Refusal> {
  const key = given.catalogue_key ?? null;
  const entry = key === null ? null : findCatalogueEntry(key);
  if (key !== null && entry === null) {
    return refuse('invalid', `catalogue_key ${key} is not in the catalogue`, {
      param: 'catalogue_key',
    });
  }
  const endpoint = completeEndpoint(given, entry);
  if (isRefusal(endpoint)) return endpoint;
  const credentialKind = given.credential_kind ?? entry?.credential_kinds[0] ?? 'static';
  const credential = vaultedCredential(tools, { ...given, kind: credentialKind });
  if (isRefusal(credential)) return credential;
  const kind = given.kind ?? (entry === null ? 'static' : 'cloud');
  const command = {
    type: 'CreateProvider',
    name: given.name ?? null,
    // For a self-hosted engine, the catalogue names the software, not the instance.
    defaultName:
      entry !== null && kind === 'cloud' ? entry.display_name : new URL(endpoint.api_base).host,
    kind,
    catalogueKey: key,
    endpoint,
    credential: credential?.stored ?? null,
  } as const;
  // The rules come first, so that a refused provider is not dialled.
  await refresh();
  const decision = decide(state(), command);
  if (isRefusal(decision)) return decision;
  const target = { endpoint, credential: dialled(credential), catalogueKey: key };
  return (await verify(tools, target)) ?? { command, secrets: secretsOf(credential) };
}

export async function updateProvider(
  tools: ProviderTools,
  { state, refresh }: Present,
  { id, given }: Readonly<{ id: ProviderId; given: Change }>,
): Promise<Mutation | Refusal> {
  await refresh();
  const provider = state().provider.byId.get(id);
  if (provider === undefined) return noProvider(id);
  const endpoint = changedEndpoint(provider, given);
  if (isRefusal(endpoint)) return endpoint;
  const { upstream_api_key: key } = given;
  const heldKind = provider.credential?.kind ?? 'static';
  const kind = given.credential_kind ?? heldKind;
  if (key === undefined && kind !== heldKind) {
    return refuse('invalid', 'credential_kind can change only together with upstream_api_key', {
      param: 'credential_kind',
    });
  }
  const credential = key === undefined ? null : vaultedCredential(tools, { ...given, kind });
  if (isRefusal(credential)) return credential;
  const command = {
    type: 'UpdateProvider',
    id,
    name: given.name,
    kind: given.kind,
    endpoint,
    credential: key === undefined ? undefined : (credential?.stored ?? null),
    keepCredential: given.keep_credential,
    // Detects changes by others during the dial.
    from: endpoint === undefined && key === undefined ? undefined : provider,
  } as const;
  // Before the dial: the rules may forbid sending the stored credential to this endpoint.
  const decision = decide(state(), command);
  if (isRefusal(decision)) return decision;
  const mutation = { command, secrets: secretsOf(credential) };
  if (endpoint === undefined && credential === null) return mutation;
  const stored = key === undefined ? (await storedTarget(tools, provider)).credential : null;
  const refusal = await verify(tools, {
    endpoint: endpoint ?? provider.endpoint,
    credential: stored ?? dialled(credential),
    catalogueKey: provider.catalogueKey,
  });
  return refusal ?? mutation;
}

/** Undefined if the request contains no field of the endpoint. */
function changedEndpoint(
  { endpoint, credential }: Provider,
  given: Change,
): Endpoint | Refusal | undefined {
  const { api_base, protocol, auth_header, auth_scheme, credential_kind } = given;
  const fields = [api_base, protocol, auth_header, auth_scheme, credential_kind];
  if (fields.every((field) => field === undefined)) return undefined;
  return completeEndpoint(given, {
    ...endpoint,
    credential_kinds: [credential?.kind ?? 'static'],
  });
}

type AvailableModel = Readonly<{ id: string; contextLength: number | null; model: ModelId | null }>;

export async function availableModels(
  tools: Omit<ProviderTools, 'newId'>,
  { state, refresh }: Present,
  id: ProviderId,
): Promise<readonly AvailableModel[] | Refusal> {
  await refresh();
  const provider = state().provider.byId.get(id);
  if (provider === undefined) return noProvider(id);
  const list = await tools.dial(await storedTarget(tools, provider));
  if (isRefusal(list)) return list;
  const models = [...state().model.byId.values()].filter(
    ({ backend }) => backend?.providerId === id,
  );
  const registered = new Map(models.map((model) => [model.backend?.upstreamModel, model.id]));
  return list.map(({ id: served, contextLength }) => ({
    id: served,
    contextLength,
    model: registered.get(served) ?? null,
  }));
}
