// Defines the events of prompt classes. An example is a real prompt and may contain personal data,
// so its text is in the vault, and the event carries the ref and a keyed fingerprint. Centroids are
// computed from examples, so these events make a snapshot version.

import { z } from 'zod';

import { promptClassId, promptExampleId } from '../src/lib/ids.ts';
import { promptClassTier } from '../src/lib/vocabulary.ts';
import { restoredAt } from './event.ts';
import { setter } from './event.ts';
import type { EventDefinition, EventOf } from './event.ts';

export const storedExample = z.object({
  ref: z.uuid(),
  fingerprint: z.string(),
  /** Plain text. Absent if the example has none. */
  label: z.string().optional(),
});
export type StoredExample = z.output<typeof storedExample>;

/** A difference of cosines, hence 0 to 2. */
export const minMargin = z.number().min(0).max(2);

export const promptClassEvents = {
  PromptClassCreated: {
    touchesSnapshot: true,
    data: z.object({
      id: promptClassId,
      name: z.string(),
      description: z.string().nullable(),
      tier: promptClassTier,
      min_margin: minMargin,
      refines: z.array(promptClassId),
    }),
  },
  PromptClassRenamed: setter({ id: promptClassId, name: z.string() }),
  PromptClassDescribed: setter(
    { id: promptClassId, description: z.string().nullable() },
    { touchesSnapshot: false },
  ),
  PromptClassTierSet: setter({ id: promptClassId, tier: promptClassTier }),
  PromptClassMinMarginSet: setter({ id: promptClassId, min_margin: minMargin }),
  /** Also recorded when a class of the list is deleted. */
  PromptClassRefinesSet: setter({ id: promptClassId, refines: z.array(promptClassId) }),
  PromptExampleAdded: {
    touchesSnapshot: true,
    data: z.object({
      id: promptClassId,
      example_id: promptExampleId,
      example: storedExample,
      added_at: restoredAt,
    }),
  },
  PromptExampleRemoved: {
    touchesSnapshot: true,
    data: z.object({ id: promptClassId, example_id: promptExampleId }),
  },
  PromptClassDeleted: { touchesSnapshot: true, data: z.object({ id: promptClassId }) },
} as const satisfies Record<string, EventDefinition>;

export type PromptClassEvent = EventOf<typeof promptClassEvents>;
