// Explains from a usage row why a past request was routed as it was.

import { z } from 'zod';

import { explainUsage } from '../../control/history/explain.ts';
import { isRefusal } from '../../lib/refusal.ts';
import { poolPolicy, ruleAction } from '../../lib/vocabulary.ts';
import type { HistoryNeeds } from './needs.ts';
import { none, route } from '../http/route.ts';
import { toUsageRecord, ulid, usageRecord } from '../operations/usage-events.ts';

const name = z.string().nullable();
const count = z.int().nonnegative();

const explainedRule = z.object({
  frontend_model_id: z.int(),
  frontend_model: z.string(),
  rule_id: z.int(),
  rule_index: count,
  action: ruleAction,
  /** True for the first matching rule of its frontend model. */
  decides: z.boolean(),
  /** Condition fields that the request did not meet. */
  failed: z.array(z.string()).readonly(),
  /**
   * Condition fields that the usage row does not record. The recorded decision is used for them.
   */
  unknown: z.array(z.string()).readonly(),
  /**
   * The jump was skipped because its target was deleted or the maximum number of jumps was reached.
   */
  jump_lost: z.boolean(),
});

const explainedCandidate = z.object({
  model_id: z.int(),
  model: z.string(),
  provider: name,
  /** The pool of this candidate. */
  pool: name,
  pool_policy: poolPolicy.nullable(),
  weight: z.int().nullable(),
  fallback: z.boolean(),
  /** Null if the model is a candidate. */
  dropped: z.enum(['not_granted', 'no_provider', 'listed_before']).nullable(),
  /** True if it is tried after the candidates with a large enough window. */
  window_too_small: z.boolean(),
  /** Micro-units, at the prices of the snapshot. */
  estimated_cost_micros: z.int().nullable(),
  /** True if it answered, or would have. */
  answered: z.boolean(),
});

const explanation = z.object({
  usage: usageRecord,
  snapshot_version: z.int(),
  /** The recomputed x-gw-route. Null if the model name is unknown. */
  route: name,
  frontend_model: name,
  rule_id: z.int().nullable(),
  tag: name,
  denied: z.object({ status: z.int(), message: z.string() }).nullable(),
  /** Those of the frontend models that the request passed through. */
  rules: z.array(explainedRule).readonly(),
  candidates: z.array(explainedCandidate).readonly(),
  /** True if the recomputed result equals the recorded one. */
  agrees: z.boolean(),
  differences: z.array(z.string()).readonly(),
  not_recorded: z.array(z.string()).readonly(),
});

export const explainRoutes = [
  route({
    method: 'GET',
    path: '/admin/usage/{id}/explain',
    operation: 'explainUsage',
    permission: 'usage:read',
    summary: 'Explain the routing of a past request by routing it again on its snapshot',
    refusals: ['absent', 'conflict'],
    params: z.strictObject({ id: ulid }),
    query: none,
    body: none,
    response: explanation,
    handle: async (
      { params: { id } },
      { config: { past } },
      { reports: db, routed }: HistoryNeeds,
    ) => {
      const explained = await explainUsage({ db, past, routed }, id);
      if (isRefusal(explained)) return explained;
      return { body: { ...explained, usage: toUsageRecord(explained.usage) } };
    },
  }),
] as const;
