// Defines the table of the deployment's settings: one row, once a setting was changed.

import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { readRow, text } from '../../src/db/rows.ts';
import { modelId } from '../../src/lib/ids.ts';
import type { ModelId } from '../../src/lib/ids.ts';
import type { EntityTable } from './table.ts';

export const settings: EntityTable = {
  name: 'settings',
  version: 1,
  noun: 'settings',
  owner: 'id',
  columns: { id: 'bigint not null', fallback_model_id: 'bigint' },
  primaryKey: ['id'],
  rows: (state, id) => {
    const held = state.settings.byId.get(id);
    return held === undefined ? [] : [{ id, fallback_model_id: held.fallbackModelId }];
  },
};

const fallbackModel = z.object({ id: modelId, name: text });

/** Both are null if no fallback model is set. */
export async function readFallbackModel(
  db: Queryable,
): Promise<{ id: ModelId | null; name: string | null }> {
  const row = await readRow(db, fallbackModel)`
    select models.id, models.name from settings join models on models.id = fallback_model_id`;
  return row ?? { id: null, name: null };
}
