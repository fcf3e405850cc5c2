// Defines the events of deployment-wide settings; they have one stream, `settings-1`.

import { z } from 'zod';

import { modelId, principalId } from '../src/lib/ids.ts';
import { changeKind, erasedKind } from '../src/lib/vocabulary.ts';
import type { EventDefinition, EventOf } from './event.ts';

export const settingsEvents = {
  /** The last candidate of every chain; null removes it. */
  FallbackModelSet: {
    change: 'routing',
    touchesSnapshot: true,
    data: z.object({ model_id: modelId.nullable() }),
  },
  /** Empty turns the policy off. */
  ChangePolicySet: {
    change: 'policy',
    touchesSnapshot: false,
    data: z.object({ kinds: z.array(changeKind).readonly() }),
  },
  /**
   * Declarative files were applied. `digest` is the SHA-256 of their content. The set of files now
   * also manages the fields of the resources in `taken`, and no longer those in `released`. A name
   * is null if it may be personal data.
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
  /** An operator requested a new version. */
  SnapshotRebuilt: { touchesSnapshot: true, data: z.object({}) },
  SessionsRevoked: { touchesSnapshot: false, data: z.object({}) },
  /**
   * The resource of the managed deployment was changed, which gave it this generation. Null
   * restores a default.
   */
  DeploymentPatched: {
    touchesSnapshot: false,
    data: z.object({
      patch: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
      generation: z.int().nonnegative(),
    }),
  },
  /** This number of vault items was encrypted again with the encryption key of that id. */
  VaultResealed: {
    touchesSnapshot: false,
    data: z.object({ key_id: z.string(), items: z.int().nonnegative() }),
  },
  /**
   * Checkpoints after this event are signed with that key, 64 hex digits. The previous key, if any,
   * signed the change (base64).
   */
  AuditKeySet: {
    touchesSnapshot: false,
    data: z.object({
      public_key: z.hash('sha256'),
      previous: z.hash('sha256').nullable(),
      signature: z.base64().nullable(),
    }),
  },
  /**
   * The log continues after events that replicas have seen were lost. Snapshot versions continue in
   * this epoch.
   */
  LogEpochStarted: { touchesSnapshot: true, data: z.object({ epoch: z.int().positive() }) },
  /**
   * Vault items were erased after their retention, or sooner on request. `kinds` counts them.
   * `principal_id` is the person whose data was erased on request.
   */
  VaultItemsErased: {
    touchesSnapshot: false,
    data: z.object({
      refs: z.array(z.uuid()).min(1),
      kinds: z.partialRecord(erasedKind, z.int().positive()).optional(),
      principal_id: principalId.optional(),
    }),
  },
  /**
   * The costs of past usage were computed again, of one model or of all. `card` is the version of
   * the prices: a number, those in effect at the time of the event (`current`), or those that each
   * row was booked with (`booked`). The differences are corrections; rows do not change.
   */
  UsageRepriced: {
    change: 'prices',
    touchesSnapshot: false,
    data: z.object({
      reprice_id: z.int().positive(),
      since: z.iso.datetime({ offset: true }),
      until: z.iso.datetime({ offset: true }),
      model_id: modelId.nullable(),
      card: z.union([z.int().positive(), z.enum(['current', 'booked'])]),
      rows: z.int().nonnegative(),
      corrected_rows: z.int().nonnegative(),
      unpriced_rows: z.int().nonnegative(),
      totals: z.array(z.object({ currency: z.string(), delta_micros: z.int() })).readonly(),
    }),
  },
  /**
   * Usage rows were dropped since the last event with this reason, on this number of replicas. They
   * are missing from every sum.
   */
  UsageRowsDropped: {
    change: null,
    touchesSnapshot: false,
    data: z.object({
      reason: z.string(),
      rows: z.int().positive(),
      replicas: z.int().nonnegative(),
    }),
  },
  /**
   * A provider's bill was compared with the ledger, from the first to the last day. Operational
   * tables have the report. Amounts are in micro-units of the currency.
   */
  UsageReconciled: {
    change: null,
    touchesSnapshot: false,
    data: z.object({
      report: z.uuid(),
      providers: z.array(z.string()).readonly(),
      format: z.string(),
      file_sha256: z.hash('sha256'),
      first_day: z.string(),
      last_day: z.string(),
      totals: z
        .array(z.object({ currency: z.string(), bill_micros: z.int(), ledger_micros: z.int() }))
        .readonly(),
      matches: z.int().nonnegative(),
      differences: z.int().nonnegative(),
    }),
  },
  /**
   * A segment of usage rows, or of corrections of costs, was written to the archive: rows of this
   * hour, in UTC. The manifest describes the segment and contains its SHA-256. `adopted` means that
   * the archive had the segment, and that the log did not. `repaired` means that it replaces the
   * segment of that number, whose file was lost.
   */
  UsageArchived: {
    change: null,
    touchesSnapshot: false,
    data: z.object({
      dataset: z.enum(['usage', 'corrections']),
      hour: z.iso.datetime(),
      segment: z.int().positive(),
      rows: z.int().positive(),
      manifest_sha256: z.hash('sha256'),
      adopted: z.boolean(),
      repaired: z.literal(true).optional(),
    }),
  },
} as const satisfies Record<string, EventDefinition>;

export type SettingsEvent = EventOf<typeof settingsEvents>;
