// Events of a token for the admin API. The SHA-256 verifier is in the vault; the event carries its ref. Proxies never need a token, so
// none of these events makes a new snapshot version.

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
      /** The most that the token may do; what its principal holds limits it further. */
      permissions: z.array(adminVerb),
      expires_at: z.iso.datetime({ offset: true }),
      created_at: restoredAt,
    }),
  },
  /** The row stays for audit. A revoked token cannot be enabled again. */
  AdminTokenRevoked: { change: null, touchesSnapshot: false, data: z.object({ id: adminTokenId }) },
  /** Deleted with its principal, or by the restore of a state that did not have it. */
  AdminTokenDeleted: { change: null, touchesSnapshot: false, data: z.object({ id: adminTokenId }) },
} as const satisfies Record<string, EventDefinition>;

export type AdminTokenEvent = EventOf<typeof adminTokenEvents>;
