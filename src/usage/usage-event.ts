// A usage event as the gateway reports it and the control plane stores it: one a backend response
// or attributed refusal (specification, "Usage event"; what a past request needs to be explained
// travels with it). Never a prompt.

import { z } from 'zod';

import {
  apiKeyId,
  frontendModelId,
  modelId,
  principalId,
  promptClassId,
  providerId,
  ruleId,
} from '../lib/ids.ts';
import { isStorable } from '../lib/text.ts';
import { ruleInputs } from './rule-inputs.ts';

/** One text that cannot be stored would cost its whole batch. */
const text = z.string().max(2000).refine(isStorable);
const count = z.int().nonnegative().max(Number.MAX_SAFE_INTEGER);

/** As many as a row names; a rule has fewer conditions on headers. */
export const matchedHeadersMax = 64;

export const refusalReason = z.enum([
  'authorisation',
  'rate_limit',
  'budget',
  'no_backend',
  'backend_overloaded',
]);
export type RefusalReason = z.output<typeof refusalReason>;

/**
 * Fields that a newer proxy adds are left out, and those that an older one does not know have a
 * default: the two planes need not be of one release.
 */
/** An event as it travels. */
export const reportedEvent = z.object({
  /** ULID given by the gateway: a batch delivered twice counts once. */
  id: z.string().regex(/^[0-9A-HJKMNP-TV-Z]{26}$/),
  at: z.iso.datetime({ offset: true }),
  principal_id: principalId,
  key_id: apiKeyId.nullable(),
  /** The provider model that answered, or would have; null when no candidate was left. */
  model_id: modelId.nullable(),
  model: text.nullable(),
  provider_id: providerId.nullable(),
  /** The name that the caller asked for. */
  virtual_model: text,
  path: text,
  snapshot_version: count,
  /** The value of x-gw-route; null when refused before routing. */
  route: text.nullable(),
  tag: text.nullable(),
  /** What decided, so that a past request can be explained; absent from proxies that do not know them. */
  frontend_model_id: frontendModelId.nullable().default(null),
  rule_id: ruleId.nullable().default(null),
  /** Null when the prompt was not classified. */
  prompt_class_id: promptClassId.nullable().default(null),
  /** Of the caller's cap closest to its limit, as routing saw it; null without a budget. */
  budget_percent: count.nullable().default(null),
  /** Names of the headers that the deciding rule matched by; never a value. */
  matched_headers: z.array(text).max(matchedHeadersMax).readonly().default([]),
  /** What rules asked for beside all this; null where none did, and from proxies that do not report it. */
  rule_inputs: ruleInputs.nullable().default(null),
  stream: z.boolean(),
  /** The status that the client saw; null when the client left before there was one. */
  status: z.int().nullable(),
  refusal: refusalReason.nullable(),
  /** The reason, where `refusal` has one that an older control plane knows too. */
  refused_as: z.string().optional(),
  prompt_tokens: count,
  completion_tokens: count,
  /** False when the counts were not found: the row then prices to null. */
  usage_reported: z.boolean(),
  /** The counts are estimates: budgets are charged with them, and sums show them apart. False from older proxies. */
  usage_estimated: z.boolean().default(false),
  /** The provider's own figure, in micro-units; null when it gave none. */
  reported_cost_micros: count.nullable(),
  cached: z.boolean(),
  /** Whole-request latency and time to first byte, milliseconds. */
  duration_ms: count,
  ttft_ms: count.nullable(),
  attempts: count,
  prompt_estimate: count,
  max_tokens: count.nullable(),
});

export const usageEvent = reportedEvent.transform(({ refused_as, ...event }) => {
  const { success, data } = refusalReason.safeParse(refused_as);
  return success ? { ...event, refusal: data } : event;
});
export type UsageEvent = z.output<typeof usageEvent>;

export const usageBatchMax = 500;

/** Body of POST /usage. */
export const usageBatch = z.object({
  replica: z.string().min(1).max(200).default('unknown'),
  events: z.array(z.unknown()).max(usageBatchMax * 4),
});
export type UsageBatch = z.output<typeof usageBatch>;

/** What the budget of a principal was spent by, once the rows of a batch were counted. */
const countedBudget = z.object({
  principal_id: principalId,
  window_start: z.iso.datetime({ offset: true }),
  tokens_used: count,
  cost_used_micros: count,
});

/**
 * Answer of POST /usage: a record that names what no longer exists, or is malformed, is dropped
 * alone. `budgets` holds those of all principals of the batch; an older control plane leaves it out.
 */
export const usageReceipt = z.object({
  accepted: z.int(),
  dropped: z.int(),
  budgets: z.array(countedBudget).readonly(),
});
export type UsageReceipt = z.output<typeof usageReceipt>;
