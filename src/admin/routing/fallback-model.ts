// Serves the model that every routing chain falls back to.

import { z } from 'zod';

import { readFallbackModel } from '../../../projections/tables/settings.ts';
import { modelId } from '../../lib/ids.ts';
import type { ModelId } from '../../lib/ids.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { answerRecord, asOfQuery } from '../http/as-of.ts';
import { mutate } from '../http/mutation.ts';
import type { RoutingNeeds } from './needs.ts';
import { none, route } from '../http/route.ts';

const fallbackRecord = z.object({
  model_id: modelId.nullable(),
  model: z.string().nullable(),
  /** Both are aliases for other clients. */
  id: modelId.nullable(),
  name: z.string().nullable(),
});

const toRecord = (held: Readonly<{ id: ModelId; name: string }> | undefined) => {
  const { id, name } = held ?? { id: null, name: null };
  return { model_id: id, model: name, id, name };
};

const fallbackChange = z.strictObject({
  model_id: modelId.nullable().optional(),
  /** Alias of model_id. One of the two is required. */
  provider_model_id: modelId.nullable().optional(),
});

function askedModel(body: z.output<typeof fallbackChange>): ModelId | null | Refusal {
  const { model_id: id, provider_model_id: same } = body;
  if (id !== undefined && same !== undefined) {
    const message = 'provider_model_id cannot be combined with model_id';
    return refuse('invalid', message, { param: 'provider_model_id' });
  }
  const asked = id === undefined ? same : id;
  return asked === undefined
    ? refuse('invalid', 'model_id: is required', { param: 'model_id' })
    : asked;
}

export const fallbackModelRoutes = [
  route({
    method: 'GET',
    path: '/admin/fallback-model',
    operation: 'getFallbackModel',
    permission: 'usage:read',
    summary: 'Get the fallback model of all routing chains',
    refusals: [],
    params: none,
    query: asOfQuery,
    body: none,
    response: fallbackRecord,
    handle: ({ query }, call, { db }: RoutingNeeds) =>
      answerRecord(call, query, {
        now: async () => {
          const { id, name } = await readFallbackModel(db);
          return toRecord(id === null || name === null ? undefined : { id, name });
        },
        past: ({ model, settings }) =>
          toRecord(model.byId.get(settings.byId.get(1)?.fallbackModelId ?? 0)),
      }),
  }),
  route({
    method: 'PUT',
    path: '/admin/fallback-model',
    operation: 'setFallbackModel',
    permission: 'config:write',
    summary: 'Set the fallback model; null removes it',
    refusals: ['absent'],
    params: none,
    query: none,
    body: fallbackChange,
    response: fallbackRecord,
    handle: ({ body }, call) => {
      const asked = askedModel(body);
      if (isRefusal(asked)) return asked;
      const command = { type: 'SetFallbackModel', modelId: asked } as const;
      return mutate(call, { command }, ({ state }) => toRecord(state.model.byId.get(asked ?? 0)));
    },
  }),
] as const;
