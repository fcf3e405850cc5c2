// Defines the events of provider models and of their backends. A backend links a model to its one
// provider.

import { z } from 'zod';

import { flowFields, modelFields } from '../src/fields/model.ts';
import { settersFor, shapeOf } from '../src/fields/schemas.ts';
import { modelId, principalId, providerId } from '../src/lib/ids.ts';
import { setter } from './event.ts';
import type { EventDefinition, EventOf } from './event.ts';

/** Null means the default; for the concurrency, it turns flow control off. */
export const flowControl = z.object(shapeOf(flowFields, 'stored'));
export type FlowControl = z.output<typeof flowControl>;

export const modelEvents = {
  ModelCreated: {
    touchesSnapshot: true,
    data: z.object({ id: modelId, name: z.string(), description: z.string().nullable() }),
  },
  /** An agent of this principal registered a provider that serves the model. */
  ModelLearned: {
    change: null,
    touchesSnapshot: false,
    data: z.object({ id: modelId, principal_id: principalId }),
  },
  ModelRenamed: setter({ id: modelId, name: z.string() }),
  ModelDescribed: setter(
    { id: modelId, description: z.string().nullable() },
    { touchesSnapshot: false },
  ),
  ...settersFor(modelFields, modelId),
  ModelBackendAttached: {
    touchesSnapshot: true,
    data: z.object({
      id: modelId,
      provider_id: providerId,
      upstream_model: z.string(),
      default_max_tokens: z.int().positive().nullable(),
    }),
  },
  ModelDefaultMaxTokensSet: {
    touchesSnapshot: true,
    data: z.object({ id: modelId, default_max_tokens: z.int().positive().nullable() }),
  },
  ModelBackendDetached: { touchesSnapshot: true, data: z.object({ id: modelId }) },
  ModelFlowControlSet: setter({ id: modelId, flow_control: flowControl }),
  ModelDeleted: { touchesSnapshot: true, data: z.object({ id: modelId }) },
} as const satisfies Record<string, EventDefinition>;

export type ModelEvent = EventOf<typeof modelEvents>;
