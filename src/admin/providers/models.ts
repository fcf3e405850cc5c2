// Serves provider models (specification, "Models, backends, providers"), also under /admin/models.

import { z } from 'zod';

import { listModels } from '../../../projections/tables/models.ts';
import { modelFields } from '../../fields/model.ts';
import { shapeOf } from '../../fields/schemas.ts';
import { camelKeys } from '../../lib/case.ts';
import { descriptionField, modelNameField, upstreamModelField } from '../../lib/fields.ts';
import { modelId, providerId } from '../../lib/ids.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import { modelRecord, modelRowIn, modelRowsIn, toModelRecord, withClosed } from './model-record.ts';
import { byName } from '../lists/page.ts';
import { recordRoutes } from '../lists/changes.ts';

const settable = { description: descriptionField.optional(), ...shapeOf(modelFields, 'input') };
const creation = z.strictObject({
  name: modelNameField,
  ...settable,
  /** If given, the model is created with a backend. */
  provider_id: providerId.optional(),
  /** Defaults to the name of the model. */
  upstream_model: upstreamModelField.optional(),
});
const change = z.strictObject({ name: modelNameField.optional(), ...settable });

export const modelRoutes = [
  ...recordRoutes({
    noun: 'model',
    path: '/admin/provider-models',
    called: ['Model', 'Models'],
    summaries: {
      list: 'List provider models with their providers; a model without one has no backends',
      one: 'Get a provider model',
      create: 'Create a provider model, with or without an existing provider',
      change: 'Update a provider model; null clears a field',
      delete: 'Delete a provider model; its provider is kept',
    },
    id: modelId,
    record: modelRecord,
    order: byName,
    rows: async (db, page, state) => withClosed(state, await listModels(db, page)),
    rowIn: modelRowIn,
    rowsIn: modelRowsIn,
    toBody: (rows) => rows.map(toModelRecord),
    create: {
      body: creation,
      event: 'ModelCreated',
      mutation: (body) => {
        const backend = backendOf(body);
        if (isRefusal(backend)) return backend;
        const { name } = body;
        return { command: { type: 'CreateModel', name, fields: camelKeys(body), backend } };
      },
    },
    change: {
      body: change,
      mutation: ({ id, given }) => ({
        command: { type: 'UpdateModel', id, fields: camelKeys(given) },
      }),
    },
    delete: { command: (id) => ({ type: 'DeleteModel', id }) },
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
