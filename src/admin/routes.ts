// Lists all routes of the admin listener, and the paths with two names.

import { z } from 'zod';

import * as extensions from '../../extensions/control.ts';
import { a2aAgentRoutes } from './tools/a2a-agents.ts';
import { auditRoutes } from './history/audit.ts';
import { backendRoutes } from './providers/backends.ts';
import { changePolicyRoutes } from './changes/change-policy.ts';
import { changeSetRoutes } from './changes/change-sets.ts';
import type { HistoryNeeds } from './history/needs.ts';
import type { AccessNeeds } from './access/needs.ts';
import type { MachineNeeds, OperationNeeds, UsageNeeds } from './operations/needs.ts';
import type { ProviderNeeds } from './providers/needs.ts';
import type { RoutingNeeds } from './routing/needs.ts';
import type { ToolNeeds } from './tools/remotes.ts';
import { configRoutes } from './operations/config.ts';
import { configurationRoutes } from './configuration/configuration.ts';
import { deploymentRoutes } from './operations/deployment.ts';
import { docsRoutes } from './openapi/docs.ts';
import { showingVersions } from './http/entity.ts';
import { budgetRoutes } from './access/budgets.ts';
import { explainRoutes } from './history/explain.ts';
import { fallbackModelRoutes } from './routing/fallback-model.ts';
import { fleetRoutes } from './operations/fleet.ts';
import { frontendModelRoutes } from './routing/frontend-models.ts';
import { healthRoutes } from './operations/health.ts';
import { historyRoutes } from './history/history.ts';
import { keyRoutes } from './access/keys.ts';
import { limitsRoutes } from './access/limits.ts';
import { logRoutes } from './history/log.ts';
import { loginRoutes } from './access/login.ts';
import { machineLimitsRoutes } from './operations/machine-limits.ts';
import { machineRoutes } from './operations/machine.ts';
import { mcpServerRoutes } from './tools/mcp-servers.ts';
import { metricsRoutes } from './operations/metrics.ts';
import { modelRoutes } from './providers/models.ts';
import { operationRoutes } from './operations/operations.ts';
import { openApi } from './openapi/openapi.ts';
import { partRoutes } from './routing/parts.ts';
import { poolRoutes } from './routing/pools.ts';
import { priceRoutes } from './providers/prices.ts';
import { priceVersionRoutes } from './history/price-versions.ts';
import { principalRoutes } from './access/principals.ts';
import { promptClassEvaluationRoutes } from './routing/prompt-class-evaluation.ts';
import { promptClassRoutes } from './routing/prompt-classes.ts';
import { providerRoutes } from './providers/providers.ts';
import { registrationRoutes } from './providers/registration.ts';
import { restoreRoutes } from './history/restore.ts';
import { roleRoutes } from './access/roles.ts';
import { routingRoutes } from './routing/routing.ts';
import { ruleRoutes } from './routing/rules.ts';
import { sessionRoutes } from './access/session.ts';
import { none, route, served } from './http/route.ts';
import type { Route, ServedRoute } from './http/route.ts';
import type { Core, Extension, ExtensionNeeds, Preview } from './extension.ts';
import { snapshotRoutes } from './history/snapshots.ts';
import { tokenRoutes } from './access/tokens.ts';
import { timeseriesRoutes } from './operations/timeseries.ts';
import { usageEventRoutes } from './operations/usage-events.ts';
import { usageFlowRoutes } from './operations/usage-flows.ts';
import { usageExportRoutes } from './operations/usage-export.ts';
import { billReconciliationRoutes } from './operations/bill-reconciliations.ts';
import { usageRoutes } from './operations/usage.ts';
import { ledgerRoutes } from './operations/ledger.ts';
import { usageWhatIfRoutes } from './operations/usage-what-if.ts';
import { vaultRoutes } from './history/vault.ts';
import { webhookDeliveryRoutes } from './webhooks/deliveries.ts';
import { webhookRoutes } from './webhooks/webhooks.ts';
import type { WebhookNeeds } from './webhooks/needs.ts';

/** The same handlers serve the second name. */
export const pathAliases: Readonly<Record<string, string>> = {
  '/admin/provider-models': '/admin/models',
  '/admin/frontend-models': '/admin/virtual-models',
};

const openApiRoute = route({
  method: 'GET',
  path: '/openapi.json',
  operation: 'getOpenApi',
  permission: 'open',
  summary: 'Get this document',
  refusals: [],
  params: none,
  query: none,
  body: none,
  response: z.record(z.string(), z.unknown()),
  handle: () => ({ body: document }),
});

/** By topic. */
export type Needs = Readonly<{
  access: AccessNeeds;
  providers: ProviderNeeds;
  routing: RoutingNeeds;
  tools: ToolNeeds;
  operations: OperationNeeds;
  machines: MachineNeeds;
  usage: UsageNeeds;
  webhooks: WebhookNeeds;
  history: HistoryNeeds;
  extensions: ExtensionNeeds;
}>;

const of = <Topic extends keyof Needs, const Routes extends readonly Route<Needs[Topic]>[]>(
  topic: Topic,
  routes: Routes,
) => ({ routes, serve: (needs: Needs) => served<Needs[Topic]>(routes, needs[topic]) });

const groups = [
  of('access', loginRoutes),
  of('access', sessionRoutes),
  of('machines', machineRoutes),
  of('machines', machineLimitsRoutes),
  of('machines', fleetRoutes),
  of('operations', healthRoutes),
  of('operations', metricsRoutes),
  of('operations', [openApiRoute]),
  of('operations', docsRoutes),
  of('access', principalRoutes),
  of('access', keyRoutes),
  of('access', tokenRoutes),
  of('access', roleRoutes),
  of('access', limitsRoutes),
  of('access', budgetRoutes),
  of('providers', modelRoutes),
  of('providers', backendRoutes),
  of('providers', providerRoutes),
  of('providers', registrationRoutes),
  of('routing', fallbackModelRoutes),
  of('history', changePolicyRoutes),
  of('providers', priceRoutes),
  of('history', priceVersionRoutes),
  of('routing', frontendModelRoutes),
  of('routing', ruleRoutes),
  of('routing', poolRoutes),
  of('routing', partRoutes),
  of('routing', routingRoutes),
  of('routing', promptClassRoutes),
  of('routing', promptClassEvaluationRoutes),
  of('tools', mcpServerRoutes),
  of('tools', a2aAgentRoutes),
  of('history', auditRoutes),
  of('history', historyRoutes),
  of('history', logRoutes),
  of('history', snapshotRoutes),
  of('operations', configRoutes),
  of('history', configurationRoutes),
  of('operations', operationRoutes),
  of('operations', deploymentRoutes),
  of('usage', usageRoutes),
  of('usage', usageEventRoutes),
  of('usage', ledgerRoutes),
  of('usage', usageWhatIfRoutes),
  of('usage', usageExportRoutes),
  of('usage', usageFlowRoutes),
  of('usage', billReconciliationRoutes),
  of('history', vaultRoutes),
  of('webhooks', webhookRoutes),
  of('webhooks', webhookDeliveryRoutes),
  of('history', explainRoutes),
  of('usage', timeseriesRoutes),
] as const;

const withAliasesAndVersions = <One extends Route>(routes: readonly One[]): readonly One[] =>
  showingVersions(routes.flatMap(withAlias));

type Extended = ReturnType<Extension>;

export const extendedBy = (core: Core): readonly Extended[] =>
  Object.values<Extension>(extensions).map((extension) => extension(core));

const noPreview: Preview = { record: z.null(), of: () => Promise.resolve(null) };

const restoring = (extended: readonly Extended[]) =>
  restoreRoutes(extended.find(({ preview }) => preview !== undefined)?.preview ?? noPreview);

/** `single` are routes whose calls can be part of a change set. */
const extensionRoutes = (
  extended: readonly Extended[],
  single: readonly ServedRoute[],
): readonly Route<ExtensionNeeds>[] => [
  ...changeSetRoutes(single),
  ...showingVersions<Route<ExtensionNeeds>>(
    extended.flatMap(({ routes }) => routes?.(single) ?? []),
  ),
];

const notServed: Core = () => {
  throw new Error('this route was built without its dependencies and cannot run');
};

const described = extendedBy(notServed);

/** Without dependencies, which `serveRoutes` adds. */
export const adminRoutes: readonly Route[] = [
  ...withAliasesAndVersions<Route>([
    ...groups.flatMap(({ routes }): readonly Route[] => routes),
    ...restoring(described),
  ]),
  ...extensionRoutes(described, []),
];

export function serveRoutes(needs: Needs, extended: readonly Extended[]): readonly ServedRoute[] {
  const single = withAliasesAndVersions([
    ...groups.flatMap(({ serve }) => serve(needs)),
    ...served(restoring(extended), needs.history),
  ]);
  return [...single, ...served(extensionRoutes(extended, single), needs.extensions)];
}

/** Routes with a literal path type. */
type Literal<Own extends Pick<Route, 'path'>> = Own extends unknown
  ? string extends Own['path']
    ? never
    : Own
  : never;

type RoutesOf<Own> =
  Own extends Readonly<{ routes: (...asked: never) => infer Routes }>
    ? Routes extends readonly Route[]
      ? Routes
      : never
    : never;

/** Has the types of input and output, for the management UI. */
export type TypedAdminRoute =
  | Literal<(typeof groups)[number]['routes'][number]>
  | RoutesOf<ReturnType<(typeof extensions)[keyof typeof extensions]>>[number]
  | ReturnType<typeof changeSetRoutes | typeof restoreRoutes>[number];

const document = openApi(adminRoutes);

function withAlias<One extends Route>(route: One): readonly One[] {
  const found = Object.entries(pathAliases).find(([path]) => route.path.startsWith(path));
  if (found === undefined) return [route];
  const [path, alias] = found;
  const aliasPath = alias + route.path.slice(path.length);
  return [route, { ...route, path: aliasPath, operation: `${route.operation}ByAlias` }];
}
