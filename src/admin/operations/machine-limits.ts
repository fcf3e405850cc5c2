// Hands out rate limits and budgets to proxies (specification, "Control-plane protocol").

import { reconcileAnswer, reconcileReport } from '../../limits/reconciliation.ts';
import { isRefusal } from '../../lib/refusal.ts';
import type { MachineNeeds } from './needs.ts';
import { none, route } from '../http/route.ts';

/** Enough for the maximum number of principals, limits and budgets with the longest numbers. */
const reportBytesMax = 6 * 1024 * 1024;

export const machineLimitsRoutes = [
  route({
    method: 'POST',
    path: '/limits/reconcile',
    operation: 'reconcileLimits',
    permission: 'proxy_token',
    summary: 'Report what a replica needs of each rate limit and budget and get its allotments',
    refusals: ['too_many', 'conflict'],
    bodyBytesMax: reportBytesMax,
    params: none,
    query: none,
    body: reconcileReport,
    response: reconcileAnswer,
    handle: async ({ body }, _call, { reconcile }: MachineNeeds) => {
      const answer = await reconcile.take(body);
      return isRefusal(answer) ? answer : { body: answer };
    },
  }),
] as const;
