// Defines the table of pools, and the query that reads them with their members.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { rowOf } from '../../src/db/columns.ts';
import { integer, readRows, text } from '../../src/db/rows.ts';
import { modelId, poolId, poolMemberId } from '../../src/lib/ids.ts';
import { poolPolicy } from '../../src/lib/vocabulary.ts';
import type { Page } from './page.ts';
import type { EntityTable } from './table.ts';

export const pools = {
  name: 'pools',
  version: 1,
  noun: 'pool',
  owner: 'id',
  columns: {
    id: 'bigint not null',
    name: 'text not null',
    description: 'text',
    policy: 'text',
  },
  primaryKey: ['id'],
  unique: [['name']],
  rows: (state, id) => {
    const pool = state.pool.byId.get(id);
    if (pool === undefined) return [];
    const { name, description, policy } = pool;
    return [{ id, name, description, policy }];
  },
} satisfies EntityTable;

/** The id is null if the model was deleted. */
const poolMemberRow = z.object({
  id: poolMemberId,
  provider_model_id: modelId.nullable(),
  model: text,
  weight: integer,
  position: integer,
});
export type PoolMemberRow = Readonly<z.output<typeof poolMemberRow>>;

const poolRow = rowOf(pools.columns).extend({
  id: poolId,
  policy: poolPolicy.nullable(),
  members: z.array(poolMemberRow).readonly(),
});
export type PoolRow = Readonly<z.output<typeof poolRow>>;

const whole = sql`
  select id, name, description, policy, (
    select coalesce(json_agg(json_build_object('id', pool_members.id,
      'provider_model_id', model_id, 'model', coalesce(models.name, gone_model),
      'weight', weight, 'position', position) order by position), '[]')
    from pool_members left join models on models.id = model_id
    where pool_id = pools.id) as members
  from pools`;

/** Sorted by name. */
export const listPools = (db: Queryable, page: Page<string>): Promise<PoolRow[]> =>
  readRows(db, poolRow)`${whole}
    where ${page.after}::text is null or pools.name > ${page.after}
    order by pools.name limit ${page.limit}`;
