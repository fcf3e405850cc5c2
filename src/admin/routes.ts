// Every route of the admin listener, and the path families that are served under two names.

import { z } from 'zod';

import { accessRoutes } from './access.ts';
import { a2aAgentRoutes } from './a2a-agents.ts';
import { auditRoutes } from './audit.ts';
import { backendRoutes } from './backends.ts';
import { changePolicyRoutes } from './change-policy.ts';
import { changeRequestRoutes } from './change-requests.ts';
import { changeSetRoutes } from './change-sets.ts';
import { configRoutes } from './config.ts';
import { deploymentRoutes } from './deployment.ts';
import { docsRoutes } from './docs.ts';
import { showingVersions } from './entity.ts';
import { budgetRoutes } from './budgets.ts';
import { explainRoutes } from './explain.ts';
import { fallbackModelRoutes } from './fallback-model.ts';
import { fleetRoutes } from './fleet.ts';
import { frontendModelRoutes } from './frontend-models.ts';
import { healthRoutes } from './health.ts';
import { historyRoutes } from './history.ts';
import { historyStreamRoutes } from './history-stream.ts';
import { keyRoutes } from './keys.ts';
import { limitsRoutes } from './limits.ts';
import { logRoutes } from './log.ts';
import { loginRoutes } from './login.ts';
import { machineLimitsRoutes } from './machine-limits.ts';
import { machineRoutes } from './machine.ts';
import { mcpServerRoutes } from './mcp-servers.ts';
import { metricsRoutes } from './metrics.ts';
import { modelRoutes } from './models.ts';
import { operationRoutes } from './operations.ts';
import { openApi } from './openapi.ts';
import { partRoutes } from './parts.ts';
import { playgroundRoutes } from './playground.ts';
import { poolRoutes } from './pools.ts';
import { priceRoutes } from './prices.ts';
import { principalRoutes } from './principals.ts';
import { promptClassEvaluationRoutes } from './prompt-class-evaluation.ts';
import { promptClassRoutes } from './prompt-classes.ts';
import { providerRoutes } from './providers.ts';
import { registrationRoutes } from './registration.ts';
import { restoreRoutes } from './restore.ts';
import { roleRoutes } from './roles.ts';
import { routingRoutes } from './routing.ts';
import { ruleRoutes } from './rules.ts';
import { sessionRoutes } from './session.ts';
import { none, route } from './route.ts';
import type { Route } from './route.ts';
import { signOnRoutes } from './sign-on.ts';
import { snapshotRoutes } from './snapshots.ts';
import { tokenRoutes } from './tokens.ts';
import { timeseriesRoutes } from './timeseries.ts';
import { usageEventRoutes } from './usage-events.ts';
import { usageRoutes } from './usage.ts';
import { vaultRoutes } from './vault.ts';
import { whatIfRoutes } from './what-if.ts';

/** The same handlers answer under the second name. */
export const pathAliases: Readonly<Record<string, string>> = {
  '/admin/provider-models': '/admin/models',
  '/admin/frontend-models': '/admin/virtual-models',
};

const openApiRoute = route({
  method: 'GET',
  path: '/openapi.json',
  operation: 'getOpenApi',
  permission: 'open',
  summary: 'This document',
  refusals: [],
  params: none,
  query: none,
  body: none,
  response: z.record(z.string(), z.unknown()),
  handle: () => ({ body: document }),
});

const groups = [
  loginRoutes,
  sessionRoutes,
  signOnRoutes,
  machineRoutes,
  machineLimitsRoutes,
  fleetRoutes,
  healthRoutes,
  metricsRoutes,
  [openApiRoute],
  docsRoutes,
  principalRoutes,
  keyRoutes,
  tokenRoutes,
  roleRoutes,
  limitsRoutes,
  budgetRoutes,
  modelRoutes,
  backendRoutes,
  providerRoutes,
  registrationRoutes,
  fallbackModelRoutes,
  changePolicyRoutes,
  priceRoutes,
  frontendModelRoutes,
  ruleRoutes,
  poolRoutes,
  partRoutes,
  routingRoutes,
  promptClassRoutes,
  promptClassEvaluationRoutes,
  mcpServerRoutes,
  a2aAgentRoutes,
  auditRoutes,
  historyRoutes,
  historyStreamRoutes,
  logRoutes,
  snapshotRoutes,
  restoreRoutes,
  configRoutes,
  operationRoutes,
  deploymentRoutes,
  usageRoutes,
  usageEventRoutes,
  vaultRoutes,
  explainRoutes,
  playgroundRoutes,
  accessRoutes,
  timeseriesRoutes,
] as const;

const singleRoutes = showingVersions(
  groups.flatMap((routes: readonly Route[]) => routes).flatMap(withAlias),
);

export const adminRoutes: readonly Route[] = [
  ...singleRoutes,
  ...changeSetRoutes(singleRoutes),
  ...whatIfRoutes(singleRoutes),
  ...showingVersions(changeRequestRoutes(singleRoutes)),
];

/** Those whose path is known to the compiler. */
type Literal<Own extends Pick<Route, 'path'>> = Own extends unknown
  ? string extends Own['path']
    ? never
    : Own
  : never;

/** The routes with the types of what they take and answer, for the management UI. */
export type TypedAdminRoute =
  | Literal<(typeof groups)[number][number]>
  | ReturnType<typeof changeRequestRoutes | typeof changeSetRoutes | typeof whatIfRoutes>[number];

const document = openApi(adminRoutes);

function withAlias(route: Route): readonly Route[] {
  const found = Object.entries(pathAliases).find(([path]) => route.path.startsWith(path));
  if (found === undefined) return [route];
  const [path, alias] = found;
  const aliasPath = alias + route.path.slice(path.length);
  return [route, { ...route, path: aliasPath, operation: `${route.operation}ByAlias` }];
}
