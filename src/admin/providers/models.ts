// Provider models (specification, "Models, backends, providers"). Also under /admin/models, by the table of aliases.

import { z } from 'zod';

import { listModels, models } from '../../../projections/tables/models.ts';
import { modelFields } from '../../fields/model.ts';
import { shapeOf } from '../../fields/schemas.ts';
import { camelKeys } from '../../lib/case.ts';
import { descriptionField, modelNameField, upstreamModelField } from '../../lib/fields.ts';
import { modelId, providerId } from '../../lib/ids.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import { deletedRecord, idIn } from '../http/fields.ts';
import {
  modelRecord,
  modelRecordIn,
  modelRowIn,
  modelRowsIn,
  toModelRecord,
  withClosed,
} from './model-record.ts';
import { idOf, mutate } from '../http/mutation.ts';
import { byName } from '../lists/page.ts';
import { readRoutes } from '../lists/records.ts';
import { none, route } from '../http/route.ts';

const settable = { description: descriptionField.optional(), ...shapeOf(modelFields, 'input') };
const creation = z.strictObject({
  name: modelNameField,
  ...settable,
  /** With it the model has a backend from the beginning. */
  provider_id: providerId.optional(),
  /** The model's own name when absent. */
  upstream_model: upstreamModelField.optional(),
});
const change = z.strictObject({ name: modelNameField.optional(), ...settable });

const params = idIn(modelId);
const config = { permission: 'config:write', query: none } as const;

export const modelRoutes = [
  ...readRoutes({
    noun: 'model',
    path: '/admin/provider-models',
    operations: ['listModels', 'getModel'],
    summaries: [
      'Every provider model with its provider; a model without one has no backends',
      'One provider model',
    ],
    id: modelId,
    record: modelRecord,
    order: byName,
    table: models,
    rows: async (db, page, state) => withClosed(state, await listModels(db, page)),
    rowIn: modelRowIn,
    rowsIn: modelRowsIn,
    toBody: (rows) => rows.map(toModelRecord),
  }),
  route({
    ...config,
    method: 'POST',
    path: '/admin/provider-models',
    operation: 'createModel',
    summary: 'Create a provider model, of a provider that stands or without one yet',
    refusals: ['conflict'],
    params: none,
    body: creation,
    response: modelRecord,
    handle: ({ body }, call) => {
      const backend = backendOf(body);
      if (isRefusal(backend)) return backend;
      return mutate(
        call,
        { command: { type: 'CreateModel', name: body.name, fields: camelKeys(body), backend } },
        (outcome) => modelRecordIn(outcome.state, idOf(outcome, 'ModelCreated')),
      );
    },
  }),
  route({
    ...config,
    method: 'PATCH',
    path: '/admin/provider-models/{id}',
    operation: 'updateModel',
    summary: 'Change a provider model; null clears a field',
    refusals: ['absent', 'conflict'],
    params,
    body: change,
    response: modelRecord,
    handle: ({ params: { id }, body }, call) =>
      mutate(call, { command: { type: 'UpdateModel', id, fields: camelKeys(body) } }, ({ state }) =>
        modelRecordIn(state, id),
      ),
  }),
  route({
    ...config,
    method: 'DELETE',
    path: '/admin/provider-models/{id}',
    operation: 'deleteModel',
    summary: 'Delete a provider model; its provider stays',
    refusals: ['absent'],
    params,
    body: none,
    response: deletedRecord,
    handle: ({ params: { id } }, call) =>
      mutate(call, { command: { type: 'DeleteModel', id } }, () => ({ id })),
  }),
] as const;

function backendOf({
  provider_id: provider,
  upstream_model: upstream,
}: Pick<z.output<typeof creation>, 'provider_id' | 'upstream_model'>) {
  if (provider !== undefined) return { providerId: provider, upstreamModel: upstream ?? null };
  if (upstream === undefined) return undefined;
  return refuse('invalid', `upstream_model ${upstream} needs a provider_id`, {
    param: 'upstream_model',
  });
}
