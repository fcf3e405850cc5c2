// Events of the settings that belong to the deployment as a whole; one stream, `settings-1`.

import { z } from 'zod';

import { modelId, principalId } from '../src/lib/ids.ts';
import { changeKind, erasedKind } from '../src/lib/vocabulary.ts';
import type { EventDefinition, EventOf } from './event.ts';

export const settingsEvents = {
  /** The model that every routing chain falls back to; null clears it. */
  FallbackModelSet: {
    change: 'routing',
    touchesSnapshot: true,
    data: z.object({ model_id: modelId.nullable() }),
  },
  /** The kinds of change that need an approved request; none: there is no policy. */
  ChangePolicySet: {
    change: 'policy',
    touchesSnapshot: false,
    data: z.object({ kinds: z.array(changeKind).readonly() }),
  },
  /**
   * Declarative files were applied. `digest` is the SHA-256 of what they say. The set of files manages the fields of the resources in
   * `taken` from now on, with what earlier events of the set took over, and those in `released` no longer. A name is null where it may
   * be personal data.
   */
  ConfigurationApplied: {
    touchesSnapshot: false,
    data: z.object({
      set: z.string(),
      digest: z.hash('sha256'),
      taken: z
        .array(
          z.object({
            stream: z.string(),
            name: z.string().nullable(),
            fields: z.array(z.string()).readonly(),
          }),
        )
        .readonly(),
      released: z.array(z.string()).readonly(),
    }),
  },
  /** The operator asked for a new version; it is the audit row that counts. */
  SnapshotRebuilt: { touchesSnapshot: true, data: z.object({}) },
  /** Every session was ended. */
  SessionsRevoked: { touchesSnapshot: false, data: z.object({}) },
  /** The resource of the managed deployment was changed, to that generation of it; null took a default again. */
  DeploymentPatched: {
    touchesSnapshot: false,
    data: z.object({
      patch: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
      generation: z.int().nonnegative(),
    }),
  },
  /** So many items of the vault were sealed anew with the encryption key of that id. */
  VaultResealed: {
    touchesSnapshot: false,
    data: z.object({ key_id: z.string(), items: z.int().nonnegative() }),
  },
  /**
   * Checkpoints behind this event are signed with that key, 64 hex digits. The key before, if there was one, has signed the change
   * (base64).
   */
  AuditKeySet: {
    touchesSnapshot: false,
    data: z.object({
      public_key: z.hash('sha256'),
      previous: z.hash('sha256').nullable(),
      signature: z.base64().nullable(),
    }),
  },
  /** The log goes on behind the loss of events that replicas have seen; snapshot versions count on in this epoch. */
  LogEpochStarted: { touchesSnapshot: true, data: z.object({ epoch: z.int().positive() }) },
  /**
   * Items of the vault were erased: those that nothing had referred to for their retention, or those that somebody asked to be erased
   * sooner. `kinds` counts them; `principal_id` is whose personal data they were, when that was asked for.
   */
  VaultItemsErased: {
    touchesSnapshot: false,
    data: z.object({
      refs: z.array(z.uuid()).min(1),
      kinds: z.partialRecord(erasedKind, z.int().positive()).optional(),
      principal_id: principalId.optional(),
    }),
  },
} as const satisfies Record<string, EventDefinition>;

export type SettingsEvent = EventOf<typeof settingsEvents>;
