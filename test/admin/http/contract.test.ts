// Tests every route without a credential, without the permission, with unknown input, with valid
// input, and for a missing record. The bodies are the examples of the OpenAPI document. A route
// without a line here fails.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { entityPathOf } from '../../../src/admin/http/entity.ts';
import { bodyExampleOf } from '../../../src/admin/openapi/examples.ts';
import { isMutation } from '../../../src/admin/http/once.ts';
import { takesNothing } from '../../../src/admin/http/route.ts';
import type { Route } from '../../../src/admin/http/route.ts';
import { adminRoutes } from '../../../src/admin/routes.ts';
import { errorBody } from '../../../src/admin/http/status.ts';
import { adminPassword, member, proxyToken } from '../../harness/admin/admin.ts';
import type { TestAnswer, TestRequest } from '../../harness/admin/admin.ts';
import { seededPlane } from '../../harness/admin/seeded-plane.ts';
import type { SeededPlane, SeedName } from '../../harness/admin/seeded-plane.ts';

/** Describes a request that succeeds. */
type Line = Readonly<{
  /** Id of the record in the path. */
  of?: SeedName;
  /** Further parameters of the path. */
  with?: Readonly<Record<string, string>>;
  /** Fields that replace those of the example. */
  body?: (plane: SeededPlane) => Promise<object> | object;
  /** Runs before the request, with the record. */
  after?: (plane: SeededPlane, id: string) => Promise<unknown>;
  /** Required query parameters. */
  query?: string;
  status?: number;
  /** Status for an unknown record, if it differs from 404. */
  unknown?: number;
}>;

const named = ({ unique }: SeededPlane): object => ({ name: unique() });
/** An existing model. */
const changeOfPrice = async ({ seeds }: SeededPlane): Promise<object> => {
  const path = `/admin/provider-models/${await seeds.model()}`;
  return { calls: [{ method: 'PATCH', path, body: { input_price_per_mtok: 1 } }] };
};
/** The digest that an approver saw of the last change request. */
const shownDigests = async ({ send, plane }: SeededPlane): Promise<object> => {
  const id = plane.store.state().change_request.lastId;
  const { body } = await send('GET', `/admin/change-requests/${id}`);
  return { digest: member(body, 'digest'), outcome: member(body, 'outcome') };
};
const inOneDay = (): string => new Date(Date.now() + 86_400_000).toISOString();
const withBudget = ({ send }: SeededPlane, id: string): Promise<unknown> =>
  send('PUT', `/admin/principals/${id}/budget`, { tokens_total: 1, cost_total_micros: 1 });
const grant = { verb: 'model:invoke', resource: 'model/qwen3-8b' };

const lines: Readonly<Record<string, Line>> = {
  login: { body: () => ({ name: 'boss', password: adminPassword }) },
  /** Only gw dev has a sign-in link. */
  signInByLink: { status: 404 },
  logout: {},
  getSession: {},
  getSnapshot: {},
  reportUsage: {},
  reconcileLimits: {},
  reportHealth: {},
  getHealthz: {},
  getReadyz: {},
  getOpenApi: {},
  listPrincipals: {},
  createPrincipal: {},
  getPrincipal: { of: 'principal' },
  updatePrincipal: { of: 'principal' },
  deletePrincipal: { of: 'principal' },
  grantRole: { of: 'principal' },
  revokeRole: { of: 'holder', with: { role: 'inference' } },
  setPassword: { of: 'principal' },
  unlinkIdentity: { of: 'signedOn' },
  listLimits: {},
  getLimits: {
    of: 'principal',
    after: ({ send }, id) => send('PUT', `/admin/principals/${id}/limits`, { tokens_per_min: 1 }),
  },
  setLimits: { of: 'principal' },
  clearLimits: {
    of: 'principal',
    after: ({ send }, id) => send('PUT', `/admin/principals/${id}/limits`, { tokens_per_min: 1 }),
  },
  listBudgets: {},
  getBudget: {
    of: 'principal',
    after: ({ send }, id) => send('PUT', `/admin/principals/${id}/budget`, { tokens_total: 1 }),
  },
  setBudget: { of: 'principal' },
  clearBudget: {
    of: 'principal',
    after: ({ send }, id) => send('PUT', `/admin/principals/${id}/budget`, { tokens_total: 1 }),
  },
  increaseBudget: { of: 'principal', body: () => ({ ends_at: inOneDay() }), after: withBudget },
  removeBudgetIncrease: {
    of: 'principal',
    with: { increase: '1' },
    after: async (plane, id) => {
      await withBudget(plane, id);
      const body = { tokens: 1, reason: 'load test', ends_at: inOneDay() };
      await plane.send('POST', `/admin/principals/${id}/budget/increases`, body);
    },
  },
  listKeys: {},
  getKey: { of: 'key' },
  createKey: {},
  revokeKey: { of: 'key' },
  listAdminTokens: {},
  getAdminToken: { of: 'adminToken' },
  createAdminToken: {
    body: async ({ seeds }) => ({ principal_id: Number(await seeds.administrator()) }),
  },
  revokeAdminToken: { of: 'adminToken' },
  listRoles: {},
  getRole: { of: 'role' },
  createRole: {},
  updateRole: { of: 'role' },
  deleteRole: { of: 'role' },
  grantPermission: { of: 'role' },
  revokePermission: {
    of: 'role',
    after: ({ make }, name) => make(`/admin/roles/${name}/permissions`, grant),
  },
  listModels: {},
  getModel: { of: 'model' },
  createModel: { body: named },
  updateModel: { of: 'model' },
  deleteModel: { of: 'model' },
  attachBackend: { of: 'model' },
  getBackend: { of: 'backend' },
  updateBackend: { of: 'backend' },
  detachBackend: { of: 'backend' },
  listProviders: {},
  getProvider: { of: 'provider' },
  createProvider: { body: async ({ upstream }) => ({ api_base: await upstream() }) },
  updateProvider: { of: 'provider' },
  deleteProvider: { of: 'provider' },
  registerProvider: { body: async ({ upstream }) => ({ api_base: await upstream([]) }) },
  listProviderCatalogue: {},
  listAvailableModels: { of: 'provider' },
  getFallbackModel: {},
  setFallbackModel: {},
  syncPrices: { body: () => ({ dry_run: false }) },
  listFrontendModels: {},
  getFrontendModel: { of: 'frontendModel' },
  createFrontendModel: { body: named },
  updateFrontendModel: { of: 'frontendModel' },
  deleteFrontendModel: { of: 'frontendModel' },
  addDefaultTarget: { of: 'frontendModel' },
  getDefaultTarget: { of: 'defaultTarget' },
  removeDefaultTarget: { of: 'defaultTarget' },
  createRule: { of: 'frontendModel' },
  replaceRules: { of: 'frontendModel' },
  getRule: { of: 'rule' },
  updateRule: { of: 'rule' },
  deleteRule: { of: 'rule' },
  addRuleTarget: { of: 'rule' },
  getRuleTarget: { of: 'ruleTarget' },
  removeRuleTarget: { of: 'ruleTarget' },
  listPools: {},
  getPool: { of: 'pool' },
  createPool: {},
  updatePool: { of: 'pool' },
  deletePool: { of: 'pool' },
  addPoolMember: { of: 'pool' },
  getPoolMember: { of: 'poolMember' },
  removePoolMember: { of: 'poolMember' },
  dryRunRouting: {},
  listPromptClasses: {},
  createPromptClass: {},
  evaluatePromptClasses: {},
  listPromptClassEvaluations: {},
  getPromptClass: { of: 'promptClass' },
  updatePromptClass: { of: 'promptClass' },
  deletePromptClass: { of: 'promptClass' },
  listPromptExamples: { of: 'promptClass' },
  addPromptExample: { of: 'promptClass' },
  getPromptExample: { of: 'promptClass', with: { example_id: '1' } },
  removePromptExample: { of: 'promptClass', with: { example_id: '1' } },
  listMcpServers: {},
  getMcpServer: { of: 'mcpServer' },
  createMcpServer: {},
  updateMcpServer: { of: 'mcpServer' },
  deleteMcpServer: { of: 'mcpServer' },
  listAgents: {},
  getAgent: { of: 'agent' },
  createAgent: {},
  updateAgent: { of: 'agent' },
  deleteAgent: { of: 'agent' },
  listWebhooks: {},
  getWebhook: { of: 'webhook' },
  createWebhook: { body: named },
  updateWebhook: { of: 'webhook' },
  rotateWebhookSecret: { of: 'webhook' },
  deleteWebhook: { of: 'webhook' },
  listWebhookDeliveries: { of: 'webhook' },
  testWebhook: { of: 'webhook' },
  /** testWebhook makes the first delivery. */
  resendWebhookDelivery: { of: 'testedWebhook', with: { delivery: '2' } },
  listAudit: {},
  listPriceVersions: { of: 'model' },
  listCommands: {},
  listEvents: {},
  listStreams: {},
  getEvent: { with: { position: '1' } },
  getLogHead: {},
  listCheckpoints: {},
  listSnapshots: {},
  showSnapshot: { with: { version: '1' } },
  diffSnapshots: { with: { from: '1', to: '2' } },
  dryRunSnapshot: { with: { version: '2' } },
  planConfiguration: {},
  applyConfiguration: {},
  exportConfiguration: {},
  previewChangeSet: {},
  applyChangeSet: {},
  erasePersonalData: {},
  eraseSuperseded: {},
  whatIf: {},
  listChangeRequests: {},
  getChangeRequest: { of: 'changeRequest' },
  draftChangeRequest: { body: changeOfPrice },
  editChangeRequest: { of: 'ownChangeRequest' },
  approveChangeRequest: { of: 'changeRequest', body: shownDigests },
  refuseChangeRequest: { of: 'changeRequest' },
  withdrawChangeRequest: { of: 'ownChangeRequest' },
  scheduleChangeRequest: {
    of: 'approvedChangeRequest',
    body: () => ({ at: new Date(Date.now() + 60_000).toISOString() }),
  },
  applyChangeRequest: { of: 'approvedChangeRequest' },
  reviewChange: { of: 'unapprovedChange' },
  getChangePolicy: {},
  setChangePolicy: { body: () => ({ kinds: [] }) },
  restoreSnapshot: { with: { version: '2' }, body: () => ({ only: ['settings-1'] }) },
  getConfig: {},
  getFleet: {},
  getHealth: {},
  getUsage: {},
  getUsageFlows: {},
  getTimeseries: {},
  listUsageEvents: {},
  summarizeUsage: { query: 'since=2026-11-01T00:00:00Z&until=2026-11-02T00:00:00Z' },
  verifyUsage: {},
  showUsageArchive: {},
  verifyUsageArchive: { query: 'since=2026-11-01T00:00:00Z&until=2026-11-02T00:00:00Z' },
  repairUsageArchive: {
    body: () => ({ since: '2026-11-01T00:00:00Z', until: '2026-11-01T01:00:00Z' }),
  },
  repriceUsage: {
    body: () => ({ dry_run: false }),
  },
  whatIfUsage: { query: 'since=2026-10-01T00:00:00Z&until=2026-11-01T00:00:00Z' },
  listBillReconciliations: {},
  getBillReconciliation: { of: 'billReconciliation', unknown: 400 },
  reconcileBill: {},
  reviewAccess: {},
  diffAccess: { query: 'from=1&to=2' },
  explainUsage: { of: 'usageRow', unknown: 400 },
  rebuildSnapshot: {},
  revokeAllSessions: {},
  getDeployment: {},
  updateDeployment: {},
};

/** Pages and their files, which are not JSON, are tested in docs.test.ts. */
const isApi = ({ mediaType }: Route): boolean => mediaType === undefined;
const nameOf = ({ operation }: Route): string => operation.replace(/ByAlias$/, '');
const isPersonal = ({ permission }: Route): boolean =>
  !['open', 'proxy_token', 'api_key'].includes(permission);

it('every route has a line, and every line a route', () => {
  const routes = new Set(adminRoutes.filter(isApi).map(nameOf));
  assert.deepEqual(Object.keys(lines).toSorted(), [...routes].toSorted());
});

it('every edit addresses an entity, whose version If-Match can name', () => {
  const edits = adminRoutes.filter(
    (route) => isMutation(route) && ['PUT', 'PATCH', 'DELETE'].includes(route.method),
  );
  const unversioned = edits.filter(({ path }) => entityPathOf(path) === null);
  assert.deepEqual(
    unversioned.map(({ method, path }) => `${method} ${path}`),
    [],
  );
});

it('every route responds as its description states', async (t) => {
  const plane = await seededPlane(t);
  const { ask, login, cookie, make } = plane;
  const powerless = await login('nobody', []);
  const apiKey = String(member(await make('/admin/keys', { name: 'k', principal_id: 1 }), 'key'));
  for (const route of endingLast(adminRoutes.filter(isApi))) {
    const line = lines[nameOf(route)];
    if (line === undefined) continue;
    const name = `${route.method} ${route.path}`;
    const right = {
      ...(await rightRequest(route, line, plane)),
      ...credential(route, { cookie, apiKey }),
    };
    const bare = { method: right.method, path: right.path, body: right.body };

    if (isPersonal(route)) {
      assertStatus(await ask(bare), 401, `${name} without a credential`);
      assertStatus(await ask({ ...bare, cookie: powerless }), 403, `${name} without permission`);
    }
    if (!isPersonal(route) && route.permission !== 'open') {
      assertStatus(await ask(bare), 401, name);
      assertStatus(await ask({ ...bare, cookie }), 401, `${name} with a session`);
    }
    if (route.permission === 'api_key') {
      assertStatus(await ask({ ...bare, token: proxyToken }), 401, `${name} with the proxy token`);
    }
    for (const wrong of wrongRequests(route, right)) {
      assertStatus(await ask(wrong), 400, `${name} with ${JSON.stringify(wrong.body)}`);
    }
    if (line.of !== undefined) {
      const path = unknownPath(route, line);
      assertStatus(await ask({ ...right, path }), line.unknown ?? 404, `${name} of what is absent`);
    }
    const answer = await ask(right);
    assertStatus(answer, line.status ?? route.status ?? 200, name);
    if (isMutation(route)) {
      assert.match(answer.headers.get('x-gw-snapshot-version') ?? '', /^\d+$/, name);
    }
  }
});

/** A login with a cookie would end its session. */
function credential(
  { permission }: Route,
  { cookie, apiKey }: Readonly<{ cookie: string; apiKey: string }>,
): Readonly<Partial<TestRequest>> {
  if (permission === 'open') return {};
  if (permission === 'api_key') return { token: apiKey };
  return permission === 'proxy_token' ? { token: proxyToken } : { cookie };
}

/** Routes that end sessions run last, when no other route needs one. */
const endingLast = (routes: readonly Route[]): readonly Route[] => {
  const order = ['revokeAllSessions'];
  return routes.toSorted((a, b) => order.indexOf(nameOf(a)) - order.indexOf(nameOf(b)));
};

async function rightRequest(route: Route, line: Line, plane: SeededPlane) {
  const id = line.of === undefined ? '' : await plane.seeds[line.of]();
  await line.after?.(plane, id);
  const asked = line.query === undefined ? '' : `?${line.query}`;
  const path = `${fill(route.path, { id, name: id, ...line.with })}${asked}`;
  const example = bodyExampleOf(route);
  const given = { ...toObject(example), ...(await line.body?.(plane)) };
  const body = takesNothing(route) ? undefined : given;
  return { method: route.method, path, ...(body === undefined ? {} : { body }) };
}

const fill = (path: string, parameters: Readonly<Record<string, string>>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => parameters[name] ?? name);

const unknownPath = ({ path }: Route, line: Line): string =>
  fill(path, { id: '999999', name: 'no-such', ...line.with });

/** An unknown field, and each field of the example with a value of the wrong type. */
function wrongRequests(route: Route, right: TestRequest): readonly TestRequest[] {
  if (route.method === 'GET') return [{ ...right, path: `${right.path}?no_such_field=1` }];
  // Unknown parts of a proxy's report are ignored.
  if (route.permission === 'proxy_token') return [{ ...right, body: 7 }];
  const given = toObject(right.body);
  const wrong = { no_such_type: true };
  const fields = takesNothing(route) || takesAny(route) ? [] : Object.keys(given);
  const bodies = [{ no_such_field: 1 }, ...fields.map((field) => ({ [field]: wrong }))];
  return bodies.map((body) => Object.assign({}, right, { body: Object.assign({}, given, body) }));
}

/** A dry run accepts any headers. */
const takesAny = ({ operation }: Route): boolean => operation === 'dryRunRouting';

const toObject = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

function assertStatus({ status, body }: TestAnswer, expected: number, what: string): void {
  assert.equal(status, expected, `${what}: ${JSON.stringify(body)?.slice(0, 300)}`);
  if (status >= 400) errorBody.parse(body);
}
