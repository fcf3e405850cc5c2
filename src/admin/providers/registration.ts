// Serves the registration of hosts by agents (specification, "POST /admin/providers/register").

import { z } from 'zod';

import { registerProvider } from '../../control/providers/registration.ts';
import type { Registered } from '../../control/providers/registration.ts';
import { apiBaseField, nameField, shownText, timestamp } from '../../lib/fields.ts';
import { isRefusal } from '../../lib/refusal.ts';
import { providerKind } from '../../lib/vocabulary.ts';
import { mutate, versionHeader } from '../http/mutation.ts';
import type { ProviderNeeds } from './needs.ts';
import { none, route } from '../http/route.ts';

const ttlSecondsMax = 86_400;
const ttlSecondsDefault = 90;

const registration = z.strictObject({
  api_base: apiBaseField,
  /** Declined if another provider has this name. */
  name: nameField.nullable().default(null),
  /** The node of the agent. */
  node: nameField.nullable().default(null),
  /** Informational. */
  engine: shownText(100).nullable().default(null),
  ttl_seconds: z.int().min(1).max(ttlSecondsMax).default(ttlSecondsDefault),
});

const registeredRecord = z.object({
  /** 0 without a lease. */
  id: z.int(),
  api_base: z.string(),
  /** Without a lease, the requested name. */
  name: z.string(),
  /** Null without a lease. */
  kind: providerKind.nullable(),
  /**
   * False if the address belongs to another provider, which is left unchanged and not disclosed.
   */
  leased: z.boolean(),
  lease_expires_at: timestamp.nullable(),
});

export const registrationRoutes = [
  route({
    method: 'POST',
    path: '/admin/providers/register',
    operation: 'registerProvider',
    permission: 'api_key',
    summary: 'Register a provider at an address, or renew its lease',
    refusals: ['conflict', 'forbidden'],
    params: none,
    query: none,
    body: registration,
    response: registeredRecord,
    handle: async ({ body: given }, call, needs: ProviderNeeds) => {
      const { caller, config, once } = call;
      if (!('principalId' in caller))
        throw new Error('a route for API keys was called without one');
      const request = { principalId: caller.principalId, given, mayRefreshOnly: once === null };
      const prepared = await registerProvider(needs, config, request);
      if (isRefusal(prepared)) return prepared;
      if ('done' in prepared) {
        const headers = versionHeader(config.state().version);
        return { headers, body: toRecord(prepared.done) };
      }
      const { command, conclude } = prepared;
      return mutate(call, { command }, async (outcome, tx) =>
        toRecord(await conclude(outcome, tx)),
      );
    },
  }),
] as const;

const toRecord = ({ apiBase, name, held }: Registered): z.input<typeof registeredRecord> => ({
  id: held?.provider.id ?? 0,
  api_base: apiBase,
  name,
  kind: held?.provider.kind ?? null,
  leased: held !== null && held.lease !== null,
  lease_expires_at: held?.lease?.expiresAt.toISOString() ?? null,
});
