// Defines the table of targets: those of rules, and the defaults of frontend models, which have no
// rule.

import type { Target } from '../../events/frontend-model.ts';
import type { EntityTable, Row } from './table.ts';

export const ruleTargets: EntityTable = {
  name: 'rule_targets',
  version: 1,
  noun: 'frontend_model',
  owner: 'frontend_model_id',
  columns: {
    id: 'bigint not null',
    frontend_model_id: 'bigint not null',
    rule_id: 'bigint',
    model_id: 'bigint',
    pool_id: 'bigint',
    gone_model: 'text',
    position: 'bigint not null',
  },
  primaryKey: ['id'],
  indexes: [['frontend_model_id'], ['rule_id']],
  rows: (state, id) => {
    const model = state.frontend_model.byId.get(id);
    if (model === undefined) return [];
    return [
      ...model.rules.flatMap((rule) => rule.targets.map((target) => row(id, rule.id, target))),
      ...model.defaultTargets.map((target) => row(id, null, target)),
    ];
  },
};

const row = (frontendModel: number, rule: number | null, target: Target): Row => ({
  frontend_model_id: frontendModel,
  rule_id: rule,
  ...target,
});
