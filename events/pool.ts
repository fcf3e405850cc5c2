// Defines the events of pools. A pool decides which of several provider models serves
// (specification, "Frontend model, rule, target, pool"). Members reference a model by id, and a
// deleted model by its last name.

import { z } from 'zod';

import { modelId, poolId, poolMemberId } from '../src/lib/ids.ts';
import { poolPolicy } from '../src/lib/vocabulary.ts';
import { setter } from './event.ts';
import type { EventDefinition, EventOf } from './event.ts';

/** Exactly one of `model_id` and `gone_model` is set. */
export const storedMember = z.object({
  id: poolMemberId,
  model_id: modelId.nullable(),
  gone_model: z.string().nullable(),
  /** 0 drains the member. */
  weight: z.int().nonnegative(),
  position: z.int().nonnegative(),
});
export type PoolMember = Readonly<z.output<typeof storedMember>>;

const id = poolId;
const policy = poolPolicy.nullable();

export const poolEvents = {
  PoolCreated: {
    touchesSnapshot: true,
    data: z.object({ id, name: z.string(), description: z.string().nullable(), policy }),
  },
  PoolRenamed: setter({ id, name: z.string() }),
  PoolDescribed: setter({ id, description: z.string().nullable() }, { touchesSnapshot: false }),
  PoolPolicySet: setter({ id, policy }),
  PoolMembersSet: setter({ id, members: z.array(storedMember).readonly() }),
  /** The provider model is being deleted. The member that used it keeps its name. */
  PoolMemberLost: {
    touchesSnapshot: true,
    data: z.object({ id, model_id: modelId, model: z.string() }),
  },
  /** A provider model with that name exists again. The member that kept the name now uses it. */
  PoolMemberFound: {
    touchesSnapshot: true,
    data: z.object({ id, model_id: modelId, model: z.string() }),
  },
  PoolDeleted: { touchesSnapshot: true, data: z.object({ id }) },
} as const satisfies Record<string, EventDefinition>;

export type PoolEvent = EventOf<typeof poolEvents>;
