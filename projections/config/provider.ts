// A provider as the fold knows it. Its credential lies in the vault.

import type { Endpoint, ProviderEvent, StoredCredential } from '../../events/provider.ts';
import type { ProviderId } from '../../src/lib/ids.ts';
import type { ProviderKind } from '../../src/lib/vocabulary.ts';
import { checkAbsent, existing } from './entity.ts';

export type Provider = Readonly<{
  id: ProviderId;
  name: string;
  kind: ProviderKind;
  catalogueKey: string | null;
  endpoint: Endpoint;
  credential: StoredCredential | null;
}>;

export function evolveProvider(
  provider: Provider | undefined,
  event: ProviderEvent,
): Provider | undefined {
  switch (event.type) {
    case 'ProviderCreated':
      checkAbsent(provider, event);
      return {
        id: event.data.id,
        name: event.data.name,
        kind: event.data.kind,
        catalogueKey: event.data.catalogue_key,
        endpoint: event.data.endpoint,
        credential: event.data.credential,
      };
    case 'ProviderRenamed':
      return { ...existing(provider, event), name: event.data.name };
    case 'ProviderKindChanged':
      return { ...existing(provider, event), kind: event.data.kind };
    case 'ProviderEndpointChanged':
      return { ...existing(provider, event), endpoint: event.data.endpoint };
    case 'ProviderCredentialSet':
      return { ...existing(provider, event), credential: event.data.credential };
    case 'ProviderCredentialCleared':
      return { ...existing(provider, event), credential: null };
    case 'ProviderDeleted':
      existing(provider, event);
      return undefined;
  }
}
