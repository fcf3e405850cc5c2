// Folds the events of an API key. Its verifier is in the vault.

import { isSetter } from '../../events/catalogue.ts';
import type { ApiKeyEvent } from '../../events/api-key.ts';
import type { ApiKeyId, PrincipalId } from '../../src/lib/ids.ts';
import { camelKeys } from '../../src/lib/case.ts';
import { checkAbsent, existing, madeAt, withSet } from './entity.ts';

export type ApiKey = Readonly<{
  id: ApiKeyId;
  principalId: PrincipalId;
  name: string;
  prefix: string;
  verifierRef: string;
  expiresAt: string | null;
  disabled: boolean;
  createdAt: number;
}>;

export function evolveApiKey(
  key: ApiKey | undefined,
  event: ApiKeyEvent,
  recordedAt: number,
): ApiKey | undefined {
  if (isSetter(event)) return withSet(existing(key, event), event.data);
  switch (event.type) {
    case 'ApiKeyCreated':
      checkAbsent(key, event);
      return {
        ...camelKeys(event.data),
        disabled: false,
        createdAt: madeAt(event.data.created_at, recordedAt),
      };
    case 'ApiKeyRevoked':
      return { ...existing(key, event), disabled: true };
    case 'ApiKeyEnabled':
      return { ...existing(key, event), disabled: false };
    case 'ApiKeyDeleted':
      existing(key, event);
      return undefined;
  }
}
