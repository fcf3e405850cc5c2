// Types of the records of the admin API, derived from its routes.

import type { AnswerOf, RowOf } from './http/routes.ts';

export type AuditRow = AnswerOf<'GET', '/admin/audit'>[number];
export type Budget = RowOf<'/admin/budgets'>;
export type Config = AnswerOf<'GET', '/admin/config'>;
export type Deployment = AnswerOf<'GET', '/admin/deployment'>;
export type Replica = AnswerOf<'GET', '/admin/fleet'>[number];
export type Health = AnswerOf<'GET', '/admin/health'>;
export type FrontendModel = RowOf<'/admin/frontend-models'>;
export type Rule = FrontendModel['rules'][number];
export type Target = FrontendModel['default_targets'][number];
export type ApiKey = RowOf<'/admin/keys'>;
export type MadeApiKey = AnswerOf<'POST', '/admin/keys'>;
export type Limits = RowOf<'/admin/limits'>;
export type Model = RowOf<'/admin/provider-models'>;
export type Pool = RowOf<'/admin/model-pools'>;
export type Principal = RowOf<'/admin/principals'>;
export type PromptClass = RowOf<'/admin/prompt-classes'>;
export type PromptExample = AnswerOf<'GET', '/admin/prompt-classes/{id}/examples'>[number];
export type Evaluation = AnswerOf<'POST', '/admin/prompt-classes/evaluate'>;
export type Provider = RowOf<'/admin/providers'>;
export type CatalogueEntry = AnswerOf<'GET', '/admin/provider-catalogue'>[number];
export type AvailableModel = AnswerOf<'GET', '/admin/providers/{id}/available-models'>[number];
export type Role = RowOf<'/admin/roles'>;
export type DryRun = AnswerOf<'POST', '/admin/routing/dry-run'>;
export type AdminToken = RowOf<'/admin/tokens'>;
export type MadeAdminToken = AnswerOf<'POST', '/admin/tokens'>;
export type Webhook = RowOf<'/admin/webhooks'>;
export type WebhookFormat = Webhook['format'];
export type WebhookDelivery = AnswerOf<'GET', '/admin/webhooks/{id}/deliveries'>[number];
export type UsageTotal = AnswerOf<'GET', '/admin/usage'>[number];
export type UsageEvent = AnswerOf<'GET', '/admin/usage/events'>[number];
export type SeriesPoint = AnswerOf<'GET', '/admin/timeseries'>[number];
export type Explanation = AnswerOf<'GET', '/admin/usage/{id}/explain'>;
export type BillReport = AnswerOf<'GET', '/admin/usage/reconciliations'>[number];
export type WholeBillReport = AnswerOf<'GET', '/admin/usage/reconciliations/{id}'>;
export type BillDifference = WholeBillReport['differences'][number];
