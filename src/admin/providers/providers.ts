// Serves providers. An endpoint is contacted before it is stored (specification, "Provider creation
// rules").

import { z } from 'zod';

import type { ConfigState } from '../../../projections/config/state.ts';
import { listProviders } from '../../../projections/tables/providers.ts';
import type { ProviderRow } from '../../../projections/tables/providers.ts';
import { noProviderStatus, readProviderStatus } from '../../control/providers/provider-status.ts';
import { catalogueEntry, providerCatalogue } from '../../snapshot/provider-catalogue.ts';
import {
  availableModels,
  createProvider,
  updateProvider,
} from '../../control/providers/providers.ts';
import { credentialField, nameField } from '../../lib/fields.ts';
import { modelId, providerId } from '../../lib/ids.ts';
import { isRefusal } from '../../lib/refusal.ts';
import { providerKind } from '../../lib/vocabulary.ts';
import { idIn } from '../http/fields.ts';
import type { ProviderNeeds } from './needs.ts';
import { endpointFields } from './provider-input.ts';
import {
  providerRecord,
  providerRowIn,
  providerRowsIn,
  toProviderRecord,
} from './provider-record.ts';
import type { ProviderRecord } from './provider-record.ts';
import { byName } from '../lists/page.ts';
import { recordRoutes } from '../lists/changes.ts';
import { none, route } from '../http/route.ts';

const creation = z.strictObject({
  name: nameField.optional(),
  kind: providerKind.optional(),
  catalogue_key: z.string().max(100).optional(),
  ...endpointFields,
});

const change = z.strictObject({
  name: nameField.optional(),
  kind: providerKind.optional(),
  ...endpointFields,
  /** Null or an empty string removes it. */
  upstream_api_key: credentialField
    .nullable()
    .transform((key) => key ?? '')
    .optional(),
  keep_credential: z.boolean().default(false),
});

const availableModel = z.object({
  id: z.string(),
  context_length: z.int().nullable(),
  registered: z.boolean(),
  /** The model that is registered under this name. */
  model_id: modelId.nullable(),
});

const reading = {
  method: 'GET',
  permission: 'usage:read',
  query: none,
  body: none,
} as const;

export const providerRoutes = [
  ...recordRoutes({
    noun: 'provider',
    path: '/admin/providers',
    called: ['Provider', 'Providers'],
    summaries: {
      list: 'List providers, without their credentials',
      one: 'Get a provider, without its credential',
      create: 'Create a provider; it must respond with its model list',
      change: 'Update a provider; a new endpoint or credential must respond first',
      delete: 'Delete a provider that serves no models',
    },
    id: providerId,
    record: providerRecord,
    order: byName,
    rows: listProviders,
    rowIn: providerRowIn,
    rowsIn: providerRowsIn,
    toBody: (rows, needs: ProviderNeeds, past) => toRecords(needs, rows, past),
    create: {
      body: creation,
      event: 'ProviderCreated',
      mutation: (body, { config }, needs: ProviderNeeds) => createProvider(needs, config, body),
    },
    change: {
      body: change,
      mutation: (changed, { config }, needs: ProviderNeeds) =>
        updateProvider(needs, config, changed),
    },
    delete: {
      refusals: ['absent', 'conflict'],
      command: (id) => ({ type: 'DeleteProvider', id }),
    },
  }),
  route({
    ...reading,
    path: '/admin/provider-catalogue',
    operation: 'listProviderCatalogue',
    summary: 'List known providers as suggestions; others can be used too',
    refusals: [],
    params: none,
    response: z.array(catalogueEntry).readonly(),
    handle: () => ({ body: providerCatalogue }),
  }),
  route({
    ...reading,
    path: '/admin/providers/{id}/available-models',
    operation: 'listAvailableModels',
    summary: 'List the models that the provider serves now; registers nothing',
    refusals: ['absent', 'upstream'],
    params: idIn(providerId),
    response: z.array(availableModel),
    handle: async ({ params: { id } }, { config }, needs: ProviderNeeds) => {
      const models = await availableModels(needs, config, id);
      if (isRefusal(models)) return models;
      const body = models.map((one) => ({
        id: one.id,
        context_length: one.contextLength,
        registered: one.model !== null,
        model_id: one.model,
      }));
      return { body };
    },
  }),
] as const;

async function toRecords(
  { db }: ProviderNeeds,
  rows: readonly ProviderRow[],
  past: ConfigState | null,
): Promise<ProviderRecord[]> {
  const ids = rows.map(({ id }) => id);
  const status = past === null ? await readProviderStatus(db, ids) : noProviderStatus;
  return rows.map((row) => toProviderRecord(row, status));
}
