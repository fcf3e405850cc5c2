// The records of prompt classes and of their examples. The text of an example is written and never answered.

import { z } from 'zod';

import { minMargin } from '../../events/prompt-class.ts';
import type { PromptExample } from '../../projections/config/prompt-class.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import type { PromptClassRow, PromptExampleRow } from '../../projections/tables/prompt-classes.ts';
import { toRfc3339 } from '../lib/clock.ts';
import { timestamp } from '../lib/fields.ts';
import { promptClassId, promptExampleId } from '../lib/ids.ts';
import type { PromptClassId } from '../lib/ids.ts';
import { promptClassTier } from '../lib/vocabulary.ts';
import { written } from './mutation.ts';

export const promptClassRecord = z.object({
  id: promptClassId,
  name: z.string(),
  description: z.string().nullable(),
  tier: promptClassTier,
  min_margin: minMargin,
  /** Names of classes. */
  refines: z.array(z.string()).readonly(),
  /** How many. */
  examples: z.int(),
  /** Whether the class has a centroid, without which no request is of it. */
  routable: z.boolean(),
});
export type PromptClassRecord = z.input<typeof promptClassRecord>;

/** No classifier is built in that could make a centroid of a class's examples. */
const routable = false;

export const listedClass = (row: PromptClassRow): PromptClassRecord => ({ ...row, routable });

export function promptClassRecordIn(state: ConfigState, id: number): PromptClassRecord {
  const held = written(state.prompt_class, id);
  const refines = held.refines.flatMap((one) => state.prompt_class.byId.get(one)?.name ?? []);
  return {
    id: held.id,
    name: held.name,
    description: held.description,
    tier: held.tier,
    min_margin: held.minMargin,
    refines: refines.toSorted(),
    examples: held.examples.length,
    routable,
  };
}

export const exampleRecord = z.object({
  id: promptExampleId,
  prompt_class_id: promptClassId,
  added_at: timestamp,
});
type ExampleRecord = z.input<typeof exampleRecord>;

export const listedExample = (row: PromptExampleRow): ExampleRecord => ({
  id: row.id,
  prompt_class_id: row.class_id,
  added_at: row.added_at.toISOString(),
});

export const exampleRecordOf = (
  classId: PromptClassId,
  { id, addedAt }: PromptExample,
): ExampleRecord => ({ id, prompt_class_id: classId, added_at: toRfc3339(addedAt) });
