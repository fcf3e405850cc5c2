// Defines the bodies of `POST /limits/reconcile` (specification): a replica says what it needs of
// each limit and budget, and receives its allotments. Older replicas report demand and receive
// shares.

import { z } from 'zod';

import { principalId } from '../lib/ids.ts';

/** Principals, limits or budgets per report. */
export const countsMax = 10_000;

const count = z.int().nonnegative().max(Number.MAX_SAFE_INTEGER);

/** A client can ask for any number of tokens, but sums of reported amounts must be exact. */
const amountMax = 2 ** 48;

/** The same ask with amounts that a report may contain. */
export const reportable = <Asked extends Readonly<{ keeps: number; wants: number; unit: number }>>(
  ask: Asked,
): Asked => ({
  ...ask,
  keeps: Math.min(amountMax, ask.keeps),
  wants: Math.min(amountMax, ask.wants),
  unit: Math.min(amountMax, ask.unit),
});

export const dimensions = ['requests', 'tokens'] as const;
export type Dimension = (typeof dimensions)[number];

/** A limit in a minute, counted from 1970 by the clock of the database. */
const place = { principal_id: principalId, dimension: z.enum(dimensions), minute: count } as const;

/** See `Ask` in allotment.ts. */
const ask = z.object({ ...place, keeps: count, wants: count, unit: count });
export type LimitAsk = Readonly<z.output<typeof ask>>;

export const budgetDimensions = ['tokens', 'micros'] as const;
export type BudgetDimension = (typeof budgetDimensions)[number];

/** A cap of a budget, in tokens or in micro-units of the default currency. */
const budgetPlace = { principal_id: principalId, dimension: z.enum(budgetDimensions) } as const;

/** See `BudgetAsk` in budget-allotment.ts. */
const spendAsk = z.object({
  ...budgetPlace,
  keeps: count,
  spare: count,
  wants: count,
  unit: count,
});
export type SpendAsk = Readonly<z.output<typeof spendAsk>>;

export const reconcileReport = z.object({
  /** Unique for each process. */
  replica_id: z.string().min(1).max(200),
  /** Requests and tokens since the last report, including refused ones. For older control planes. */
  counts: z
    .array(z.object({ principal_id: principalId, requests: count, tokens: count }))
    .max(countsMax),
  /** Older replicas do not send it. */
  asks: z
    .object({
      /** Ascending. A report that is not newer than another one is ignored. */
      sequence: count,
      limits: z.array(ask).max(countsMax),
      /** The number of replicas in the last answer. Absent before the first one. */
      replicas: count.optional(),
      /** Replicas that cannot use allotments of budgets do not send it. */
      budgets: z.array(spendAsk).max(countsMax).optional(),
      /** True for the last report: the replica has stopped, and keeps only what it reports. */
      leaves: z.boolean().optional(),
    })
    .optional(),
});
export type ReconcileReport = z.output<typeof reconcileReport>;

const share = z.number().min(0).max(1);
const startShare = z.int().min(0).max(10_000);

const budgetAllotments = z.object({
  /** The replicas that may have allotments, including this one. */
  replicas: z.int().positive(),
  /** The amounts that the replica may spend, with all that was not counted when it asked. */
  amounts: z.array(z.object({ ...budgetPlace, amount: count })),
  /** Budgets that others need more of: the replica must keep only what it needs. */
  short: z.array(z.object(budgetPlace)),
});
export type BudgetAllotments = Readonly<z.output<typeof budgetAllotments>>;

const allotments = z.object({
  minute: count,
  /** The rest of the minute. */
  ends_in_ms: z.int(),
  /** The part of every limit, in ten-thousandths, that the replica may use without an allotment. */
  start_share: startShare,
  /** In the next minute. Null until shortly before it. */
  next_start_share: startShare.nullable(),
  /** The whole amounts that the replica may use in the minute. */
  limits: z.array(z.object({ ...place, amount: count })),
  /** Limits that others need more of: the replica must declare what it keeps of them. */
  short: z.array(z.object(place)),
  /** Absent if the replica did not ask for budgets, and from older control planes. */
  budgets: budgetAllotments.optional(),
});
export type Allotments = Readonly<z.output<typeof allotments>>;

export const reconcileAnswer = z.object({
  /** Older proxies enforce this share of the limits of these principals. */
  replicas: z.int().positive().default(1),
  allowances: z.array(
    z.object({ principal_id: principalId, requests_share: share, tokens_share: share }),
  ),
  /** Absent for older replicas, and from older control planes. */
  allotments: allotments.optional(),
});
export type ReconcileAnswer = z.output<typeof reconcileAnswer>;
