// Folds the events of a prompt class, with its examples. Their texts are in the vault.

import { isSetter } from '../../events/catalogue.ts';
import type { PromptClassEvent, StoredExample } from '../../events/prompt-class.ts';
import type { PromptClassId, PromptExampleId } from '../../src/lib/ids.ts';
import type { PromptClassTier } from '../../src/lib/vocabulary.ts';
import { camelKeys } from '../../src/lib/case.ts';
import { checkAbsent, existing, madeAt, withSet } from './entity.ts';

export type PromptExample = StoredExample & Readonly<{ id: PromptExampleId; addedAt: number }>;

/**
 * `lastExampleId` is the highest id ever assigned, so that ids of removed examples are not used
 * again.
 */
export type PromptClass = Readonly<{
  id: PromptClassId;
  name: string;
  description: string | null;
  tier: PromptClassTier;
  minMargin: number;
  refines: readonly PromptClassId[];
  examples: readonly PromptExample[];
  lastExampleId: number;
}>;

export function evolvePromptClass(
  held: PromptClass | undefined,
  event: PromptClassEvent,
  recordedAt: number,
): PromptClass | undefined {
  if (isSetter(event)) return withSet(existing(held, event), event.data);
  switch (event.type) {
    case 'PromptClassCreated':
      checkAbsent(held, event);
      return { ...camelKeys(event.data), examples: [], lastExampleId: 0 };
    case 'PromptExampleAdded': {
      const before = existing(held, event);
      const { example_id: id, example, added_at } = event.data;
      const addedAt = madeAt(added_at, recordedAt);
      return {
        ...before,
        examples: [...before.examples, { id, ...example, addedAt }],
        lastExampleId: Math.max(before.lastExampleId, id),
      };
    }
    case 'PromptExampleRemoved': {
      const before = existing(held, event);
      const { example_id: id } = event.data;
      return { ...before, examples: before.examples.filter((example) => example.id !== id) };
    }
    case 'PromptClassDeleted':
      existing(held, event);
      return undefined;
  }
}
