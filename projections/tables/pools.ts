// The table of pools, and the query that reads one whole, with its members.

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';

import type { ModelId, PoolId, PoolMemberId } from '../../src/lib/ids.ts';
import type { PoolPolicy } from '../../src/lib/vocabulary.ts';
import type { Page } from './page.ts';
import type { EntityTable } from './table.ts';

export const pools: EntityTable = {
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
};

/** `model` is the model's name; the id is null when the model is gone. */
export type PoolMemberRow = Readonly<{
  id: PoolMemberId;
  provider_model_id: ModelId | null;
  model: string;
  weight: number;
  position: number;
}>;

export type PoolRow = Readonly<{
  id: PoolId;
  name: string;
  description: string | null;
  policy: PoolPolicy | null;
  members: readonly PoolMemberRow[];
}>;

const whole = sql`
  select id, name, description, policy, (
    select coalesce(json_agg(json_build_object('id', pool_members.id,
      'provider_model_id', model_id, 'model', coalesce(models.name, gone_model),
      'weight', weight, 'position', position) order by position), '[]')
    from pool_members left join models on models.id = model_id
    where pool_id = pools.id) as members
  from pools`;

/** Pools, by name. */
export const listPools = (db: Queryable, page: Page<string>): Promise<PoolRow[]> =>
  db.query(sql`${whole}
    where ${page.after}::text is null or pools.name > ${page.after}
    order by pools.name limit ${page.limit}`);
