// Providers: dialled before anything is stored (specification, "Provider creation rules").

import { z } from 'zod';

import type { Endpoint } from '../../../events/provider.ts';
import type { Provider } from '../../../projections/config/provider.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { listProviders, providers } from '../../../projections/tables/providers.ts';
import type { ProviderRow } from '../../../projections/tables/providers.ts';
import { completeEndpoint } from '../../control/providers/endpoint.ts';
import {
  catalogueEntry,
  findCatalogueEntry,
  providerCatalogue,
} from '../../snapshot/provider-catalogue.ts';
import { decide } from '../../deciders/decide.ts';
import { noProvider } from '../../deciders/provider.ts';
import { credentialField, nameField } from '../../lib/fields.ts';
import { modelId, providerId } from '../../lib/ids.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { providerKind } from '../../lib/vocabulary.ts';
import type { Control } from '../control.ts';
import { deletedRecord, idIn } from '../http/fields.ts';
import { idOf, mutate } from '../http/mutation.ts';
import { storedTarget, verify } from './provider-dial.ts';
import { endpointFields, vaultedCredential } from './provider-input.ts';
import {
  nothingBeside,
  providerRecord,
  providerRecordIn,
  providerRowIn,
  providerRowsIn,
  readBeside,
  toProviderRecord,
} from './provider-record.ts';
import type { ProviderRecord } from './provider-record.ts';
import { byName } from '../lists/page.ts';
import { readRoutes } from '../lists/records.ts';
import { none, route } from '../http/route.ts';
import type { Call, Handled } from '../http/route.ts';

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
  /** Null clears it, and so does the empty string. */
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
  /** The model that is registered for it. */
  model_id: modelId.nullable(),
});

const params = idIn(providerId);
const config = { permission: 'config:write', query: none } as const;
const reading = {
  method: 'GET',
  permission: 'usage:read',
  query: none,
  body: none,
} as const;

export const providerRoutes = [
  ...readRoutes({
    noun: 'provider',
    path: '/admin/providers',
    operations: ['listProviders', 'getProvider'],
    summaries: ['The providers, without their credentials', 'One provider, without its credential'],
    id: providerId,
    record: providerRecord,
    order: byName,
    table: providers,
    rows: listProviders,
    rowIn: providerRowIn,
    rowsIn: providerRowsIn,
    toBody: (rows, control, past) => toRecords(control, rows, past),
    absent: noProvider,
  }),
  route({
    ...config,
    method: 'POST',
    path: '/admin/providers',
    operation: 'createProvider',
    summary: 'Create a provider, once it has answered with its model list',
    refusals: ['conflict'],
    params: none,
    body: creation,
    response: providerRecord,
    handle: ({ body }, call) => createProvider(body, call),
  }),
  route({
    ...config,
    method: 'PATCH',
    path: '/admin/providers/{id}',
    operation: 'updateProvider',
    summary: 'Change a provider; a new endpoint or credential must answer first',
    refusals: ['absent', 'conflict'],
    params,
    body: change,
    response: providerRecord,
    handle: async ({ params: { id }, body }, call) => {
      await call.control.refresh();
      const provider = call.control.state().provider.byId.get(id);
      return provider === undefined ? noProvider(id) : updateProvider(provider, body, call);
    },
  }),
  route({
    ...config,
    method: 'DELETE',
    path: '/admin/providers/{id}',
    operation: 'deleteProvider',
    summary: 'Delete a provider that serves no models',
    refusals: ['absent', 'conflict'],
    params,
    body: none,
    response: deletedRecord,
    handle: ({ params: { id } }, call) =>
      mutate(call, { command: { type: 'DeleteProvider', id } }, () => ({ id })),
  }),
  route({
    ...reading,
    path: '/admin/provider-catalogue',
    operation: 'listProviderCatalogue',
    summary: 'Known providers; a convenience, never a limit',
    refusals: [],
    params: none,
    response: z.array(catalogueEntry).readonly(),
    handle: () => ({ body: providerCatalogue }),
  }),
  route({
    ...reading,
    path: '/admin/providers/{id}/available-models',
    operation: 'listAvailableModels',
    summary: 'What the provider serves now; nothing is registered by asking',
    refusals: ['absent', 'upstream'],
    params,
    response: z.array(availableModel),
    handle: async ({ params: { id } }, { control }) => {
      await control.refresh();
      const provider = control.state().provider.byId.get(id);
      return provider === undefined ? noProvider(id) : availableModels(provider, control);
    },
  }),
] as const;

async function toRecords(
  { db }: Pick<Control, 'db'>,
  rows: readonly ProviderRow[],
  past: ConfigState | null,
): Promise<ProviderRecord[]> {
  const ids = rows.map(({ id }) => id);
  const beside = past === null ? await readBeside(db, ids) : nothingBeside;
  return rows.map((row) => toProviderRecord(row, beside));
}

async function createProvider(
  body: z.output<typeof creation>,
  call: Call,
): Promise<Handled<ProviderRecord>> {
  const { control } = call;
  const key = body.catalogue_key ?? null;
  const entry = key === null ? null : findCatalogueEntry(key);
  if (key !== null && entry === null) {
    return refuse('invalid', `catalogue_key ${key} is not in the catalogue`, {
      param: 'catalogue_key',
    });
  }
  const endpoint = completeEndpoint(body, entry);
  if (isRefusal(endpoint)) return endpoint;
  const credentialKind = body.credential_kind ?? entry?.credential_kinds[0] ?? 'static';
  const credential = vaultedCredential(control, { ...body, kind: credentialKind });
  if (isRefusal(credential)) return credential;
  const kind = body.kind ?? (entry === null ? 'static' : 'cloud');
  const command = {
    type: 'CreateProvider',
    name: body.name ?? null,
    // Of an engine of one's own the catalogue only knows what it is, not which one.
    defaultName:
      entry !== null && kind === 'cloud' ? entry.display_name : new URL(endpoint.api_base).host,
    kind,
    catalogueKey: key,
    endpoint,
    credential: credential?.stored ?? null,
  } as const;
  // What the rules refuse anyway need not be dialled.
  await control.refresh();
  const decision = decide(control.state(), command);
  if (isRefusal(decision)) return decision;
  const refusal = await verify(control, {
    endpoint,
    credential:
      credential === null
        ? null
        : { kind: credential.stored.kind, plaintext: credential.plaintext },
    catalogueKey: key,
  });
  if (refusal !== null) return refusal;
  const secrets = credential === null ? [] : [credential.secret];
  return mutate(call, { command, secrets }, (outcome, tx) =>
    providerRecordIn({ state: outcome.state, tx }, idOf(outcome, 'ProviderCreated')),
  );
}

async function updateProvider(
  provider: Provider,
  body: z.output<typeof change>,
  call: Call,
): Promise<Handled<ProviderRecord>> {
  const { control } = call;
  const endpoint = changedEndpoint(provider, body);
  if (isRefusal(endpoint)) return endpoint;
  const heldKind = provider.credential?.kind ?? 'static';
  const kind = body.credential_kind ?? heldKind;
  if (body.upstream_api_key === undefined && kind !== heldKind) {
    return refuse('invalid', 'credential_kind changes only together with upstream_api_key', {
      param: 'credential_kind',
    });
  }
  const credential =
    body.upstream_api_key === undefined ? null : vaultedCredential(control, { ...body, kind });
  if (isRefusal(credential)) return credential;
  const command = {
    type: 'UpdateProvider',
    id: provider.id,
    name: body.name,
    kind: body.kind,
    endpoint,
    credential: body.upstream_api_key === undefined ? undefined : (credential?.stored ?? null),
    keepCredential: body.keep_credential,
    // Others may change it while it is dialled.
    from: endpoint === undefined && body.upstream_api_key === undefined ? undefined : provider,
  } as const;
  // Before the dial: the rules may forbid to send the stored credential there.
  const decision = decide(control.state(), command);
  if (isRefusal(decision)) return decision;
  if (endpoint !== undefined || credential !== null) {
    const held =
      body.upstream_api_key === undefined
        ? (await storedTarget(control, provider)).credential
        : credential;
    const refusal = await verify(control, {
      endpoint: endpoint ?? provider.endpoint,
      credential: held === null ? null : { kind, plaintext: held.plaintext },
      catalogueKey: provider.catalogueKey,
    });
    if (refusal !== null) return refusal;
  }
  const secrets = credential === null ? [] : [credential.secret];
  return mutate(call, { command, secrets }, ({ state }, tx) =>
    providerRecordIn({ state, tx }, provider.id),
  );
}

/** Undefined when nothing was sent that the endpoint depends on. */
function changedEndpoint(
  { endpoint, credential }: Provider,
  body: z.output<typeof change>,
): Endpoint | Refusal | undefined {
  const { api_base, protocol, auth_header, auth_scheme, credential_kind } = body;
  const given = [api_base, protocol, auth_header, auth_scheme, credential_kind];
  if (given.every((field) => field === undefined)) return undefined;
  return completeEndpoint(body, {
    ...endpoint,
    credential_kinds: [credential?.kind ?? 'static'],
  });
}

async function availableModels(
  provider: Provider,
  control: Control,
): Promise<Handled<z.input<typeof availableModel>[]>> {
  const served = await control.dial(await storedTarget(control, provider));
  if (isRefusal(served)) return served;
  const models = [...control.state().model.byId.values()].filter(
    ({ backend }) => backend?.providerId === provider.id,
  );
  const registered = new Map(models.map(({ id, backend }) => [backend?.upstreamModel, id]));
  const body = served.map(({ id, contextLength }) => ({
    id,
    context_length: contextLength,
    registered: registered.has(id),
    model_id: registered.get(id) ?? null,
  }));
  return { body };
}
