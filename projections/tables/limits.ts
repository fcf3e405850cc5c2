// Defines the table of rate limits: one row per principal with limits. A null dimension is
// unlimited.

import type { Queryable } from '@databases/pg';
import type { z } from 'zod';

import { snakeKeys } from '../../src/lib/case.ts';
import { rowOf } from '../../src/db/columns.ts';
import { readRows, text } from '../../src/db/rows.ts';
import { principalId } from '../../src/lib/ids.ts';
import type { Page } from './page.ts';
import type { EntityTable } from './table.ts';

export const limits = {
  name: 'limits',
  version: 1,
  noun: 'principal',
  owner: 'principal_id',
  columns: {
    principal_id: 'bigint not null',
    requests_per_min: 'bigint',
    tokens_per_min: 'bigint',
  },
  primaryKey: ['principal_id'],
  rows: (state, id) => {
    const held = state.principal.byId.get(id)?.limits ?? null;
    return held === null ? [] : [{ principal_id: id, ...snakeKeys(held) }];
  },
} satisfies EntityTable;

const limitsRow = rowOf(limits.columns).extend({
  principal_id: principalId,
  /** Exactly one of the two is set. */
  principal: text.nullable(),
  principal_name_ref: text.nullable(),
});
export type LimitsRow = Readonly<z.output<typeof limitsRow>>;

/** With the name of the principal (or its ref), sorted by its id. */
export const listLimits = (db: Queryable, page: Page<number>): Promise<LimitsRow[]> =>
  readRows(db, limitsRow)`
    select principal_id, principals.name as principal, principals.name_ref as principal_name_ref,
      requests_per_min, tokens_per_min
    from limits join principals on principals.id = principal_id
    where principal_id > ${page.after ?? 0}
    order by principal_id limit ${page.limit}`;
