// Defines the events of change requests (docs/guides/four-eyes.md), and of changes that were made without one and need a review.
// The title and the calls may contain secrets and personal data. They stay in the vault until the request ends; events carry their ref and
// a keyed digest of the exact bytes.

import { hash } from 'node:crypto';

import { z } from 'zod';

import { canonicalJson } from '../src/lib/canonical-json.ts';
import { changeRequestId, principalId } from '../src/lib/ids.ts';
import { changeKind } from '../src/lib/vocabulary.ts';
import type { EventDefinition, EventOf, NewEvent } from './event.ts';

const id = changeRequestId;

/** What the calls are, without their bodies. `digest` is keyed and covers the bytes behind `body_ref`. */
export const storedDraft = z.object({
  body_ref: z.uuid(),
  digest: z.string(),
  calls: z.array(z.object({ method: z.string(), path: z.string() })).readonly(),
  /** What it touched, and the events that it came to, when it was drafted. */
  kinds: z.array(changeKind).readonly(),
  event_count: z.int().nonnegative(),
});
export type StoredDraft = Readonly<z.output<typeof storedDraft>>;

/** Why a request that was due could not be applied. */
export const failureCause = z.enum([
  /** Its calls are refused, or come to something else than what was approved. */
  'calls',
  /** Its author is gone, or may no longer write the configuration. */
  'author',
  /** So are all who approved it, or nobody has. */
  'approvals',
  /** Its calls are not in the vault. */
  'body',
  /** A fault of the program. */
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
  /** What was approved of it is approved no more, and it is due no more. */
  ChangeRequestEdited: {
    touchesSnapshot: false,
    data: z.object({ id, title_ref: z.uuid(), draft: storedDraft }),
  },
  /** `outcome` has a digest a call, of the events that it came to then. */
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
  /** It is applied then; null: only when it is asked for. */
  ChangeRequestScheduled: {
    touchesSnapshot: false,
    data: z.object({ id, by, apply_at: time.nullable() }),
  },
  /** In one transaction with the events of its calls, which come behind. `by` null: its time had come. */
  ChangeRequestApplied: { touchesSnapshot: false, data: z.object({ id, by: by.nullable() }) },
  /** Its time had come and it could not be applied. It needs another approval. */
  ChangeRequestFailed: {
    touchesSnapshot: false,
    data: z.object({ id, cause: failureCause, message_ref: z.uuid() }),
  },
  ChangeRequestExpired: { touchesSnapshot: false, data: z.object({ id }) },
  /**
   * In one transaction with the events of a change that needed an approval and had none, which come before. `by` null: at the command
   * line.
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

/** Equal for calls that come to the same. Events hold no secret, so the digest needs no key. */
export const outcomeDigest = (events: readonly NewEvent[]): string =>
  hash('sha256', canonicalJson(events));
