// The bodies of `POST /limits/reconcile` (specification): a replica reports the demand that it saw, and is answered its share of each
// limit.

import { z } from 'zod';

import { principalId } from '../lib/ids.ts';

/** Principals of one report; those beyond keep the share that they have, until it ends. */
export const countsMax = 10_000;

const count = z.int().nonnegative().max(Number.MAX_SAFE_INTEGER);

/** Requests and tokens asked for since the last report, whether or not they were let through. */
export const reconcileReport = z.object({
  replica_id: z.string().min(1).max(200),
  counts: z
    .array(z.object({ principal_id: principalId, requests: count, tokens: count }))
    .max(countsMax),
});
export type ReconcileReport = z.output<typeof reconcileReport>;

const share = z.number().min(0).max(1);

/** Parts of the configured limits: of the principals that were reported, and of those that only other replicas reported. */
export const reconcileAnswer = z.object({
  /** How many replicas report. Older proxies divide the limits of principals that are new to them by it. */
  replicas: z.int().positive().default(1),
  allowances: z.array(
    z.object({ principal_id: principalId, requests_share: share, tokens_share: share }),
  ),
});
export type ReconcileAnswer = z.output<typeof reconcileAnswer>;
