// Counts recent requests by the way that they took, for a picture of the routing.

import { z } from 'zod';

import { flowsOf } from '../../control/usage/usage-reports.ts';
import { timestamp, timestampField } from '../../lib/fields.ts';
import { isRefusal } from '../../lib/refusal.ts';
import type { UsageNeeds } from './needs.ts';
import { none, route } from '../http/route.ts';

const hourMs = 3_600_000;

const flowRecord = z.object({
  /** The frontend model that decided. Null if a provider model was named. */
  frontend_model_id: z.int().nullable(),
  /** Null if no rule matched. */
  rule_id: z.int().nullable(),
  /** Null if no model was reached. */
  model_id: z.int().nullable(),
  provider_id: z.int().nullable(),
  requests: z.int(),
  /** Failed at the provider, or no backend could take them. */
  failed: z.int(),
});

export const usageFlowRoutes = [
  route({
    method: 'GET',
    path: '/admin/usage/flows',
    operation: 'getUsageFlows',
    permission: 'usage:read',
    summary: 'Count the newest requests by frontend model, rule, model and provider',
    parameters: {
      since: 'Only requests at or after this time. Default: an hour before `until`.',
      until: 'Only requests before this time. Default: now.',
    },
    refusals: [],
    params: none,
    query: z.strictObject({ since: timestampField.optional(), until: timestampField.optional() }),
    body: none,
    response: z.object({
      /** Later than requested if the range has more rows than are counted. */
      since: timestamp,
      until: timestamp,
      flows: z.array(flowRecord).readonly(),
    }),
    handle: async ({ query }, _call, { reads, clock }: UsageNeeds) => {
      const untilMs = query.until === undefined ? clock() : Date.parse(query.until);
      const sinceMs = query.since === undefined ? untilMs - hourMs : Date.parse(query.since);
      const found = await reads((db) => flowsOf(db, { sinceMs, untilMs }));
      return isRefusal(found) ? found : { body: found };
    },
  }),
] as const;
