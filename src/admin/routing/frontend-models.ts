// Serves frontend models and their default targets (specification, "Frontend models, routing,
// classes"), also under /admin/virtual-models. Their rules are in rules.ts.

import { z } from 'zod';

import { camelKeys } from '../../lib/case.ts';
import { listFrontendModels } from '../../../projections/tables/frontend-models.ts';
import { tokensField } from '../../lib/amounts.ts';
import { descriptionField, modelNameField } from '../../lib/fields.ts';
import { frontendModelId, targetId } from '../../lib/ids.ts';
import { idIn } from '../http/fields.ts';
import {
  frontendModelRecord,
  frontendModelRowIn,
  toFrontendModelRecord,
} from './frontend-model-record.ts';
import { mutate, written } from '../http/mutation.ts';
import { byName } from '../lists/page.ts';
import { deleteRoute, recordRoutes } from '../lists/changes.ts';
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

const config = { permission: 'config:write', query: none } as const;

export const frontendModelRoutes = [
  ...recordRoutes({
    noun: 'frontend_model',
    path: '/admin/frontend-models',
    called: ['FrontendModel', 'FrontendModels'],
    summaries: {
      list: 'List frontend models with their rules, in evaluation order, and defaults',
      one: 'Get a frontend model',
      create: 'Create a frontend model, optionally with rules and defaults',
      change: 'Update a frontend model; null clears a field, default_targets replaces the list',
      delete: 'Delete a frontend model with its rules; rules that jump to it no longer match',
    },
    id: frontendModelId,
    record: frontendModelRecord,
    order: byName,
    rows: listFrontendModels,
    rowIn: frontendModelRowIn,
    toBody: (rows) => rows.map(toFrontendModelRecord),
    create: {
      body: creation,
      event: 'FrontendModelCreated',
      mutation: (body) => ({
        command: {
          type: 'CreateFrontendModel',
          ...camelKeys(body),
          rules: toListedRules(body.rules),
        },
      }),
    },
    change: {
      body: change,
      mutation: ({ id, given }) => ({
        command: { type: 'UpdateFrontendModel', id, fields: camelKeys(given) },
      }),
    },
    delete: { command: (id) => ({ type: 'DeleteFrontendModel', id }) },
  }),
  route({
    ...config,
    method: 'POST',
    path: '/admin/frontend-models/{id}/defaults',
    operation: 'addDefaultTarget',
    summary: 'Add a default target, used when no rule matches',
    refusals: ['absent', 'conflict'],
    params: idIn(frontendModelId),
    body: targetField,
    response: targetRecord,
    handle: ({ params: { id }, body }, call) =>
      mutate(call, { command: { type: 'AddDefaultTarget', id, target: body } }, ({ state }) =>
        newTargetIn(state, written(state.frontend_model, id).defaultTargets),
      ),
  }),
  deleteRoute({
    path: '/admin/frontend-model-defaults/{id}',
    operation: 'removeDefaultTarget',
    summary: 'Remove a default target',
    id: targetId,
    command: (id) => ({ type: 'RemoveDefaultTarget', id }),
  }),
] as const;
