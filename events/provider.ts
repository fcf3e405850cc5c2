// Events of a provider: an endpoint and its credential. The credential lies in the vault; the event carries its ref and a
// keyed fingerprint, so that a comparison can say "changed" without it.

import { z } from 'zod';

import { principalId, providerId } from '../src/lib/ids.ts';
import { credentialKind, protocol, providerKind } from '../src/lib/vocabulary.ts';
import { setter } from './event.ts';
import type { EventDefinition, EventOf } from './event.ts';

/** Where a provider is and how it is spoken to. `auth_scheme` null sends the credential raw. */
export const endpoint = z.object({
  api_base: z.string(),
  protocol,
  auth_header: z.string(),
  auth_scheme: z.string().nullable(),
});
export type Endpoint = z.output<typeof endpoint>;

export const storedCredential = z.object({
  kind: credentialKind,
  ref: z.uuid(),
  fingerprint: z.string(),
});
export type StoredCredential = z.output<typeof storedCredential>;

export const providerEvents = {
  ProviderCreated: {
    touchesSnapshot: true,
    data: z.object({
      id: providerId,
      name: z.string(),
      kind: providerKind,
      catalogue_key: z.string().nullable(),
      endpoint,
      credential: storedCredential.nullable(),
    }),
  },
  ProviderRenamed: setter({ id: providerId, name: z.string() }),
  ProviderKindChanged: {
    touchesSnapshot: false,
    data: z.object({ id: providerId, kind: providerKind }),
  },
  ProviderEndpointChanged: {
    touchesSnapshot: true,
    data: z.object({ id: providerId, endpoint, from_api_base: z.string() }),
  },
  ProviderCredentialSet: {
    touchesSnapshot: true,
    data: z.object({ id: providerId, credential: storedCredential }),
  },
  ProviderCredentialCleared: { touchesSnapshot: true, data: z.object({ id: providerId }) },
  /** The agent of a principal holds the provider from now on, or says something new of it: where it runs, and a hint of the engine. */
  ProviderRegistered: {
    change: null,
    touchesSnapshot: false,
    data: z.object({
      id: providerId,
      principal_id: principalId,
      node: z.string().nullable(),
      engine: z.string().nullable(),
    }),
  },
  /**
   * A dynamic provider leaves rotation, and comes back to it. Proxies are told by the overlay: a response cache need not be dropped
   * for it.
   */
  ProviderDegraded: {
    change: null,
    touchesSnapshot: false,
    data: z.object({ id: providerId, reason: z.string() }),
  },
  ProviderRecovered: { change: null, touchesSnapshot: false, data: z.object({ id: providerId }) },
  ProviderDeleted: { touchesSnapshot: true, data: z.object({ id: providerId }) },
} as const satisfies Record<string, EventDefinition>;

export type ProviderEvent = EventOf<typeof providerEvents>;
