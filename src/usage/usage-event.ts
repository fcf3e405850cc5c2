// The usage event that the gateway reports and the control plane stores: one per backend response or attributed refusal
// (specification, "Usage event"). It includes what is needed to explain a past request, and never the prompt.

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
import { membersOf, reportedNameMax, tokenParts, toolsMax } from './counts.ts';
import { batchSender, ulidPattern } from './row-number.ts';
import { ruleInputs } from './rule-inputs.ts';

/** Text that cannot be stored would fail its whole batch. */
const text = z.string().max(2000).refine(isStorable);
const count = z.int().nonnegative().max(Number.MAX_SAFE_INTEGER);

const reportedName = z.string().max(reportedNameMax).refine(isStorable);
export const toolCalls = z
  .record(reportedName, count)
  .refine((calls) => Object.keys(calls).length <= toolsMax);

/** The parts of the two totals. Older proxies do not send them. */
const parts = membersOf(
  tokenParts.map(({ name }) => name),
  count.nullable().default(null),
);

/** The maximum number of header names in a row. A rule has fewer header conditions. */
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
 * An event on the wire. Unknown fields of newer proxies are ignored, and fields that older proxies do not send have
 * defaults, because the two planes can run different releases.
 */
export const reportedEvent = z.object({
  /** A ULID that the gateway assigns. A batch that is delivered twice counts once. */
  id: z.string().regex(ulidPattern),
  at: z.iso.datetime({ offset: true }),
  principal_id: principalId,
  key_id: apiKeyId.nullable(),
  /** The provider model that answered or, if none did, the first candidate. Null when there was no candidate. */
  model_id: modelId.nullable(),
  model: text.nullable(),
  provider_id: providerId.nullable(),
  /** The model name in the request. */
  virtual_model: text,
  path: text,
  snapshot_version: count,
  /** The value of x-gw-route. Null when the request was refused before routing. */
  route: text.nullable(),
  tag: text.nullable(),
  /** The decision, so that a past request can be explained. Older proxies do not send these fields. */
  frontend_model_id: frontendModelId.nullable().default(null),
  rule_id: ruleId.nullable().default(null),
  /** Null when the prompt was not classified. */
  prompt_class_id: promptClassId.nullable().default(null),
  /** The used percentage of the caller's cap that is closest to its limit, as routing saw it. Null without a budget. */
  budget_percent: count.nullable().default(null),
  /** The names of the headers that the deciding rule matched, without values. */
  matched_headers: z.array(text).max(matchedHeadersMax).readonly().default([]),
  /** Additional inputs of the rules. Null when there were none, and from older proxies. */
  rule_inputs: ruleInputs.nullable().default(null),
  stream: z.boolean(),
  /** The status that the client received. Null when it disconnected before the answer. */
  status: z.int().nullable(),
  refusal: refusalReason.nullable(),
  /** The exact reason, when `refusal` has a substitute for older control planes. */
  refused_as: z.string().optional(),
  prompt_tokens: count,
  completion_tokens: count,
  ...parts,
  /** The number of calls of each tool that the provider ran. Null when it reported none. */
  server_tool_calls: toolCalls.nullable().default(null),
  /** Other counts than tokens, such as generated images. Older proxies do not send them. */
  units: toolCalls.nullable().default(null),
  /** The service tier that the answer reports, such as `flex`. */
  service_tier: reportedName.nullable().default(null),
  /** False when no counts were found. The row then has no price. */
  usage_reported: z.boolean(),
  /** The counts are estimates: budgets are charged with them, and totals list them separately. False from older proxies. */
  usage_estimated: z.boolean().default(false),
  /** The cost that the provider reported, in micro-units. Null when it reported none. */
  reported_cost_micros: count.nullable(),
  cached: z.boolean(),
  /** Latency of the whole request and time to first byte, in milliseconds. */
  duration_ms: count,
  ttft_ms: count.nullable(),
  attempts: count,
  prompt_estimate: count,
  max_tokens: count.nullable(),
});

export const usageEvent = reportedEvent.transform((event): Omit<typeof event, 'refused_as'> => {
  if (event.refused_as === undefined) return event;
  const { success, data } = refusalReason.safeParse(event.refused_as);
  const { refused_as: _exact, ...known } = event;
  return success ? { ...known, refusal: data } : known;
});
export type UsageEvent = z.output<typeof usageEvent>;

export const usageBatchMax = 500;

/** The body of POST /usage. */
export const usageBatch = z.object({
  replica: z.string().min(1).max(200).default('unknown'),
  events: z.array(z.unknown()).max(usageBatchMax * 4),
  /** The numbers of the process that sends the batch. Older proxies omit it. */
  sender: batchSender.optional().catch(undefined),
});
export type UsageBatch = z.output<typeof usageBatch>;

/** The spending of a principal's budget after the rows of a batch were counted. */
const countedBudget = z.object({
  principal_id: principalId,
  window_start: z.iso.datetime({ offset: true }),
  tokens_used: count,
  cost_used_micros: count,
});

/**
 * The answer to POST /usage. A record that is malformed or names a deleted object is dropped on its own. `budgets`
 * covers all principals of the batch; older control planes omit it.
 */
export const usageReceipt = z.object({
  accepted: z.int(),
  dropped: z.int(),
  budgets: z.array(countedBudget).readonly(),
});
export type UsageReceipt = z.output<typeof usageReceipt>;
