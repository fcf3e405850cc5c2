// Defines the bodies of `POST /limits/reconcile` (specification): a replica reports its demand and receives its share of
// each limit.

import { z } from 'zod';

import { principalId } from '../lib/ids.ts';

/** Principals per report. Others keep their current share until it expires. */
export const countsMax = 10_000;

const count = z.int().nonnegative().max(Number.MAX_SAFE_INTEGER);

/** Requests and tokens since the last report, including refused ones. */
export const reconcileReport = z.object({
  replica_id: z.string().min(1).max(200),
  counts: z
    .array(z.object({ principal_id: principalId, requests: count, tokens: count }))
    .max(countsMax),
});
export type ReconcileReport = z.output<typeof reconcileReport>;

const share = z.number().min(0).max(1);

/** For the reported principals and for those that only other replicas reported. */
export const reconcileAnswer = z.object({
  /**
   * Older proxies divide the limits of principals that are new to them by this number of replicas.
   */
  replicas: z.int().positive().default(1),
  allowances: z.array(
    z.object({ principal_id: principalId, requests_share: share, tokens_share: share }),
  ),
});
export type ReconcileAnswer = z.output<typeof reconcileAnswer>;
