// Serves the rules of frontend models and their targets (specification, "Frontend models, routing,
// classes").

import { z } from 'zod';

import { ruleWithId } from '../../../projections/config/find.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import type { Outcome } from '../../control/commands/execute.ts';
import { frontendModelId, ruleId, targetId } from '../../lib/ids.ts';
import type { RuleId } from '../../lib/ids.ts';
import { idIn } from '../http/fields.ts';
import { frontendModelRecord, frontendModelRecordIn } from './frontend-model-record.ts';
import { mutate } from '../http/mutation.ts';
import { deleteRoute } from '../lists/changes.ts';
import { none, route } from '../http/route.ts';
import { ruleField, rulesField, targetField, toListedRules, toRuleFields } from './rule-input.ts';
import { newTargetIn, ownedRule, ownedRuleIn, targetRecord } from './rule-record.ts';

/** The list itself, or an object that contains it. */
const replacement = z
  .preprocess(
    (given) => (Array.isArray(given) ? { rules: given } : given),
    z.strictObject({ rules: rulesField }),
  )
  .meta({ type: ['object', 'array'] });

const ofModel = idIn(frontendModelId);
const ofRule = idIn(ruleId);
const config = { permission: 'config:write', query: none } as const;

export const ruleRoutes = [
  route({
    ...config,
    method: 'POST',
    path: '/admin/frontend-models/{id}/rules',
    operation: 'createRule',
    summary: 'Add a rule; without a position it becomes the last',
    refusals: ['absent', 'conflict'],
    params: ofModel,
    body: ruleField,
    response: ownedRule,
    handle: ({ params: { id }, body }, call) => {
      const command = { type: 'AddRule', frontendModelId: id, rule: toRuleFields(body) } as const;
      return mutate(call, { command }, (outcome) =>
        ownedRuleIn(outcome.state, writtenRule(outcome.state, addedId(outcome))),
      );
    },
  }),
  route({
    ...config,
    method: 'PUT',
    path: '/admin/frontend-models/{id}/rules',
    operation: 'replaceRules',
    summary:
      'Replace the rules in evaluation order; rules with an id are kept, missing ones are deleted',
    refusals: ['absent', 'conflict'],
    params: ofModel,
    body: replacement,
    response: frontendModelRecord,
    handle: ({ params: { id }, body }, call) => {
      const rules = toListedRules(body.rules);
      const command = { type: 'ReplaceRules', frontendModelId: id, rules } as const;
      return mutate(call, { command }, ({ state }) => frontendModelRecordIn(state, id));
    },
  }),
  route({
    ...config,
    method: 'PATCH',
    path: '/admin/rules/{id}',
    operation: 'updateRule',
    summary: 'Update a rule; null clears a field, targets replaces the list',
    refusals: ['absent', 'conflict'],
    params: ofRule,
    body: ruleField,
    response: ownedRule,
    handle: ({ params: { id }, body }, call) =>
      mutate(call, { command: { type: 'UpdateRule', id, rule: toRuleFields(body) } }, ({ state }) =>
        ownedRuleIn(state, writtenRule(state, id)),
      ),
  }),
  deleteRoute({
    path: '/admin/rules/{id}',
    operation: 'deleteRule',
    summary: 'Delete a rule with its targets',
    id: ruleId,
    command: (id) => ({ type: 'RemoveRule', id }),
  }),
  route({
    ...config,
    method: 'POST',
    path: '/admin/rules/{id}/targets',
    operation: 'addRuleTarget',
    summary: 'Add a target; without a position it becomes the last',
    refusals: ['absent', 'conflict'],
    params: ofRule,
    body: targetField,
    response: targetRecord,
    handle: ({ params: { id }, body }, call) =>
      mutate(call, { command: { type: 'AddRuleTarget', ruleId: id, target: body } }, ({ state }) =>
        newTargetIn(state, writtenRule(state, id).rule.targets),
      ),
  }),
  deleteRoute({
    path: '/admin/rule-targets/{id}',
    operation: 'removeRuleTarget',
    summary: 'Remove a target of a rule',
    id: targetId,
    command: (id) => ({ type: 'RemoveRuleTarget', id }),
  }),
] as const;

function addedId({ events }: Outcome): RuleId {
  for (const { type, data } of events) if (type === 'FrontendModelRuleAdded') return data.rule.id;
  throw new Error('the mutation did not add a rule');
}

function writtenRule(state: ConfigState, id: RuleId) {
  const found = ruleWithId(state, id);
  if (found === null) throw new Error(`rule ${id} is missing after it was written`);
  return found;
}
