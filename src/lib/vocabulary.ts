// Defines closed lists that both planes, the log and the API share (specification, "Resources and
// their fields").

import { z } from 'zod';

import { protocolFacts, protocolNames } from '../protocols/facts.ts';

export const protocol = z.enum(protocolNames);
export type Protocol = z.output<typeof protocol>;

export const protocolAliases: Readonly<Record<string, Protocol>> = Object.fromEntries(
  protocolNames.flatMap((name) => {
    const { alias } = protocolFacts[name];
    return alias === null ? [] : [[alias, name]];
  }),
);

export const providerKind = z.enum(['static', 'cloud', 'dynamic']);
export type ProviderKind = z.output<typeof providerKind>;

export const credentialKind = z.enum(['static', 'cloud_service_account']);
export type CredentialKind = z.output<typeof credentialKind>;

export const principalKind = z.enum(['service_account', 'user']);
export type PrincipalKind = z.output<typeof principalKind>;

/** Kinds of data that can be erased from the vault. */
export const erasedKind = z.enum([
  'name',
  'email',
  'password',
  'identity',
  'reason',
  'key_verifier',
  'credential',
  'example',
  'change_request',
]);
export type ErasedKind = z.output<typeof erasedKind>;

export const verb = z.enum([
  'model:invoke',
  'mcp:invoke',
  'agent:invoke',
  'usage:read',
  'key:create',
  'key:revoke',
  'config:write',
  'provider:register',
]);
export type Verb = z.output<typeof verb>;

/** Those for the admin API. The other permissions are for API keys. */
export const adminVerb = verb.exclude([
  'model:invoke',
  'mcp:invoke',
  'agent:invoke',
  'provider:register',
]);
export type AdminVerb = z.output<typeof adminVerb>;

export const ruleAction = z.enum(['route', 'deny', 'jump']);
export type RuleAction = z.output<typeof ruleAction>;

/** Null, the default of a pool, splits by member weight and keeps a conversation at one member. */
export const poolPolicy = z.enum([
  'cache-affinity',
  'least-loaded',
  'lowest-latency',
  'round-robin',
]);
export type PoolPolicy = z.output<typeof poolPolicy>;

export const promptClassTier = z.enum(['fast', 'refined']);
export type PromptClassTier = z.output<typeof promptClassTier>;

export const mcpTransport = z.enum(['http', 'sse']);

export const agentProtocolVersion = z.enum(['0.3', '1.0']);

export const budgetWindow = z.enum(['daily', 'weekly', 'monthly']);
export type BudgetWindow = z.output<typeof budgetWindow>;

export const calendarUnit = z.enum(['day', 'week', 'month']);
export type CalendarUnit = z.output<typeof calendarUnit>;

/** Calendar windows of a budget. The time zone is an IANA name. */
export const budgetCalendar = z.object({ unit: calendarUnit, time_zone: z.string() });
export type BudgetCalendar = Readonly<z.output<typeof budgetCalendar>>;

/** The fixed window of about the same length, which releases without calendar windows use. */
export const windowOfUnit = {
  day: 'daily',
  week: 'weekly',
  month: 'monthly',
} as const satisfies Record<CalendarUnit, BudgetWindow>;

/** An aggregator's model list, and a price catalogue. */
export type PriceSourceName = Exclude<PriceSource, 'both'>;
export const priceSource = z.enum(['aggregator', 'catalogue', 'both']);
export type PriceSource = z.output<typeof priceSource>;

export const priceSourceAliases: Readonly<Record<string, PriceSource>> = {
  'open-router': 'aggregator',
};

/** The bodies that a webhook endpoint accepts: of gw, of Slack, or of PagerDuty. */
export const webhookFormat = z.enum(['standard', 'slack', 'pagerduty']);
export type WebhookFormat = z.output<typeof webhookFormat>;

export const deliveryState = z.enum(['pending', 'delivered', 'failed']);
export type DeliveryState = z.output<typeof deliveryState>;

/** An approval policy can name these (src/deciders/changes/change-kinds.ts). */
export const changeKind = z.enum([
  'access',
  'keys',
  'providers',
  'models',
  'prices',
  'routing',
  'limits',
  'tools',
  'webhooks',
  'policy',
]);
export type ChangeKind = z.output<typeof changeKind>;

/** `review_due` and `reviewed` apply to changes that were made without approval. */
export const changeRequestState = z.enum([
  'open',
  'approved',
  'scheduled',
  'applied',
  'refused',
  'withdrawn',
  'expired',
  'review_due',
  'reviewed',
]);
export type ChangeRequestState = z.output<typeof changeRequestState>;

export const usageGrouping = z.enum([
  'model',
  'principal',
  'virtual_model',
  'provider',
  'tag',
  'service_tier',
  'currency',
  'day',
  'all',
]);
export type UsageGrouping = z.output<typeof usageGrouping>;

/** Reasons why a restore does not bring a field back. */
export const lossReason = z.enum([
  /** The vault has erased it. */
  'erased',
  /** The API key or admin token was revoked after the restored version. */
  'revoked',
  /** The password or identity was replaced, and the earlier one must not become valid again. */
  'replaced',
  /** gw observed it at the provider. It is not configuration. */
  'observed',
  /** It belongs to the log, which continues. */
  'kept',
]);
export type LossReason = z.output<typeof lossReason>;

/** ISO 4217. The currency of amounts without one, and of budgets. */
export const defaultCurrency = 'USD';
