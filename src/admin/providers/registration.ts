// Registration of hosts (specification, "POST /admin/providers/register"): an agent vouches for a provider at an address, on a lease that
// it refreshes. What such a beat says that is new becomes events; one that says nothing new writes one row and nothing else.

import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { completeEndpoint } from '../../control/providers/endpoint.ts';
import { dialTarget } from '../../control/providers/dial-target.ts';
import { writeLease } from '../../db/leases.ts';
import type { Lease } from '../../db/leases.ts';
import { writeProbes } from '../../db/provider-probes.ts';
import { decide } from '../../deciders/decide.ts';
import { isNameHeld, isSaid, placeAmong, placeOf } from '../../deciders/registration.ts';
import type { Place, RegisterProvider } from '../../deciders/registration.ts';
import { verbsOf } from '../../deciders/callers/grants.ts';
import { apiBaseField, nameField, shownText, timestamp } from '../../lib/fields.ts';
import type { PrincipalId } from '../../lib/ids.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { providerKind } from '../../lib/vocabulary.ts';
import type { Control } from '../control.ts';
import { mutate, versionHeader } from '../http/mutation.ts';
import { asInput, storedTarget } from './provider-dial.ts';
import { none, route } from '../http/route.ts';
import type { Call, Handled } from '../http/route.ts';

const ttlSecondsMax = 86_400;
const ttlSecondsDefault = 90;

const registration = z.strictObject({
  api_base: apiBaseField,
  /** Of the provider; sent with every beat. One that another provider has is declined. */
  name: nameField.nullable().default(null),
  /** Where the agent runs. */
  node: nameField.nullable().default(null),
  /** A hint only. */
  engine: shownText(100).nullable().default(null),
  ttl_seconds: z.int().min(1).max(ttlSecondsMax).default(ttlSecondsDefault),
});
type Registration = z.output<typeof registration>;

const registeredRecord = z.object({
  /** 0 when not leased. */
  id: z.int(),
  api_base: z.string(),
  /** The name that was asked for when not leased. */
  name: z.string(),
  /** Null when not leased. */
  kind: providerKind.nullable(),
  /** False: the address belongs to another provider, which stays as it is and of which nothing is told. */
  leased: z.boolean(),
  lease_expires_at: timestamp.nullable(),
});
type RegisteredRecord = z.input<typeof registeredRecord>;

export const registrationRoutes = [
  route({
    method: 'POST',
    path: '/admin/providers/register',
    operation: 'registerProvider',
    permission: 'api_key',
    summary: 'Register a provider at an address, or refresh its lease',
    refusals: ['conflict', 'forbidden'],
    params: none,
    query: none,
    body: registration,
    response: registeredRecord,
    handle: ({ body }, call) => register(body, call),
  }),
] as const;

async function register(body: Registration, call: Call): Promise<Handled<RegisteredRecord>> {
  const { control, caller } = call;
  if (!('principalId' in caller)) throw new Error('a route for API keys was called without one');
  if (!mayRegister(control, caller.principalId)) {
    return refuse('forbidden', 'this needs the permission provider:register');
  }
  const endpoint = completeEndpoint({ api_base: body.api_base }, null);
  if (isRefusal(endpoint)) return endpoint;
  const asked: Asked = {
    type: 'RegisterProvider',
    principalId: caller.principalId,
    endpoint,
    name: body.name,
    defaultName: new URL(endpoint.api_base).host,
    node: body.node,
    engine: body.engine,
    providersMax: control.dynamicProvidersMax,
  };
  const place = placeAmong(control.providersAt(endpoint.api_base), asked.principalId);
  const refused = place.is === 'own' ? await control.checkHeldAddress(endpoint.api_base) : null;
  // When too many names are being resolved, connections to the address are judged all the same.
  if (refused !== null && refused.refused === 'invalid') return { ...refused, param: 'api_base' };
  const served = await servedAt(place, asked, control);
  if (isRefusal(served)) return served;
  const isBeat = call.once === null && served === null;
  const beaten = isBeat ? await beat(place, { body, asked }, control) : null;
  if (beaten !== null) return beaten;
  const command = { ...asked, served };
  return mutate(call, { command }, async ({ state }, tx) => {
    const behind = placeOf(state, command);
    const lease = leaseOf(behind, body, control);
    if (lease !== null) await keepLease(tx, lease, { command, now: control.clock() });
    return recorded(control, behind, { asked, lease });
  });
}

const mayRegister = (
  { needsPermissionToRegister, state }: Control,
  principalId: PrincipalId,
): boolean =>
  !needsPermissionToRegister || verbsOf(state(), principalId)?.has('provider:register') === true;

type Asked = Omit<RegisterProvider, 'served'>;

/**
 * The model list, where it matters now: of an address that is new, which must answer, and of a provider that is out of rotation or was
 * held by no agent, which comes back if it answers and is left to the next beat if not. Null where nothing was learned.
 */
async function servedAt(
  place: Place,
  asked: Asked,
  control: Control,
): Promise<RegisterProvider['served'] | Refusal> {
  if (place.is === 'free') {
    // What the rules refuse anyway need not be dialled.
    const decision = decide(control.state(), { ...asked, served: [] });
    if (isRefusal(decision)) return decision;
    const { endpoint } = asked;
    const target = dialTarget({ endpoint, credential: null, catalogueKey: null });
    const answer = await control.dialRegistered(asked.principalId, target);
    return isRefusal(answer) ? asInput(answer) : answer;
  }
  if (place.is !== 'own') return null;
  const { provider } = place;
  if (provider.degraded === null && provider.registration !== null) return null;
  const target = await storedTarget(control, provider);
  const answer = await control.dialRegistered(asked.principalId, target);
  return isRefusal(answer) ? null : answer;
}

/** What needs no event: the lease of a provider that stands as it is said to be is refreshed. Null when there is more to do. */
async function beat(
  place: Place,
  { body, asked }: Readonly<{ body: Registration; asked: Asked }>,
  control: Control,
): Promise<Handled<RegisteredRecord> | null> {
  if (place.is === 'free') return null;
  const { provider } = place;
  const state = control.state();
  const lease = leaseOf(place, body, control);
  if (lease !== null) {
    const { name } = asked;
    const isNamed = name === null || name === provider.name || isNameHeld(state, name, provider);
    if (!isNamed || !isSaid(provider, asked)) return null;
    // Without a row there is none to refresh, or the provider is gone and this process has not read of it yet.
    if (!(await control.beat(lease))) return null;
  }
  return {
    headers: versionHeader(state.version),
    body: recorded(control, place, { asked, lease }),
  };
}

/** Null where the place is not the caller's. */
const leaseOf = (
  place: Place,
  { ttl_seconds: ttlSeconds }: Registration,
  { clock }: Control,
): Lease | null =>
  place.is === 'own'
    ? {
        providerId: place.provider.id,
        ttlSeconds,
        expiresAt: new Date(clock() + ttlSeconds * 1000),
      }
    : null;

async function keepLease(
  tx: Queryable,
  lease: Lease,
  { command: { served }, now }: Readonly<{ command: RegisterProvider; now: number }>,
): Promise<void> {
  await writeLease(tx, lease);
  if (served === null) return;
  const { providerId } = lease;
  const seen = { providerId, lastSeenAt: new Date(now), failingSince: null, reason: null };
  await writeProbes(tx, [seen]);
}

type Made = Readonly<{ asked: Asked; lease: Lease | null }>;

/** The record, and a word in the log where the registration was declined in part. */
function recorded({ log }: Control, place: Place, { asked, lease }: Made): RegisteredRecord {
  if (place.is === 'free') throw new Error('a provider is not there right after it was registered');
  const { id, name, kind, endpoint } = place.provider;
  const fields = { provider_id: id, provider: name, principal_id: asked.principalId };
  if (place.is === 'foreign') {
    log.warn(fields, 'a registration was declined: the provider is held by another principal');
  }
  if (place.is !== 'own') {
    const notTold = { id: 0, kind: null, leased: false, lease_expires_at: null } as const;
    return { ...notTold, api_base: asked.endpoint.api_base, name: asked.name ?? asked.defaultName };
  }
  if (asked.name !== null && asked.name !== name) {
    log.warn({ ...fields, name: asked.name }, 'a name was declined: another provider has it');
  }
  const leaseExpiresAt = lease?.expiresAt.toISOString() ?? null;
  return {
    id,
    api_base: endpoint.api_base,
    name,
    kind,
    leased: lease !== null,
    lease_expires_at: leaseExpiresAt,
  };
}
