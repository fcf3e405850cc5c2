// What a what-if answers: counts and costs of all requests and of groups of them, and the first ones that changed.

import { z } from 'zod';

import { timestamp } from '../../src/lib/fields.ts';
import { changes } from './otherwise.ts';

const count = z.int().nonnegative();
/** Exact, in the quoted currency. */
const cost = z.string();

const counts = {
  requests: count,
  same: count,
  newly_denied: count,
  newly_allowed: count,
  rerouted: count,
  /** Their rows do not tell enough. */
  not_told: count,
  /** In no sum: their cost is not known on one side. */
  unpriced: count,
  cost_before: cost,
  cost_after: cost,
  cost_difference: cost,
};
const rest = z.object(counts).nullable();

/** Null where it hangs on what is not told. */
const destination = z
  .object({
    denied: z.object({ status: z.int(), message: z.string() }).nullable(),
    /** The value of x-gw-route; null where several may decide. */
    route: z.string().nullable(),
    rule_id: z.int().nullable(),
    to: z.object({ kind: z.enum(['model', 'pool']), name: z.string() }).nullable(),
  })
  .nullable();

const place = z.object({ position: count, version: count });

export const whatIfSummary = z.object({
  window: z.object({ since: timestamp, until: timestamp }),
  /** Requests of the window that the compared ones were chosen from, and whether it has older ones, which none was chosen from. */
  recorded: count,
  has_older: z.boolean(),
  compared: count,
  /** Chosen, but time was up. */
  not_reached: count,
  /** Chosen, but their rows do not say which version served them. */
  without_version: count,
  total: z.object(counts),
  by_principal: z.object({
    first: z
      .array(z.object({ principal_id: z.int(), principal: z.string(), ...counts }))
      .readonly(),
    rest,
  }),
  /** By the name that was asked for. */
  by_model: z.object({
    first: z.array(z.object({ model: z.string(), ...counts })).readonly(),
    rest,
  }),
  moves: z.object({
    first: z.array(z.object({ from: z.string(), to: z.string(), requests: count })).readonly(),
    rest: count,
  }),
  /** What is not told of how many requests: condition fields, and `pool` for the member of one that is chosen. */
  not_told: z.object({
    first: z.array(z.object({ what: z.string(), requests: count })).readonly(),
    rest: count,
  }),
  /** The first ones that changed. */
  changed: z
    .array(
      z.object({
        usage_id: z.string(),
        at: timestamp,
        principal_id: z.int(),
        principal: z.string(),
        model: z.string(),
        change: z.enum(changes),
        before: destination,
        after: destination,
        cost_before_micros: z.int().nullable(),
        cost_after_micros: z.int().nullable(),
      }),
    )
    .readonly(),
});

export const whatIfRecord = whatIfSummary.extend({
  /** What the proposal is compared with. */
  base: place,
  /** Null for calls: they are no version yet. */
  proposed: place.nullable(),
});

export type WhatIfRecord = z.output<typeof whatIfRecord>;
