// Defines the events of change requests (docs/guides/four-eyes.md), and of changes that were made
// without one and need a review. The title and the calls may contain secrets and personal data, so
// they are in the vault until the request ends. Events carry their ref and a keyed digest of the
// exact bytes.

import { hash } from 'node:crypto';

import { z } from 'zod';

import { canonicalJson } from '../src/lib/canonical-json.ts';
import { changeRequestId, principalId } from '../src/lib/ids.ts';
import { changeKind } from '../src/lib/vocabulary.ts';
import type { EventDefinition, EventOf, NewEvent } from './event.ts';

const id = changeRequestId;

/**
 * The calls of a change request, without their bodies. `digest` is keyed and covers the bytes that
 * `body_ref` names.
 */
export const storedDraft = z.object({
  body_ref: z.uuid(),
  digest: z.string(),
  calls: z.array(z.object({ method: z.string(), path: z.string() })).readonly(),
  /** Those that the calls produced when drafted. */
  kinds: z.array(changeKind).readonly(),
  event_count: z.int().nonnegative(),
});
export type StoredDraft = Readonly<z.output<typeof storedDraft>>;

/** The reason why a scheduled request could not be applied. */
export const failureCause = z.enum([
  /** The calls are rejected, or now produce other events than were approved. */
  'calls',
  /** The author was deleted or lost the permission to write the configuration. */
  'author',
  /** There is no approval, or every approver was deleted or lost the permission. */
  'approvals',
  /** The vault no longer holds the calls. */
  'body',
  /** An internal error. */
  'fault',
]);
export type FailureCause = z.output<typeof failureCause>;

const by = principalId;
const time = z.iso.datetime({ offset: true });

export const changeRequestEvents = {
  ChangeRequestDrafted: {
    touchesSnapshot: false,
    data: z.object({ id, author_id: principalId, title_ref: z.uuid(), draft: storedDraft }),
  },
  /** Removes all approvals and the schedule of the request. */
  ChangeRequestEdited: {
    touchesSnapshot: false,
    data: z.object({ id, title_ref: z.uuid(), draft: storedDraft }),
  },
  /** `outcome` has one digest per call, of its events at approval. */
  ChangeRequestApproved: {
    touchesSnapshot: false,
    data: z.object({
      id,
      by,
      digest: z.string(),
      outcome: z.array(z.hash('sha256')).readonly(),
    }),
  },
  ChangeRequestRefused: { touchesSnapshot: false, data: z.object({ id, by }) },
  ChangeRequestWithdrawn: { touchesSnapshot: false, data: z.object({ id, by }) },
  /** Null removes the schedule. */
  ChangeRequestScheduled: {
    touchesSnapshot: false,
    data: z.object({ id, by, apply_at: time.nullable() }),
  },
  /**
   * Recorded in one transaction with the events of the calls, before them. `by` is null if the
   * schedule applied it.
   */
  ChangeRequestApplied: { touchesSnapshot: false, data: z.object({ id, by: by.nullable() }) },
  /** The scheduled time came, but the request could not be applied. It needs another approval. */
  ChangeRequestFailed: {
    touchesSnapshot: false,
    data: z.object({ id, cause: failureCause, message_ref: z.uuid() }),
  },
  ChangeRequestExpired: { touchesSnapshot: false, data: z.object({ id }) },
  /**
   * Recorded in one transaction with the events of a change that needed an approval and had none,
   * after them. `by` is null for the command line.
   */
  ChangeMadeUnapproved: {
    touchesSnapshot: false,
    data: z.object({
      id,
      by: by.nullable(),
      why_ref: z.uuid(),
      kinds: z.array(changeKind).readonly(),
      event_count: z.int().positive(),
    }),
  },
  ChangeReviewed: { touchesSnapshot: false, data: z.object({ id, by }) },
} as const satisfies Record<string, EventDefinition>;

export type ChangeRequestEvent = EventOf<typeof changeRequestEvents>;

/** Equal for calls with the same result. Events hold no secrets, so the digest needs no key. */
export const outcomeDigest = (events: readonly NewEvent[]): string =>
  hash('sha256', canonicalJson(events));
