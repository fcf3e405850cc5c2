// Folds the events of an admin API token. Its verifier is in the vault.

import type { AdminTokenEvent } from '../../events/admin-token.ts';
import type { AdminTokenId, PrincipalId } from '../../src/lib/ids.ts';
import type { AdminVerb } from '../../src/lib/vocabulary.ts';
import { camelKeys } from '../../src/lib/case.ts';
import { checkAbsent, existing, madeAt } from './entity.ts';

export type AdminToken = Readonly<{
  id: AdminTokenId;
  principalId: PrincipalId;
  name: string;
  prefix: string;
  verifierRef: string;
  permissions: readonly AdminVerb[];
  /** RFC 3339. */
  expiresAt: string;
  revoked: boolean;
  createdAt: number;
}>;

export function evolveAdminToken(
  token: AdminToken | undefined,
  event: AdminTokenEvent,
  recordedAt: number,
): AdminToken | undefined {
  switch (event.type) {
    case 'AdminTokenCreated':
      checkAbsent(token, event);
      return {
        ...camelKeys(event.data),
        revoked: false,
        createdAt: madeAt(event.data.created_at, recordedAt),
      };
    case 'AdminTokenRevoked':
      return { ...existing(token, event), revoked: true };
    case 'AdminTokenDeleted':
      existing(token, event);
      return undefined;
  }
}
