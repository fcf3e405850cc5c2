// Why a past request went where it went, by its usage row.

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
  /** The first to match in its frontend model. */
  decides: z.boolean(),
  /** The condition fields that the request did not meet. */
  failed: z.array(z.string()).readonly(),
  /** Those of which the row does not tell; then the verdict is that of the recorded decision. */
  unknown: z.array(z.string()).readonly(),
  /** Its destination was gone, or one jump too many away: then it was not asked. */
  jump_lost: z.boolean(),
});

const explainedCandidate = z.object({
  model_id: z.int(),
  model: z.string(),
  provider: name,
  /** The pool by which it came. */
  pool: name,
  pool_policy: poolPolicy.nullable(),
  weight: z.int().nullable(),
  fallback: z.boolean(),
  /** Null is a candidate. */
  dropped: z.enum(['not_granted', 'no_provider', 'listed_before']).nullable(),
  /** It goes behind those that fit. */
  window_too_small: z.boolean(),
  /** Micro-units, at the prices of the snapshot; null without one. */
  estimated_cost_micros: z.int().nullable(),
  /** It answered, or would have. */
  answered: z.boolean(),
});

const explanation = z.object({
  usage: usageRecord,
  snapshot_version: z.int(),
  /** The value of x-gw-route as it comes out again; null when the name is not known. */
  route: name,
  frontend_model: name,
  rule_id: z.int().nullable(),
  tag: name,
  denied: z.object({ status: z.int(), message: z.string() }).nullable(),
  /** Of each rule of the frontend models that the request passed through. */
  rules: z.array(explainedRule).readonly(),
  /** In the order of the configuration. */
  candidates: z.array(explainedCandidate).readonly(),
  /** What comes out again is what was recorded. */
  agrees: z.boolean(),
  differences: z.array(z.string()).readonly(),
  /** What could not be asked again, a sentence each. */
  not_recorded: z.array(z.string()).readonly(),
});

export const explainRoutes = [
  route({
    method: 'GET',
    path: '/admin/usage/{id}/explain',
    operation: 'explainUsage',
    permission: 'usage:read',
    summary: 'Why a past request went where it went: routed again on the snapshot that served it',
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
