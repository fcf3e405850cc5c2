// The rules of registration (specification, "POST /admin/providers/register"): an agent holds a lease on a provider at an address.
// The lease is of the principal that made it; no registration changes an address, a credential or a static provider, and none takes
// a name.

import { streamOf } from '../../events/catalogue.ts';
import type { GwEvent } from '../../events/catalogue.ts';
import type { Endpoint } from '../../events/provider.ts';
import type { Provider } from '../../projections/config/provider.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import { providerId } from '../lib/ids.ts';
import type { PrincipalId } from '../lib/ids.ts';
import { refuse } from '../lib/refusal.ts';
import type { Decision } from './decision.ts';
import { learn } from './learning.ts';
import type { FoundModel } from './learning.ts';
import { freeName, providerCreated } from './provider.ts';

export type RegisterProvider = Readonly<{
  type: 'RegisterProvider';
  principalId: PrincipalId;
  endpoint: Endpoint;
  /** Null, or held by another provider: a provider that stands keeps its name, a new one gets `defaultName`. */
  name: string | null;
  defaultName: string;
  /** Null leaves what is held, of the hint of the engine too. */
  node: string | null;
  engine: string | null;
  /** The model list that the address answered with; null when it was not asked, or did not answer. */
  served: readonly FoundModel[] | null;
  /** How many providers a principal may hold. */
  providersMax: number;
}>;

/** What a registration meets at its address. */
export type Place =
  | Readonly<{ is: 'free' }>
  /** Dynamic, and this principal's or nobody's yet. */
  | Readonly<{ is: 'own'; provider: Provider }>
  /** Dynamic and another principal's, or not dynamic: left as it is. */
  | Readonly<{ is: 'foreign' | 'fixed'; provider: Provider }>;

type Claim = Pick<RegisterProvider, 'principalId' | 'endpoint'>;

export const placeOf = (state: ConfigState, { principalId, endpoint }: Claim): Place =>
  placeAmong(
    [...state.provider.byId.values()].filter((one) => one.endpoint.api_base === endpoint.api_base),
    principalId,
  );

/**
 * `there` are the providers at the address. It may have several, with different auth: the nearest to one that the principal may hold is
 * meant.
 */
export function placeAmong(there: readonly Provider[], principalId: PrincipalId): Place {
  const dynamic = there.filter(({ kind }) => kind === 'dynamic');
  const own =
    dynamic.find(({ registration }) => registration?.principalId === principalId) ??
    dynamic.find(({ registration }) => registration === null);
  if (own !== undefined) return { is: 'own', provider: own };
  const [foreign] = dynamic;
  if (foreign !== undefined) return { is: 'foreign', provider: foreign };
  const [fixed] = there;
  return fixed === undefined ? { is: 'free' } : { is: 'fixed', provider: fixed };
}

/** What an agent says of a provider that it holds. */
type Said = Pick<RegisterProvider, 'node' | 'engine'>;

/** Whether the log holds all that is said. */
export const isSaid = ({ registration }: Provider, { node, engine }: Said): boolean =>
  registration !== null &&
  registration.node === (node ?? registration.node) &&
  registration.engine === (engine ?? registration.engine);

/** Whether another provider than `own` has the name. */
export const isNameHeld = (state: ConfigState, name: string, own: Provider | null): boolean =>
  [...state.provider.byId.values()].some((one) => one.name === name && one.id !== own?.id);

/** Nothing when the registration says nothing new: then only the lease is refreshed. */
export function decideRegistration(state: ConfigState, command: RegisterProvider): Decision {
  const place = placeOf(state, command);
  switch (place.is) {
    case 'free':
      return registerNew(state, command);
    case 'own':
      return refresh(state, place.provider, command);
    case 'foreign':
    case 'fixed':
      return [];
  }
}

function registerNew(state: ConfigState, command: RegisterProvider): Decision {
  const { principalId, endpoint, name, defaultName, served, providersMax } = command;
  if (served === null) {
    return refuse('conflict', `the provider at ${endpoint.api_base} is gone; register it again`);
  }
  const held = [...state.provider.byId.values()].filter(
    ({ registration }) => registration?.principalId === principalId,
  );
  if (held.length >= providersMax) {
    return refuse(
      'conflict',
      `api_base ${endpoint.api_base}: this principal holds ${held.length} providers, at most ${providersMax} may be`,
      { param: 'api_base' },
    );
  }
  const id = providerId.parse(state.provider.lastId + 1);
  const isDeclined = name === null || isNameHeld(state, name, null);
  const provider: Provider = {
    id,
    name: isDeclined ? freeName(state, defaultName) : name,
    kind: 'dynamic',
    catalogueKey: null,
    endpoint,
    credential: null,
    registration: { principalId, node: command.node, engine: command.engine },
    degraded: null,
  };
  return [
    providerCreated(id, provider.name, provider),
    registered(provider, command),
    ...learn(state, provider, served),
  ];
}

function refresh(state: ConfigState, provider: Provider, command: RegisterProvider): GwEvent[] {
  const { id, degraded } = provider;
  const { name, served } = command;
  const events: GwEvent[] = [];
  const isRenamed = name !== null && name !== provider.name && !isNameHeld(state, name, provider);
  if (isRenamed) {
    events.push({ stream: streamOf('provider', id), type: 'ProviderRenamed', data: { id, name } });
  }
  if (!isSaid(provider, command)) events.push(registered(provider, command));
  if (served === null) return events;
  if (degraded !== null) events.push(recovered(id));
  const held = { principalId: command.principalId, node: command.node, engine: command.engine };
  const after = { id, name: isRenamed ? name : provider.name, registration: held };
  return [...events, ...learn(state, after, served)];
}

const registered = (
  { id, registration }: Provider,
  { principalId, node, engine }: RegisterProvider,
): GwEvent => ({
  stream: streamOf('provider', id),
  type: 'ProviderRegistered',
  data: {
    id,
    principal_id: principalId,
    node: node ?? registration?.node ?? null,
    engine: engine ?? registration?.engine ?? null,
  },
});

export const recovered = (id: Provider['id']): GwEvent => ({
  stream: streamOf('provider', id),
  type: 'ProviderRecovered',
  data: { id },
});
