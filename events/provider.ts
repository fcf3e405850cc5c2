// Defines the events of providers: an endpoint and its credential. The credential is in the vault;
// events carry its ref and a keyed fingerprint, which shows that it changed.

import { z } from 'zod';

import { principalId, providerId } from '../src/lib/ids.ts';
import { credentialKind, protocol, providerKind } from '../src/lib/vocabulary.ts';
import { setter } from './event.ts';
import type { EventDefinition, EventOf } from './event.ts';

/** `auth_scheme` null sends the credential as it is. */
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
  /** A principal's agent registered the provider, or reported a new location or engine for it. */
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
   * A dynamic provider leaves rotation, or returns to it. The overlay informs proxies, so response
   * caches are kept.
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
