// The model that every routing chain falls back to.

import { z } from 'zod';

import { readFallbackModel } from '../../projections/tables/settings.ts';
import { modelId } from '../lib/ids.ts';
import { answerRecord, asOfQuery } from './as-of.ts';
import { mutate } from './mutation.ts';
import { none, route } from './route.ts';

const fallbackRecord = z.object({ model_id: modelId.nullable(), model: z.string().nullable() });

export const fallbackModelRoutes = [
  route({
    method: 'GET',
    path: '/admin/fallback-model',
    operation: 'getFallbackModel',
    permission: 'usage:read',
    summary: 'The model that every routing chain falls back to',
    refusals: [],
    params: none,
    query: asOfQuery,
    body: none,
    response: fallbackRecord,
    handle: ({ query }, call) =>
      answerRecord(call, query, {
        now: async () => {
          const { id, name } = await readFallbackModel(call.control.db);
          return { model_id: id, model: name };
        },
        past: (state) => {
          const held = state.model.byId.get(state.settings.byId.get(1)?.fallbackModelId ?? 0);
          return { model_id: held?.id ?? null, model: held?.name ?? null };
        },
      }),
  }),
  route({
    method: 'PUT',
    path: '/admin/fallback-model',
    operation: 'setFallbackModel',
    permission: 'config:write',
    summary: 'Set the fallback model; null clears it',
    refusals: ['absent'],
    params: none,
    query: none,
    body: z.strictObject({ model_id: modelId.nullable() }),
    response: fallbackRecord,
    handle: ({ body }, call) =>
      mutate(
        call,
        { command: { type: 'SetFallbackModel', modelId: body.model_id } },
        ({ state }) => ({
          model_id: body.model_id,
          model: state.model.byId.get(body.model_id ?? 0)?.name ?? null,
        }),
      ),
  }),
] as const;
