// Defines the result of a what-if: counts and costs of all requests and of groups, and the first
// changed requests.

import { z } from 'zod';

import { timestamp } from '../../src/lib/fields.ts';
import { changes } from './compare-request.ts';

const count = z.int().nonnegative();
/** Exact, in the quoted currency. */
const cost = z.string();

const counts = {
  requests: count,
  same: count,
  newly_denied: count,
  newly_allowed: count,
  rerouted: count,
  /** Requests whose rows lack the necessary facts. */
  not_told: count,
  /** Their cost is unknown on one side, so no sum includes them. */
  unpriced: count,
  cost_before: cost,
  cost_after: cost,
  cost_difference: cost,
};
const rest = z.object(counts).nullable();

/** Null if it depends on unrecorded facts. */
const destination = z
  .object({
    denied: z.object({ status: z.int(), message: z.string() }).nullable(),
    /** Null if several rules may decide. */
    route: z.string().nullable(),
    rule_id: z.int().nullable(),
    to: z.object({ kind: z.enum(['model', 'pool']), name: z.string() }).nullable(),
  })
  .nullable();

const place = z.object({ position: count, version: count });

export const whatIfSummary = z.object({
  window: z.object({ since: timestamp, until: timestamp }),
  /** Requests in the sampled part of the window. */
  recorded: count,
  has_older: z.boolean(),
  compared: count,
  /** Sampled, but not compared within the time limit. */
  not_reached: count,
  /** Sampled, but their rows do not name the version that served them. */
  without_version: count,
  total: z.object(counts),
  by_principal: z.object({
    first: z
      .array(z.object({ principal_id: z.int(), principal: z.string(), ...counts }))
      .readonly(),
    rest,
  }),
  /** By the requested name. */
  by_model: z.object({
    first: z.array(z.object({ model: z.string(), ...counts })).readonly(),
    rest,
  }),
  moves: z.object({
    first: z.array(z.object({ from: z.string(), to: z.string(), requests: count })).readonly(),
    rest: count,
  }),
  /**
   * For each unrecorded fact, the number of requests that depend on it: condition fields, and
   * `pool` for the chosen member.
   */
  not_told: z.object({
    first: z.array(z.object({ what: z.string(), requests: count })).readonly(),
    rest: count,
  }),
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
  /** The configuration to compare with. */
  base: place,
  /** Null for calls, which have no version yet. */
  proposed: place.nullable(),
});

export type WhatIfRecord = z.output<typeof whatIfRecord>;
