// Builds the records of prompt classes and of their examples. Example texts are write-only.

import { z } from 'zod';

import { minMargin } from '../../../events/prompt-class.ts';
import type { PromptExample } from '../../../projections/config/prompt-class.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import type {
  PromptClassRow,
  PromptExampleRow,
} from '../../../projections/tables/prompt-classes.ts';
import type { Encoders } from '../../classifier/encoder.ts';
import { toRfc3339 } from '../../lib/clock.ts';
import { timestamp } from '../../lib/fields.ts';
import { promptClassId, promptExampleId } from '../../lib/ids.ts';
import type { PromptClassId } from '../../lib/ids.ts';
import { compareText } from '../../lib/text.ts';
import { promptClassTier } from '../../lib/vocabulary.ts';
import { idIn, wholeNumber } from '../http/fields.ts';
import { written } from '../http/mutation.ts';

export const promptClassRecord = z.object({
  id: promptClassId,
  name: z.string(),
  description: z.string().nullable(),
  tier: promptClassTier,
  min_margin: minMargin,
  /** Names of classes. */
  refines: z.array(z.string()).readonly(),
  examples: z.int(),
  /** True if the class has a centroid. Without one, no request matches it. */
  routable: z.boolean(),
});
export type PromptClassRecord = z.input<typeof promptClassRecord>;

/** A class has a centroid once an encoder of its tier can read one of its examples. */
export const listedClass = (row: PromptClassRow, encoders: Encoders | null): PromptClassRecord => ({
  ...row,
  routable: row.examples > 0 && (encoders?.[row.tier] ?? null) !== null,
});

export function promptClassRowIn(state: ConfigState, id: number): PromptClassRow {
  const held = written(state.prompt_class, id);
  const refines = held.refines.flatMap((one) => state.prompt_class.byId.get(one)?.name ?? []);
  return {
    id: held.id,
    name: held.name,
    description: held.description,
    tier: held.tier,
    min_margin: held.minMargin,
    refines: refines.toSorted(compareText),
    examples: held.examples.length,
  };
}

export const exampleParams = idIn(promptClassId).extend({
  example_id: wholeNumber({ from: 1 }).pipe(promptExampleId),
});

export const exampleRecord = z.object({
  id: promptExampleId,
  prompt_class_id: promptClassId,
  /** The author's label, because the text is never shown. */
  label: z.string().nullable(),
  added_at: timestamp,
});
type ExampleRecord = z.input<typeof exampleRecord>;

export const listedExample = (row: PromptExampleRow): ExampleRecord => ({
  id: row.id,
  prompt_class_id: row.class_id,
  label: row.label,
  added_at: row.added_at.toISOString(),
});

export const exampleRowsIn = (
  { prompt_class: classes }: ConfigState,
  classId: PromptClassId,
): PromptExampleRow[] =>
  (classes.byId.get(classId)?.examples ?? []).map(({ id, label, addedAt }) => ({
    class_id: classId,
    id,
    label: label ?? null,
    added_at: new Date(addedAt),
  }));

export const exampleRecordOf = (
  classId: PromptClassId,
  { id, label, addedAt }: PromptExample,
): ExampleRecord => ({
  id,
  prompt_class_id: classId,
  label: label ?? null,
  added_at: toRfc3339(addedAt),
});
