// Defines the events of API keys. The SHA-256 verifier is in the vault; events carry its ref.

import { z } from 'zod';

import { apiKeyId, principalId } from '../src/lib/ids.ts';
import { restoredAt } from './event.ts';
import { setter } from './event.ts';
import type { EventDefinition, EventOf } from './event.ts';

export const apiKeyEvents = {
  ApiKeyCreated: {
    touchesSnapshot: true,
    data: z.object({
      id: apiKeyId,
      principal_id: principalId,
      name: z.string(),
      prefix: z.string(),
      verifier_ref: z.uuid(),
      expires_at: z.iso.datetime({ offset: true }).nullable(),
      created_at: restoredAt,
    }),
  },
  /** The row is kept for audit. */
  ApiKeyRevoked: { change: null, touchesSnapshot: true, data: z.object({ id: apiKeyId }) },
  /** An import enables revoked keys that its file contains. */
  ApiKeyEnabled: { touchesSnapshot: true, data: z.object({ id: apiKeyId }) },
  ApiKeyExpirySet: setter({
    id: apiKeyId,
    expires_at: z.iso.datetime({ offset: true }).nullable(),
  }),
  /** The key is deleted with its principal, or by a restore of a state that did not have it. */
  ApiKeyDeleted: { change: null, touchesSnapshot: true, data: z.object({ id: apiKeyId }) },
} as const satisfies Record<string, EventDefinition>;

export type ApiKeyEvent = EventOf<typeof apiKeyEvents>;
