// Registers hosts (specification, "POST /admin/providers/register"): an agent vouches for a
// provider at an address with a lease that it refreshes. Only changes become events. A heartbeat
// without changes writes one row.

import type { Queryable } from '@databases/pg';

import { verbsOf } from '../../../projections/config/grants.ts';
import type { Provider } from '../../../projections/config/provider.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { writeLease } from '../../db/leases.ts';
import type { Lease } from '../../db/leases.ts';
import { writeProbes } from '../../db/provider-probes.ts';
import type { Vault } from '../../db/vault.ts';
import { decide } from '../../deciders/decide.ts';
import { isNameHeld, isReported, placeAmong, placeOf } from '../../deciders/registration.ts';
import type { Place, RegisterProvider } from '../../deciders/registration.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { PrincipalId } from '../../lib/ids.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { Configuration } from '../commands/configuration.ts';
import type { Outcome } from '../commands/execute.ts';
import type { CheckAddress } from './address-check.ts';
import { asInput, dialTarget, storedTarget } from './dial-target.ts';
import { completeEndpoint } from './endpoint.ts';
import type { Heartbeat, createProvidersAt } from './lease-heartbeats.ts';
import type { RegistrationDial } from './registration-dial.ts';

export type RegistrationTools = Readonly<{
  db: Queryable;
  vault: Pick<Vault, 'reveal'>;
  clock: Clock;
  /** Refreshes an existing lease. */
  heartbeat: Heartbeat;
  providersAt: ReturnType<typeof createProvidersAt>;
  dialRegistered: RegistrationDial;
  /** Uses its own slots, so that names that do not resolve cannot delay leases. */
  checkHeldAddress: CheckAddress;
  dynamicProvidersMax: number;
  /** In addition to an API key. */
  needsPermissionToRegister: boolean;
  log: Pick<Log, 'warn'>;
}>;

type Given = Readonly<{
  api_base: string;
  /** Declined if another provider has it. */
  name: string | null;
  node: string | null;
  engine: string | null;
  ttl_seconds: number;
}>;

type RegistrationRequest = Readonly<{
  principalId: PrincipalId;
  given: Given;
  mayRefreshOnly: boolean;
}>;

/**
 * `held` is null if the address belongs to another principal's provider, which is not disclosed.
 */
export type Registered = Readonly<{
  apiBase: string;
  name: string;
  held: Readonly<{ provider: Provider; lease: Lease | null }> | null;
}>;

/** Either a mutation with the work for its transaction, or the result if no mutation is needed. */
type Prepared =
  | Readonly<{
      command: RegisterProvider;
      conclude: (outcome: Outcome, tx: Queryable) => Promise<Registered>;
    }>
  | Readonly<{ done: Registered }>;

export async function registerProvider(
  tools: RegistrationTools,
  { state }: Pick<Configuration, 'state'>,
  { principalId, given, mayRefreshOnly }: RegistrationRequest,
): Promise<Prepared | Refusal> {
  if (!mayRegister(tools, state(), principalId)) {
    return refuse('forbidden', 'permission provider:register is required');
  }
  const endpoint = completeEndpoint({ api_base: given.api_base }, null);
  if (isRefusal(endpoint)) return endpoint;
  const asked: Asked = {
    type: 'RegisterProvider',
    principalId,
    endpoint,
    name: given.name,
    defaultName: new URL(endpoint.api_base).host,
    node: given.node,
    engine: given.engine,
    providersMax: tools.dynamicProvidersMax,
  };
  const place = placeAmong(tools.providersAt(endpoint.api_base), principalId);
  const refused = place.is === 'own' ? await tools.checkHeldAddress(endpoint.api_base) : null;
  // Skipped if too many names are being resolved: connections check the address again.
  if (refused !== null && refused.refused === 'invalid') return { ...refused, param: 'api_base' };
  const served = await servedAt(tools, state(), { place, asked });
  if (isRefusal(served)) return served;
  const leaseAt = (at: Place): Lease | null => leaseOf(at, given.ttl_seconds, tools.clock());
  const present = { place, asked, lease: leaseAt(place) };
  if (mayRefreshOnly && served === null && (await isRefreshed(tools, state(), present))) {
    return { done: registered(tools, present) };
  }
  const command = { ...asked, served };
  const conclude = async ({ state: after }: Outcome, tx: Queryable): Promise<Registered> => {
    const behind = placeOf(after, command);
    const lease = leaseAt(behind);
    if (lease !== null) await keepLease(tx, lease, { served, now: tools.clock() });
    return registered(tools, { place: behind, asked, lease });
  };
  return { command, conclude };
}

const mayRegister = (
  { needsPermissionToRegister }: RegistrationTools,
  state: ConfigState,
  principalId: PrincipalId,
): boolean =>
  !needsPermissionToRegister || verbsOf(state, principalId)?.has('provider:register') === true;

type Asked = Omit<RegisterProvider, 'served'>;
/** `lease` is null if the address is not the caller's. */
type Meeting = Readonly<{ place: Place; asked: Asked; lease: Lease | null }>;

/**
 * Dials if the model list matters now. A new address must answer. A provider that is out of
 * rotation or without an agent returns if it answers, and otherwise waits for the next heartbeat.
 * Null if nothing was learned.
 */
async function servedAt(
  tools: RegistrationTools,
  state: ConfigState,
  { place, asked }: Pick<Meeting, 'place' | 'asked'>,
): Promise<RegisterProvider['served'] | Refusal> {
  if (place.is === 'free') {
    // The rules come first, so that a refused registration is not dialled.
    const decision = decide(state, { ...asked, served: [] });
    if (isRefusal(decision)) return decision;
    const { endpoint } = asked;
    const target = dialTarget({ endpoint, credential: null, catalogueKey: null });
    const answer = await tools.dialRegistered(asked.principalId, target);
    return isRefusal(answer) ? asInput(answer) : answer;
  }
  if (place.is !== 'own') return null;
  const { provider } = place;
  if (provider.degraded === null && provider.registration !== null) return null;
  const target = await storedTarget(tools, provider);
  const answer = await tools.dialRegistered(asked.principalId, target);
  return isRefusal(answer) ? null : answer;
}

/**
 * True if no event is needed: the provider matches the request, and its lease, if any, was
 * refreshed.
 */
async function isRefreshed(
  tools: RegistrationTools,
  state: ConfigState,
  { place, asked, lease }: Meeting,
): Promise<boolean> {
  if (place.is === 'free') return false;
  if (lease === null) return true;
  const { provider } = place;
  const { name } = asked;
  const isNamed = name === null || name === provider.name || isNameHeld(state, name, provider);
  if (!isNamed || !isReported(provider, asked)) return false;
  // Without a row there is no lease to refresh, or the provider was deleted and this process has
  // not read the event yet.
  return tools.heartbeat(lease);
}

const leaseOf = (place: Place, ttlSeconds: number, now: number): Lease | null =>
  place.is === 'own'
    ? { providerId: place.provider.id, ttlSeconds, expiresAt: new Date(now + ttlSeconds * 1000) }
    : null;

async function keepLease(
  tx: Queryable,
  lease: Lease,
  { served, now }: Readonly<{ served: RegisterProvider['served']; now: number }>,
): Promise<void> {
  await writeLease(tx, lease);
  if (served === null) return;
  const { providerId } = lease;
  const seen = { providerId, lastSeenAt: new Date(now), failingSince: null, reason: null };
  await writeProbes(tx, [seen]);
}

/** Also logs what was declined. */
function registered(tools: RegistrationTools, { place, asked, lease }: Meeting): Registered {
  if (place.is === 'free') throw new Error('a registered provider is missing from the state');
  const { provider } = place;
  const { id, name, endpoint } = provider;
  const fields = { provider_id: id, provider: name, principal_id: asked.principalId };
  if (place.is === 'foreign') {
    const message = 'a registration was declined: another principal registered this provider';
    tools.log.warn(fields, message);
  }
  if (place.is !== 'own') {
    return { apiBase: asked.endpoint.api_base, name: asked.name ?? asked.defaultName, held: null };
  }
  if (asked.name !== null && asked.name !== name) {
    const message = 'a name was declined: another provider has it';
    tools.log.warn({ ...fields, name: asked.name }, message);
  }
  return { apiBase: endpoint.api_base, name, held: { provider, lease } };
}
