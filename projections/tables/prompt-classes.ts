// Defines the tables of prompt classes, of the classes that they refine, and of their examples. The
// texts of examples stay in the vault; rows contain their refs.

import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { rowOf } from '../../src/db/columns.ts';
import { integer, readRows, text, time } from '../../src/db/rows.ts';
import { promptClassId, promptExampleId } from '../../src/lib/ids.ts';
import type { PromptClassId } from '../../src/lib/ids.ts';
import { promptClassTier } from '../../src/lib/vocabulary.ts';
import type { Page } from './page.ts';
import { rfc3339 } from './table.ts';
import type { EntityTable } from './table.ts';

export const promptClasses = {
  name: 'prompt_classes',
  version: 1,
  noun: 'prompt_class',
  owner: 'id',
  columns: {
    id: 'bigint not null',
    name: 'text not null',
    description: 'text',
    tier: 'text not null',
    min_margin: 'double precision not null',
  },
  primaryKey: ['id'],
  unique: [['name']],
  rows: (state, id) => {
    const held = state.prompt_class.byId.get(id);
    if (held === undefined) return [];
    const { name, description, tier, minMargin } = held;
    return [{ id, name, description, tier, min_margin: minMargin }];
  },
} satisfies EntityTable;

export const promptClassRefines: EntityTable = {
  name: 'prompt_class_refines',
  version: 1,
  noun: 'prompt_class',
  owner: 'class_id',
  columns: { class_id: 'bigint not null', refined_id: 'bigint not null' },
  primaryKey: ['class_id', 'refined_id'],
  rows: (state, id) =>
    (state.prompt_class.byId.get(id)?.refines ?? []).map((refinedId) => ({
      class_id: id,
      refined_id: refinedId,
    })),
};

export const promptExamples: EntityTable = {
  name: 'prompt_examples',
  version: 2,
  noun: 'prompt_class',
  owner: 'class_id',
  columns: {
    class_id: 'bigint not null',
    id: 'bigint not null',
    prompt_ref: 'uuid not null',
    fingerprint: 'text not null',
    added_at: 'timestamptz not null',
    label: 'text',
  },
  primaryKey: ['class_id', 'id'],
  rows: (state, classId) =>
    (state.prompt_class.byId.get(classId)?.examples ?? []).map((example) => ({
      class_id: classId,
      id: example.id,
      prompt_ref: example.ref,
      fingerprint: example.fingerprint,
      added_at: rfc3339(example.addedAt),
      label: example.label ?? null,
    })),
};

const promptClassRow = rowOf(promptClasses.columns).extend({
  id: promptClassId,
  tier: promptClassTier,
  /** Names. */
  refines: z.array(text).readonly(),
  examples: integer,
});
export type PromptClassRow = Readonly<z.output<typeof promptClassRow>>;

/** Sorted by name. */
export const listPromptClasses = (db: Queryable, page: Page<string>): Promise<PromptClassRow[]> =>
  readRows(db, promptClassRow)`
    select id, name, description, tier, min_margin,
      array(select refined.name from prompt_class_refines
        join prompt_classes refined on refined.id = refined_id
        where class_id = held.id order by refined.name) as refines,
      (select count(*) from prompt_examples where class_id = held.id) as examples
    from prompt_classes held
    where ${page.after}::text is null or name > ${page.after}
    order by name limit ${page.limit}`;

const promptExampleRow = z.object({
  class_id: promptClassId,
  id: promptExampleId,
  label: text.nullable(),
  added_at: time,
});
export type PromptExampleRow = Readonly<z.output<typeof promptExampleRow>>;

/** In the order in which they were added. */
export const listPromptExamples = (
  db: Queryable,
  classId: PromptClassId,
  page: Page<number>,
): Promise<PromptExampleRow[]> =>
  readRows(db, promptExampleRow)`
    select class_id, id, label, added_at from prompt_examples
    where class_id = ${classId} and id > ${page.after ?? 0}
    order by id limit ${page.limit}`;
