// Decides commands on providers (specification, "Provider creation rules"). Callers have already
// checked that the endpoint answers.

import { streamOf } from '../../events/catalogue.ts';
import type { GwEvent } from '../../events/catalogue.ts';
import type { Endpoint, StoredCredential } from '../../events/provider.ts';
import type { Provider } from '../../projections/config/provider.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import { providerId } from '../lib/ids.ts';
import type { ProviderId } from '../lib/ids.ts';
import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import { listed } from '../lib/text.ts';
import type { ProviderKind } from '../lib/vocabulary.ts';
import { refuseLeak } from './credential-leak.ts';
import type { Decision } from './decision.ts';
import { setFields } from './set-fields.ts';

export type ProviderCommand =
  | Readonly<{
      type: 'CreateProvider';
      /** Null uses `defaultName`, with #2, #3 … appended if it is taken. */
      name: string | null;
      defaultName: string;
      kind: ProviderKind;
      catalogueKey: string | null;
      endpoint: Endpoint;
      credential: StoredCredential | null;
    }>
  /** Undefined members stay unchanged; `credential` null clears it. */
  | Readonly<{
      type: 'UpdateProvider';
      id: ProviderId;
      name: string | undefined;
      kind: ProviderKind | undefined;
      endpoint: Endpoint | undefined;
      credential: StoredCredential | null | undefined;
      /** Confirms that the stored credential may be sent to another origin. */
      keepCredential: boolean;
      /** The provider when it was probed for this change. It must not have changed since. */
      from?: Pick<Provider, 'endpoint' | 'credential'> | undefined;
    }>
  | Readonly<{ type: 'DeleteProvider'; id: ProviderId }>;

export function decideProvider(state: ConfigState, command: ProviderCommand): Decision {
  switch (command.type) {
    case 'CreateProvider':
      return createProvider(state, command);
    case 'UpdateProvider':
      return updateProvider(state, command);
    case 'DeleteProvider':
      return deleteProvider(state, command.id);
  }
}

type Of<Type extends ProviderCommand['type']> = Extract<ProviderCommand, { type: Type }>;

function createProvider(state: ConfigState, command: Of<'CreateProvider'>): Decision {
  if (command.kind === 'dynamic') {
    return refuse('invalid', 'kind dynamic: only a registration can set this kind', {
      param: 'kind',
    });
  }
  const name = command.name ?? freeName(state, command.defaultName);
  const taken = clash(state, { name, endpoint: command.endpoint, credential: command.credential });
  if (taken !== null) return taken;
  const id = providerId.parse(state.provider.lastId + 1);
  return [providerCreated(id, name, command)];
}

export const providerCreated = (
  id: ProviderId,
  name: string,
  {
    kind,
    catalogueKey,
    endpoint,
    credential,
  }: Pick<Provider, 'kind' | 'catalogueKey' | 'endpoint' | 'credential'>,
): GwEvent => ({
  stream: streamOf('provider', id),
  type: 'ProviderCreated',
  data: { id, name, kind, catalogue_key: catalogueKey, endpoint, credential },
});

function updateProvider(state: ConfigState, command: Of<'UpdateProvider'>): Decision {
  const { id, name, kind, endpoint, credential } = command;
  const provider = state.provider.byId.get(id);
  if (provider === undefined) return noProvider(id);
  if (command.from !== undefined && !isAsBefore(provider, command.from)) {
    return refuse('conflict', `provider ${id} was modified concurrently; retry`);
  }
  const after = {
    id,
    name: name ?? provider.name,
    endpoint: endpoint ?? provider.endpoint,
    credential: credential === undefined ? provider.credential : credential,
  };
  const refusal = clash(state, after) ?? leak(provider, command);
  if (refusal !== null) return refusal;
  const stream = streamOf('provider', id);
  const events: GwEvent[] = [...setFields('provider', provider, { name })];
  if (kind !== undefined && kind !== provider.kind) {
    events.push({ stream, type: 'ProviderKindChanged', data: { id, kind } });
  }
  if (!sameEndpoint(after.endpoint, provider.endpoint)) {
    const data = { id, endpoint: after.endpoint, from_api_base: provider.endpoint.api_base };
    events.push({ stream, type: 'ProviderEndpointChanged', data });
  }
  if (credential === null && provider.credential !== null) {
    events.push({ stream, type: 'ProviderCredentialCleared', data: { id } });
  }
  if (credential !== null && credential !== undefined) {
    events.push({ stream, type: 'ProviderCredentialSet', data: { id, credential } });
  }
  return events;
}

const isAsBefore = (
  { endpoint, credential }: Provider,
  from: Pick<Provider, 'endpoint' | 'credential'>,
): boolean => sameEndpoint(endpoint, from.endpoint) && credential?.ref === from.credential?.ref;

function leak(provider: Provider, command: Of<'UpdateProvider'>): Refusal | null {
  if (command.endpoint === undefined || command.credential !== undefined) return null;
  if (provider.credential === null || command.keepCredential) return null;
  const [from, to] = [provider.endpoint.api_base, command.endpoint.api_base];
  return refuseLeak({ from, to, param: 'api_base' });
}

function deleteProvider(state: ConfigState, id: ProviderId): Decision {
  if (!state.provider.byId.has(id)) return noProvider(id);
  const served = [...state.model.byId.values()]
    .filter((model) => model.backend?.providerId === id)
    .map((model) => model.name);
  if (served.length > 0) {
    const models = served.length === 1 ? 'model' : 'models';
    const names = listed(served.toSorted());
    return refuse('conflict', `provider ${id} still serves ${served.length} ${models}: ${names}`);
  }
  return [{ stream: streamOf('provider', id), type: 'ProviderDeleted', data: { id } }];
}

type Identity = {
  id?: ProviderId;
  name: string;
  endpoint: Endpoint;
  credential: StoredCredential | null;
};

/** Names are unique, and so is an address together with its auth. */
function clash(state: ConfigState, wanted: Identity): Refusal | null {
  const others = [...state.provider.byId.values()].filter((one) => one.id !== wanted.id);
  if (others.some((one) => one.name === wanted.name)) {
    return refuse('conflict', `provider ${wanted.name} exists`, { param: 'name' });
  }
  const twin = others.find(
    (one) =>
      sameEndpoint(one.endpoint, wanted.endpoint) &&
      one.credential?.fingerprint === wanted.credential?.fingerprint,
  );
  if (twin === undefined) return null;
  return refuse(
    'conflict',
    `provider ${twin.name} has the address ${wanted.endpoint.api_base} with the same auth`,
    { param: 'api_base' },
  );
}

/** Repeated slashes in an address are equivalent to one. */
export const sameEndpoint = (a: Endpoint, b: Endpoint): boolean =>
  withSingleSlashes(a.api_base) === withSingleSlashes(b.api_base) &&
  a.protocol === b.protocol &&
  a.auth_header === b.auth_header &&
  a.auth_scheme === b.auth_scheme;

const withSingleSlashes = (address: string): string => address.replaceAll(/(?<!:)\/{2,}/g, '/');

export function freeName(state: ConfigState, wanted: string): string {
  const held = new Set([...state.provider.byId.values()].map((provider) => provider.name));
  if (!held.has(wanted)) return wanted;
  let suffix = 2;
  while (held.has(`${wanted}#${suffix}`)) suffix += 1;
  return `${wanted}#${suffix}`;
}

export const noProvider = (id: number): Refusal =>
  refuse('absent', `provider ${id} does not exist`);
