// Events of an API key. The SHA-256 verifier lies in the vault; the event carries its ref.

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
  /** The row stays for audit. */
  ApiKeyRevoked: { change: null, touchesSnapshot: true, data: z.object({ id: apiKeyId }) },
  /** An import says so of a key that its file holds. */
  ApiKeyEnabled: { touchesSnapshot: true, data: z.object({ id: apiKeyId }) },
  ApiKeyExpirySet: setter({
    id: apiKeyId,
    expires_at: z.iso.datetime({ offset: true }).nullable(),
  }),
  /** Together with its principal, or when an older state in which it was not there is restored. */
  ApiKeyDeleted: { change: null, touchesSnapshot: true, data: z.object({ id: apiKeyId }) },
} as const satisfies Record<string, EventDefinition>;

export type ApiKeyEvent = EventOf<typeof apiKeyEvents>;
