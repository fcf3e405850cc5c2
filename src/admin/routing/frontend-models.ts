// Frontend models and their default targets (specification, "Frontend models, routing, classes"). Also under
// /admin/virtual-models, by the table of aliases. Their rules are in rules.ts.

import { z } from 'zod';

import { frontendModels, listFrontendModels } from '../../../projections/tables/frontend-models.ts';
import { noFrontendModel } from '../../deciders/rule.ts';
import { tokensField } from '../../lib/amounts.ts';
import { descriptionField, modelNameField } from '../../lib/fields.ts';
import { frontendModelId, targetId } from '../../lib/ids.ts';
import { deletedRecord, idIn } from '../http/fields.ts';
import {
  frontendModelRecord,
  frontendModelRecordIn,
  frontendModelRowIn,
  toFrontendModelRecord,
} from './frontend-model-record.ts';
import { idOf, mutate, written } from '../http/mutation.ts';
import { byName } from '../lists/page.ts';
import { readRoutes } from '../lists/records.ts';
import { none, route } from '../http/route.ts';
import { rulesField, targetField, targetsField, toListedRules } from './rule-input.ts';
import { newTargetIn, targetRecord } from './rule-record.ts';

const maxModelLen = tokensField.nullable();

const creation = z.strictObject({
  name: modelNameField,
  description: descriptionField.default(null),
  max_model_len: maxModelLen.default(null),
  rules: rulesField.default([]),
  default_targets: targetsField.default([]),
});
const change = z.strictObject({
  name: modelNameField.optional(),
  description: descriptionField.optional(),
  max_model_len: maxModelLen.optional(),
  default_targets: targetsField.optional(),
});

const params = idIn(frontendModelId);
const config = { permission: 'config:write', query: none } as const;

export const frontendModelRoutes = [
  ...readRoutes({
    noun: 'frontend_model',
    path: '/admin/frontend-models',
    operations: ['listFrontendModels', 'getFrontendModel'],
    summaries: [
      'Every frontend model with its rules in the order of evaluation, and its defaults',
      'One frontend model',
    ],
    id: frontendModelId,
    record: frontendModelRecord,
    order: byName,
    table: frontendModels,
    rows: listFrontendModels,
    rowIn: frontendModelRowIn,
    toBody: (rows) => rows.map(toFrontendModelRecord),
    absent: noFrontendModel,
  }),
  route({
    ...config,
    method: 'POST',
    path: '/admin/frontend-models',
    operation: 'createFrontendModel',
    summary: 'Create a frontend model, with its rules and defaults or without any yet',
    refusals: ['conflict'],
    params: none,
    body: creation,
    response: frontendModelRecord,
    handle: ({ body }, call) => {
      const command = {
        type: 'CreateFrontendModel',
        name: body.name,
        description: body.description,
        maxModelLen: body.max_model_len,
        rules: toListedRules(body.rules),
        defaultTargets: body.default_targets,
      } as const;
      return mutate(call, { command }, (outcome) =>
        frontendModelRecordIn(outcome.state, idOf(outcome, 'FrontendModelCreated')),
      );
    },
  }),
  route({
    ...config,
    method: 'PATCH',
    path: '/admin/frontend-models/{id}',
    operation: 'updateFrontendModel',
    summary: 'Change a frontend model; null clears a field, default_targets is the whole list',
    refusals: ['absent', 'conflict'],
    params,
    body: change,
    response: frontendModelRecord,
    handle: ({ params: { id }, body }, call) => {
      const fields = {
        name: body.name,
        description: body.description,
        maxModelLen: body.max_model_len,
        defaultTargets: body.default_targets,
      };
      return mutate(call, { command: { type: 'UpdateFrontendModel', id, fields } }, ({ state }) =>
        frontendModelRecordIn(state, id),
      );
    },
  }),
  route({
    ...config,
    method: 'DELETE',
    path: '/admin/frontend-models/{id}',
    operation: 'deleteFrontendModel',
    summary: 'Delete a frontend model with its rules; a rule that jumps to it matches no more',
    refusals: ['absent'],
    params,
    body: none,
    response: deletedRecord,
    handle: ({ params: { id } }, call) =>
      mutate(call, { command: { type: 'DeleteFrontendModel', id } }, () => ({ id })),
  }),
  route({
    ...config,
    method: 'POST',
    path: '/admin/frontend-models/{id}/defaults',
    operation: 'addDefaultTarget',
    summary: 'Add a target for what no rule matches',
    refusals: ['absent', 'conflict'],
    params,
    body: targetField,
    response: targetRecord,
    handle: ({ params: { id }, body }, call) =>
      mutate(call, { command: { type: 'AddDefaultTarget', id, target: body } }, ({ state }) =>
        newTargetIn(state, written(state.frontend_model, id).defaultTargets),
      ),
  }),
  route({
    ...config,
    method: 'DELETE',
    path: '/admin/frontend-model-defaults/{id}',
    operation: 'removeDefaultTarget',
    summary: 'Remove a default target',
    refusals: ['absent'],
    params: idIn(targetId),
    body: none,
    response: deletedRecord,
    handle: ({ params: { id } }, call) =>
      mutate(call, { command: { type: 'RemoveDefaultTarget', id } }, () => ({ id })),
  }),
] as const;
