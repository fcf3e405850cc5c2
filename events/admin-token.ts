// Defines the events of tokens for the admin API. The SHA-256 verifier is in the vault; events
// carry its ref. Proxies do not need tokens, so these events make no snapshot version.

import { z } from 'zod';

import { adminTokenId, principalId } from '../src/lib/ids.ts';
import { adminVerb } from '../src/lib/vocabulary.ts';
import { restoredAt } from './event.ts';
import type { EventDefinition, EventOf } from './event.ts';

export const adminTokenEvents = {
  AdminTokenCreated: {
    touchesSnapshot: false,
    data: z.object({
      id: adminTokenId,
      principal_id: principalId,
      name: z.string(),
      prefix: z.string(),
      verifier_ref: z.uuid(),
      /** The principal's permissions limit these further. */
      permissions: z.array(adminVerb),
      expires_at: z.iso.datetime({ offset: true }),
      created_at: restoredAt,
    }),
  },
  /** The row is kept for audit. A revoked token cannot be enabled again. */
  AdminTokenRevoked: { change: null, touchesSnapshot: false, data: z.object({ id: adminTokenId }) },
  /** The token is deleted with its principal, or by a restore of a state that did not have it. */
  AdminTokenDeleted: { change: null, touchesSnapshot: false, data: z.object({ id: adminTokenId }) },
} as const satisfies Record<string, EventDefinition>;

export type AdminTokenEvent = EventOf<typeof adminTokenEvents>;
