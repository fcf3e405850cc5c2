// The types of what each admin route takes and answers, from the route values of the server themselves: a field that changes there
// fails to compile here.

import type { z } from 'zod';

import type { a2aAgentRoutes } from '../../src/admin/a2a-agents.ts';
import type { accessRoutes } from '../../src/admin/access.ts';
import type { auditRoutes } from '../../src/admin/audit.ts';
import type { backendRoutes } from '../../src/admin/backends.ts';
import type { budgetRoutes } from '../../src/admin/budgets.ts';
import type { changePolicyRoutes } from '../../src/admin/change-policy.ts';
import type { changeRequestRoutes } from '../../src/admin/change-requests.ts';
import type { changeSetRoutes } from '../../src/admin/change-sets.ts';
import type { configRoutes } from '../../src/admin/config.ts';
import type { deploymentRoutes } from '../../src/admin/deployment.ts';
import type { explainRoutes } from '../../src/admin/explain.ts';
import type { fallbackModelRoutes } from '../../src/admin/fallback-model.ts';
import type { fleetRoutes } from '../../src/admin/fleet.ts';
import type { frontendModelRoutes } from '../../src/admin/frontend-models.ts';
import type { historyRoutes } from '../../src/admin/history.ts';
import type { keyRoutes } from '../../src/admin/keys.ts';
import type { limitsRoutes } from '../../src/admin/limits.ts';
import type { logRoutes } from '../../src/admin/log.ts';
import type { loginRoutes } from '../../src/admin/login.ts';
import type { mcpServerRoutes } from '../../src/admin/mcp-servers.ts';
import type { modelRoutes } from '../../src/admin/models.ts';
import type { operationRoutes } from '../../src/admin/operations.ts';
import type { playgroundRoutes } from '../../src/admin/playground.ts';
import type { poolRoutes } from '../../src/admin/pools.ts';
import type { priceRoutes } from '../../src/admin/prices.ts';
import type { principalRoutes } from '../../src/admin/principals.ts';
import type { promptClassEvaluationRoutes } from '../../src/admin/prompt-class-evaluation.ts';
import type { promptClassRoutes } from '../../src/admin/prompt-classes.ts';
import type { providerRoutes } from '../../src/admin/providers.ts';
import type { restoreRoutes } from '../../src/admin/restore.ts';
import type { roleRoutes } from '../../src/admin/roles.ts';
import type { Method, TypedRoute } from '../../src/admin/route.ts';
import type { routingRoutes } from '../../src/admin/routing.ts';
import type { ruleRoutes } from '../../src/admin/rules.ts';
import type { sessionRoutes } from '../../src/admin/session.ts';
import type { snapshotRoutes } from '../../src/admin/snapshots.ts';
import type { timeseriesRoutes } from '../../src/admin/timeseries.ts';
import type { tokenRoutes } from '../../src/admin/tokens.ts';
import type { usageEventRoutes } from '../../src/admin/usage-events.ts';
import type { usageRoutes } from '../../src/admin/usage.ts';
import type { whatIfRoutes } from '../../src/admin/what-if.ts';

type AdminRoute = (
  | typeof a2aAgentRoutes
  | typeof accessRoutes
  | typeof auditRoutes
  | typeof backendRoutes
  | typeof budgetRoutes
  | typeof changePolicyRoutes
  | ReturnType<typeof changeRequestRoutes>
  | ReturnType<typeof changeSetRoutes>
  | typeof configRoutes
  | typeof deploymentRoutes
  | typeof explainRoutes
  | typeof fallbackModelRoutes
  | typeof fleetRoutes
  | typeof frontendModelRoutes
  | typeof historyRoutes
  | typeof keyRoutes
  | typeof limitsRoutes
  | typeof logRoutes
  | typeof loginRoutes
  | typeof mcpServerRoutes
  | typeof modelRoutes
  | typeof operationRoutes
  | typeof playgroundRoutes
  | typeof poolRoutes
  | typeof priceRoutes
  | typeof principalRoutes
  | typeof promptClassEvaluationRoutes
  | typeof promptClassRoutes
  | typeof providerRoutes
  | typeof restoreRoutes
  | typeof roleRoutes
  | typeof routingRoutes
  | typeof ruleRoutes
  | typeof sessionRoutes
  | typeof snapshotRoutes
  | typeof timeseriesRoutes
  | typeof tokenRoutes
  | typeof usageEventRoutes
  | typeof usageRoutes
  | ReturnType<typeof whatIfRoutes>
)[number];

/** The paths that a method has. */
export type PathOf<M extends Method> = Extract<AdminRoute, { method: M }>['path'];

type RouteAt<M extends Method, Path> = Extract<AdminRoute, { method: M; path: Path }>;

type SchemasAt<M extends Method, Path> =
  RouteAt<M, Path> extends TypedRoute<
    unknown,
    unknown,
    z.ZodType,
    infer Query,
    infer Body,
    infer Response
  >
    ? { query: Query; body: Body; response: Response }
    : never;

type Sent<Schema> = Schema extends z.ZodType ? z.input<Schema> : never;

/** What is sent is not changed on its way. */
type Unchanged<Value> = Value extends readonly (infer Part)[]
  ? readonly Unchanged<Part>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Unchanged<Value[Name]> }
    : Value;

export type BodyOf<M extends Method, Path> = Unchanged<Sent<SchemasAt<M, Path>['body']>>;

/** In an address all is text; numbers are written as such. */
export type QueryOf<M extends Method, Path> = {
  readonly [Name in keyof Sent<SchemasAt<M, Path>['query']>]?: string | number | undefined;
};

/** As it comes out of the server, before JSON. */
export type AnswerOf<M extends Method, Path> = Sent<SchemasAt<M, Path>['response']>;

/** A record of a list of entities says its version, which If-Match takes. */
export type Listed<Row> = Row & Readonly<{ version: number }>;

export type RowOf<Path> =
  AnswerOf<'GET', Path> extends readonly (infer Row)[] ? Listed<Row> : never;

/** The names between braces. */
export type ParamsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Readonly<Record<Name, string | number>> & ParamsOf<Rest>
  : unknown;
