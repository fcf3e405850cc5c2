// Folds the events of a provider. Its credential is in the vault.

import { isSetter } from '../../events/catalogue.ts';
import type { Endpoint, ProviderEvent, StoredCredential } from '../../events/provider.ts';
import type { PrincipalId, ProviderId } from '../../src/lib/ids.ts';
import type { ProviderKind } from '../../src/lib/vocabulary.ts';
import { camelKeys } from '../../src/lib/case.ts';
import { checkAbsent, existing, withSet } from './entity.ts';

/** Facts that the principal's agent reported about a dynamic provider. */
export type Registration = Readonly<{
  principalId: PrincipalId;
  node: string | null;
  engine: string | null;
}>;

/** `since` is epoch milliseconds. */
export type Degradation = Readonly<{ since: number; reason: string }>;

export type Provider = Readonly<{
  id: ProviderId;
  name: string;
  kind: ProviderKind;
  catalogueKey: string | null;
  endpoint: Endpoint;
  credential: StoredCredential | null;
  /**
   * Both are set only for dynamic providers; `registration` is null while no agent holds the
   * provider.
   */
  registration: Registration | null;
  degraded: Degradation | null;
}>;

export function evolveProvider(
  provider: Provider | undefined,
  event: ProviderEvent,
  recordedAt: number,
): Provider | undefined {
  if (isSetter(event)) return withSet(existing(provider, event), event.data);
  switch (event.type) {
    case 'ProviderCreated':
      checkAbsent(provider, event);
      return { ...camelKeys(event.data), registration: null, degraded: null };
    case 'ProviderKindChanged':
      return {
        ...existing(provider, event),
        kind: event.data.kind,
        registration: null,
        degraded: null,
      };
    case 'ProviderEndpointChanged':
      return { ...existing(provider, event), endpoint: event.data.endpoint };
    case 'ProviderCredentialSet':
      return { ...existing(provider, event), credential: event.data.credential };
    case 'ProviderCredentialCleared':
      return { ...existing(provider, event), credential: null };
    case 'ProviderRegistered':
      return {
        ...existing(provider, event),
        registration: {
          principalId: event.data.principal_id,
          node: event.data.node,
          engine: event.data.engine,
        },
      };
    case 'ProviderDegraded':
      return {
        ...existing(provider, event),
        degraded: { since: recordedAt, reason: event.data.reason },
      };
    case 'ProviderRecovered':
      return { ...existing(provider, event), degraded: null };
    case 'ProviderDeleted':
      existing(provider, event);
      return undefined;
  }
}
