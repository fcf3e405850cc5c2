// Events of a provider model and of its backend, the link to its one provider.

import { z } from 'zod';

import { modelId, principalId, providerId } from '../src/lib/ids.ts';
import { setter } from './event.ts';
import type { EventDefinition, EventOf } from './event.ts';

/** Flow-control fields of the specification; null is the default (for the concurrency: the gate is off). */
export const flowControl = z.object({
  admission_max_concurrent: z.int().positive().nullable(),
  admission_high_water: z.int().positive().nullable(),
  admission_max_queued: z.int().nonnegative().nullable(),
  admission_max_wait_seconds: z.int().nonnegative().nullable(),
  upstream_timeout_seconds: z.int().positive().nullable(),
});
export type FlowControl = z.output<typeof flowControl>;

const price = z.int().nonnegative().nullable();

export const modelEvents = {
  ModelCreated: {
    touchesSnapshot: true,
    data: z.object({ id: modelId, name: z.string(), description: z.string().nullable() }),
  },
  /** It was made for what a provider serves that this principal's agent registered. */
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
  ModelPriced: setter(
    { id: modelId, input_price_per_mtok: price, output_price_per_mtok: price },
    { change: 'prices' },
  ),
  ModelCacheTtlSet: setter({ id: modelId, cache_ttl_seconds: z.int().positive().nullable() }),
  ModelContextLengthSet: setter({ id: modelId, context_length: z.int().positive().nullable() }),
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
