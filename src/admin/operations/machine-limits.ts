// Divides rate limits among proxies (specification, "Control-plane protocol").

import { reconcileAnswer, reconcileReport } from '../../limits/reconciliation.ts';
import { isRefusal } from '../../lib/refusal.ts';
import type { MachineNeeds } from './needs.ts';
import { none, route } from '../http/route.ts';

/** Enough for the maximum number of principals with the longest counts. */
const reportBytesMax = 2 * 1024 * 1024;

export const machineLimitsRoutes = [
  route({
    method: 'POST',
    path: '/limits/reconcile',
    operation: 'reconcileLimits',
    permission: 'proxy_token',
    summary: 'Report the demand of a replica and get its share of each limit until the next report',
    refusals: ['too_many'],
    bodyBytesMax: reportBytesMax,
    params: none,
    query: none,
    body: reconcileReport,
    response: reconcileAnswer,
    handle: ({ body }, _call, { reconcile }: MachineNeeds) => {
      const answer = reconcile(body);
      return isRefusal(answer) ? answer : { body: answer };
    },
  }),
] as const;
