// Every route of the admin listener, and the path families that are served under two names.

import { z } from 'zod';

import * as extensions from '../../extensions/control.ts';
import { accessRoutes } from './access/access.ts';
import { a2aAgentRoutes } from './tools/a2a-agents.ts';
import { auditRoutes } from './history/audit.ts';
import { backendRoutes } from './providers/backends.ts';
import { changePolicyRoutes } from './changes/change-policy.ts';
import { changeRequestRoutes } from './changes/change-requests.ts';
import { changeSetRoutes } from './changes/change-sets.ts';
import { configRoutes } from './operations/config.ts';
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
import { historyStreamRoutes } from './history/history-stream.ts';
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
import { none, route } from './http/route.ts';
import type { Route } from './http/route.ts';
import type { Core, Extension } from './extension.ts';
import { signOnRoutes } from './access/sign-on.ts';
import { snapshotRoutes } from './history/snapshots.ts';
import { tokenRoutes } from './access/tokens.ts';
import { timeseriesRoutes } from './operations/timeseries.ts';
import { usageEventRoutes } from './operations/usage-events.ts';
import { usageRoutes } from './operations/usage.ts';
import { vaultRoutes } from './history/vault.ts';
import { whatIfRoutes } from './changes/what-if.ts';

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
  accessRoutes,
  timeseriesRoutes,
] as const;

const singleRoutes = showingVersions(
  groups.flatMap((routes: readonly Route[]) => routes).flatMap(withAlias),
);

const extended: readonly Extension[] = Object.values(extensions);

/** Of this release. `core` is what the handlers of extensions work with. */
export const routesOf = (core: Core): readonly Route[] => [
  ...singleRoutes,
  ...changeSetRoutes(singleRoutes),
  ...whatIfRoutes(singleRoutes),
  ...showingVersions([
    ...changeRequestRoutes(singleRoutes),
    ...extended.flatMap(({ routes }) => routes?.(core, singleRoutes) ?? []),
  ]),
];

/** The same, to read and not to run. */
export const adminRoutes = routesOf(() => {
  throw new Error('the routes of extensions run on an open control plane');
});

/** Those whose path is known to the compiler. */
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

/** The routes with the types of what they take and answer, for the management UI. */
export type TypedAdminRoute =
  | Literal<(typeof groups)[number][number]>
  | RoutesOf<(typeof extensions)[keyof typeof extensions]>[number]
  | ReturnType<typeof changeRequestRoutes | typeof changeSetRoutes | typeof whatIfRoutes>[number];

const document = openApi(adminRoutes);

function withAlias(route: Route): readonly Route[] {
  const found = Object.entries(pathAliases).find(([path]) => route.path.startsWith(path));
  if (found === undefined) return [route];
  const [path, alias] = found;
  const aliasPath = alias + route.path.slice(path.length);
  return [route, { ...route, path: aliasPath, operation: `${route.operation}ByAlias` }];
}
