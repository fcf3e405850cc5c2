// Decides registrations (specification, "POST /admin/providers/register"): an agent holds a lease
// on a provider at an address. The lease belongs to the principal that registered it. A
// registration never changes an address, a credential or a static provider, and never takes a used
// name.

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
  /** If null or taken, an existing provider keeps its name and a new one gets `defaultName`. */
  name: string | null;
  defaultName: string;
  /** Null keeps the current value, also for `engine`. */
  node: string | null;
  engine: string | null;
  /** Null if the model list was not requested or there was no answer. */
  served: readonly FoundModel[] | null;
  /** Per principal. */
  providersMax: number;
}>;

/** The provider at the address of a registration. */
export type Place =
  | Readonly<{ is: 'free' }>
  /** Dynamic, and held by this principal or by no one. */
  | Readonly<{ is: 'own'; provider: Provider }>
  /** Dynamic and held by another principal, or not dynamic. It is not changed. */
  | Readonly<{ is: 'foreign' | 'fixed'; provider: Provider }>;

type Claim = Pick<RegisterProvider, 'principalId' | 'endpoint'>;

export const placeOf = (state: ConfigState, { principalId, endpoint }: Claim): Place =>
  placeAmong(
    [...state.provider.byId.values()].filter((one) => one.endpoint.api_base === endpoint.api_base),
    principalId,
  );

/**
 * `there` are the providers at the address. Several with different auth are possible; the one that
 * this principal may hold is preferred.
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

/** An agent reports these. */
type Reported = Pick<RegisterProvider, 'node' | 'engine'>;

export const isReported = ({ registration }: Provider, { node, engine }: Reported): boolean =>
  registration !== null &&
  registration.node === (node ?? registration.node) &&
  registration.engine === (engine ?? registration.engine);

export const isNameHeld = (state: ConfigState, name: string, own: Provider | null): boolean =>
  [...state.provider.byId.values()].some((one) => one.name === name && one.id !== own?.id);

/** No events if nothing is new; only the lease is then refreshed. */
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
    return refuse(
      'conflict',
      `the provider at ${endpoint.api_base} was deleted; register it again`,
    );
  }
  const held = [...state.provider.byId.values()].filter(
    ({ registration }) => registration?.principalId === principalId,
  );
  if (held.length >= providersMax) {
    return refuse(
      'conflict',
      `api_base ${endpoint.api_base}: this principal has ${held.length} providers; the maximum is ${providersMax}`,
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
  if (!isReported(provider, command)) events.push(registered(provider, command));
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
