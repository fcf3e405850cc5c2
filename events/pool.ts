// Events of a pool, which decides which of several provider models serves (specification, "Frontend model, rule, target, pool").
// Members refer to a model by id; to one that is gone, by its last name.

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
  /** 0 is drained. */
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
  /** The whole list. */
  PoolMembersSet: setter({ id, members: z.array(storedMember).readonly() }),
  /** Its member on that provider model, which is being deleted, keeps the name. */
  PoolMemberLost: {
    touchesSnapshot: true,
    data: z.object({ id, model_id: modelId, model: z.string() }),
  },
  /** Its member that kept that name has found a provider model of it. */
  PoolMemberFound: {
    touchesSnapshot: true,
    data: z.object({ id, model_id: modelId, model: z.string() }),
  },
  PoolDeleted: { touchesSnapshot: true, data: z.object({ id }) },
} as const satisfies Record<string, EventDefinition>;

export type PoolEvent = EventOf<typeof poolEvents>;
