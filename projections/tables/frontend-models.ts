// Defines the table of frontend models, and the query that reads them with their rules by position,
// targets and defaults.

import { sql } from '@databases/pg';
import type { Queryable, SQLQuery } from '@databases/pg';
import { z } from 'zod';

import { storedRule } from '../../events/frontend-model.ts';
import { rowOf } from '../../src/db/columns.ts';
import { flag, integer, readRows, text } from '../../src/db/rows.ts';
import { frontendModelId, modelId, poolId, targetId } from '../../src/lib/ids.ts';
import type { Page } from './page.ts';
import type { EntityTable } from './table.ts';

export const frontendModels = {
  name: 'frontend_models',
  version: 1,
  noun: 'frontend_model',
  owner: 'id',
  columns: {
    id: 'bigint not null',
    name: 'text not null',
    description: 'text',
    max_model_len: 'bigint',
  },
  primaryKey: ['id'],
  unique: [['name']],
  rows: (state, id) => {
    const model = state.frontend_model.byId.get(id);
    if (model === undefined) return [];
    const { name, description, maxModelLen } = model;
    return [{ id, name, description, max_model_len: maxModelLen }];
  },
} satisfies EntityTable;

/** `model` is the name of the model or pool; both ids are null if the model was deleted. */
const targetRow = z.object({
  id: targetId,
  provider_model_id: modelId.nullable(),
  model_pool_id: poolId.nullable(),
  model: text,
  position: integer,
});
export type TargetRow = Readonly<z.output<typeof targetRow>>;

/** Names of entities that the conditions reference and that still exist. */
const ruleRow = storedRule.extend({
  name: text.nullable(),
  enabled: flag,
  role_names: z.record(text, text).readonly(),
  class_name: text.nullable(),
  targets: z.array(targetRow).readonly(),
});
export type RuleRow = Readonly<z.output<typeof ruleRow>>;

const frontendModelRow = rowOf(frontendModels.columns).extend({
  id: frontendModelId,
  rules: z.array(ruleRow).readonly(),
  default_targets: z.array(targetRow).readonly(),
});
export type FrontendModelRow = Readonly<z.output<typeof frontendModelRow>>;

const targetsWhere = (condition: SQLQuery): SQLQuery => sql`(
  select coalesce(json_agg(json_build_object('id', rule_targets.id, 'provider_model_id', model_id,
    'model_pool_id', pool_id, 'model', coalesce(models.name, pools.name, gone_model),
    'position', rule_targets.position) order by rule_targets.position), '[]')
  from rule_targets left join models on models.id = model_id left join pools on pools.id = pool_id
  where ${condition})`;

const rulesOfModel = sql`(
  select coalesce(json_agg(json_build_object('id', rules.id, 'name', rules.name,
    'enabled', enabled, 'position', rules.position, 'action', action,
    'conditions', conditions, 'role_names', (
      select coalesce(json_object_agg(roles.id, roles.name), '{}')
      from roles where conditions -> 'roles' @> to_jsonb(roles.id)),
    'class_name', (
      select prompt_classes.name from prompt_classes
      where prompt_classes.id = (conditions ->> 'class')::bigint),
    'deny_status', deny_status, 'deny_message', deny_message, 'jump_to', jump_to, 'tag', tag,
    'targets', ${targetsWhere(sql`rule_id = rules.id`)}) order by rules.position), '[]')
  from rules where frontend_model_id = frontend_models.id)`;

const whole = sql`
  select id, name, description, max_model_len, ${rulesOfModel} as rules,
    ${targetsWhere(sql`rule_id is null and frontend_model_id = frontend_models.id`)}
      as default_targets
  from frontend_models`;

/** Sorted by name. */
export const listFrontendModels = (
  db: Queryable,
  page: Page<string>,
): Promise<FrontendModelRow[]> =>
  readRows(db, frontendModelRow)`${whole}
    where ${page.after}::text is null or frontend_models.name > ${page.after}
    order by frontend_models.name limit ${page.limit}`;
