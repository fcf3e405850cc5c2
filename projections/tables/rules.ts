// Defines the table of the rules of frontend models.

import type { EntityTable } from './table.ts';

export const rules: EntityTable = {
  name: 'rules',
  version: 2,
  noun: 'frontend_model',
  owner: 'frontend_model_id',
  columns: {
    id: 'bigint not null',
    frontend_model_id: 'bigint not null',
    position: 'bigint not null',
    action: 'text not null',
    conditions: 'jsonb not null',
    deny_status: 'bigint',
    deny_message: 'text',
    jump_to: 'bigint',
    tag: 'text',
    name: 'text',
    enabled: 'boolean not null',
  },
  primaryKey: ['id'],
  unique: [['frontend_model_id', 'position']],
  rows: (state, id) =>
    (state.frontend_model.byId.get(id)?.rules ?? []).map((rule) => ({
      id: rule.id,
      frontend_model_id: id,
      position: rule.position,
      action: rule.action,
      conditions: JSON.stringify(rule.conditions),
      deny_status: rule.deny_status,
      deny_message: rule.deny_message,
      jump_to: rule.jump_to,
      tag: rule.tag,
      name: rule.name ?? null,
      enabled: rule.enabled ?? true,
    })),
};
