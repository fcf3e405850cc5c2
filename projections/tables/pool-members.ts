// Defines the table of pool members.

import type { EntityTable } from './table.ts';

export const poolMembers: EntityTable = {
  name: 'pool_members',
  version: 1,
  noun: 'pool',
  owner: 'pool_id',
  columns: {
    id: 'bigint not null',
    pool_id: 'bigint not null',
    model_id: 'bigint',
    gone_model: 'text',
    weight: 'bigint not null',
    position: 'bigint not null',
  },
  primaryKey: ['id'],
  indexes: [['pool_id']],
  rows: (state, id) =>
    (state.pool.byId.get(id)?.members ?? []).map((member) => ({
      id: member.id,
      pool_id: id,
      model_id: member.model_id,
      gone_model: member.gone_model,
      weight: member.weight,
      position: member.position,
    })),
};
