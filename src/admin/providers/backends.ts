// Serves backends, which link a model to its provider and define its flow control (specification,
// "Provider model"). The id of a backend is that of its model.

import { z } from 'zod';

import { attachBackend } from '../../control/providers/backends.ts';
import { backendFields } from '../../fields/model.ts';
import { shapeOf } from '../../fields/schemas.ts';
import { tokensField } from '../../lib/amounts.ts';
import { upstreamModelField } from '../../lib/fields.ts';
import { modelId, providerId } from '../../lib/ids.ts';
import { idIn } from '../http/fields.ts';
import { backendRecord, backendRecordIn } from './model-record.ts';
import { mutate } from '../http/mutation.ts';
import type { ProviderNeeds } from './needs.ts';
import { endpointFields } from './provider-input.ts';
import { deleteRoute } from '../lists/changes.ts';
import { none, route } from '../http/route.ts';

const attachment = z.strictObject({
  provider_id: providerId.optional(),
  upstream_model: upstreamModelField.optional(),
  default_max_tokens: tokensField.nullable().default(null),
  ...endpointFields,
});

/** Null is the default. For concurrency, null disables the limit. */
const change = z.strictObject(shapeOf(backendFields, 'input'));

const params = idIn(modelId);
const config = { permission: 'config:write', query: none, params } as const;

export const backendRoutes = [
  route({
    ...config,
    method: 'POST',
    path: '/admin/provider-models/{id}/backends',
    operation: 'attachBackend',
    summary: 'Attach a model to an existing provider or to an endpoint',
    refusals: ['absent', 'conflict'],
    body: attachment,
    response: backendRecord,
    handle: async ({ params: { id }, body: given }, call, needs: ProviderNeeds) =>
      mutate(call, await attachBackend(needs, call.config, { id, given }), ({ state }) =>
        backendRecordIn(state, id),
      ),
  }),
  route({
    ...config,
    method: 'PATCH',
    path: '/admin/backends/{id}',
    operation: 'updateBackend',
    summary: 'Update the flow control of a backend and its default max_tokens; null resets a field',
    refusals: ['absent'],
    body: change,
    response: backendRecord,
    handle: ({ params: { id }, body }, call) => {
      const { default_max_tokens: defaultMaxTokens, ...flow } = body;
      const flowControl = Object.fromEntries(
        Object.entries(flow).filter(([, value]) => value !== undefined),
      );
      const command = { type: 'UpdateBackend', id, flowControl, defaultMaxTokens } as const;
      return mutate(call, { command }, ({ state }) => backendRecordIn(state, id));
    },
  }),
  deleteRoute({
    path: '/admin/backends/{id}',
    operation: 'detachBackend',
    summary: 'Detach a model from its provider; its price and usage are kept',
    id: modelId,
    command: (id) => ({ type: 'DetachBackend', id }),
  }),
] as const;
