// Tests operations on the control plane: configuration, health, publishing a snapshot, ending all
// sessions.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { sql } from '@databases/pg';

import type { Program } from '../../../src/admin/operations/program.ts';
import { principalId } from '../../../src/lib/ids.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import { errorOf, member, testAdministrator } from '../../harness/admin/admin.ts';
import { testRef } from '../../harness/events/test-log.ts';

const setting = {
  flag: '--config-poll',
  variable: 'GW_CONFIG_POLL',
  description: 'time between requests of a proxy for a newer snapshot',
  unit: 'seconds',
  is_secret: false,
  is_set: true,
} as const;

const program: Program = {
  role: 'all',
  version: '1.2.3',
  settings: [
    { ...setting, name: 'configPoll', source: 'env', value: 5 },
    { ...setting, name: 'proxyToken', source: 'file', is_secret: true, value: null },
    { ...setting, name: 'egressDeny', source: 'default', value: ['10.0.0.0/8'] },
  ],
  uptimeSeconds: () => 7.9,
  isLeaving: () => false,
  backends: () => [
    {
      api_base: 'http://127.0.0.1:9/v1',
      model: 'm',
      healthy: false,
      inflight: 1,
      requests_total: 5,
      errors_total: 2,
    },
  ],
};

describe('the configuration', () => {
  it('returns the settings of the process and the caller', async (t) => {
    const { send, plane } = await testAdministrator(t, { program });
    await send('POST', '/admin/models', { name: 'unpriced' });
    await send('POST', '/admin/models', { name: 'priced' });
    await send('PATCH', '/admin/models/2', { input_price_per_mtok: 0, cache_ttl_seconds: 60 });
    const { body } = await send('GET', '/admin/config');
    assert.ok(typeof body === 'object' && body !== null && 'you' in body);
    const { you, ...rest } = body;
    assert.equal(member(you, 'name'), 'boss');
    assert.deepEqual(member(you, 'permissions'), [
      'agent:invoke',
      'config:write',
      'key:create',
      'key:revoke',
      'mcp:invoke',
      'model:invoke',
      'provider:register',
      'usage:read',
    ]);
    assert.deepEqual(rest, {
      role: 'all',
      version: '1.2.3',
      tls: false,
      uptime_seconds: 7,
      snapshot_version: plane.publisher.current()?.snapshot.version,
      snapshot_rebuild_failures: 0,
      session_ttl_hours: 12,
      sessions: 1,
      config_poll_seconds: 5,
      health_report_interval_seconds: null,
      cache_max_entries: null,
      cache_max_bytes: null,
      classifier_tier1: 'english-1',
      classifier_tier2: null,
      otel_endpoint: null,
      otel_sample_one_in: null,
      webhook_configured: false,
      webhook_signed: false,
      gateway_url: null,
      deployment_managed: false,
      operator_managed: false,
      policy: null,
      models: 2,
      models_unpriced: 1,
      models_cached: 1,
      settings: program.settings,
    });
  });
});

describe('the health', () => {
  it('shows the log position and the backends of the own gateway', async (t) => {
    const { send, plane } = await testAdministrator(t, { program });
    const { position } = plane.store.state();
    assert.deepEqual((await send('GET', '/admin/health')).body, {
      database_reachable: true,
      log_position: position,
      read_position: position,
      lag_events: 0,
      snapshot_version: plane.publisher.current()?.snapshot.version,
      snapshot_rebuild_failures: 0,
      log_alarms: 0,
      budget_drift: null,
      backends: program.backends(),
      replicas: 0,
      replicas_seeing_unhealthy_backends: 0,
      notifications: { delivered: 0, failed: 0, dropped: 0 },
    });
  });

  it('counts budgets that differ from the sum of their usage', async (t) => {
    const { send, plane, admin } = await testAdministrator(t);
    await send('PUT', '/admin/principals/1/budget', { tokens_total: 100 });
    const drift = async () => {
      await admin.needs.operations.usageUpkeep.run();
      return member((await send('GET', '/admin/health')).body, 'budget_drift');
    };
    assert.equal(await drift(), 0);
    await plane.db.query(sql`update op.budget_usage set tokens_used = 7`);
    assert.equal(await drift(), 1);
  });

  it('has no backends in a process without a gateway', async (t) => {
    const { send } = await testAdministrator(t);
    assert.deepEqual(member((await send('GET', '/admin/health')).body, 'backends'), []);
  });
});

describe('a rebuild of the snapshot', () => {
  it('publishes a new version of the same configuration, and leaves an audit row', async (t) => {
    const { send, plane } = await testAdministrator(t);
    const before = plane.publisher.current()?.snapshot;
    const answer = await send('POST', '/admin/snapshot/rebuild');
    const after = plane.publisher.current()?.snapshot;
    assert.ok(before !== undefined && after !== undefined && after.version > before.version);
    assert.equal(after.config_hash, before.config_hash);
    assert.deepEqual(answer.body, { snapshot_version: after.version, rebuild_failures: 0 });
    assert.equal(answer.headers.get('x-gw-snapshot-version'), String(after.version));
    const { body: rows } = await send('GET', '/admin/audit?target=/admin/snapshot/rebuild');
    assert.ok(Array.isArray(rows) && rows.length === 1);
  });

  it('that is not published stores no response for its key, and can be retried', async (t) => {
    const { ask, cookie, plane } = await testAdministrator(t);
    const headers = { 'idempotency-key': 'one' };
    const rebuild = () => ask({ method: 'POST', path: '/admin/snapshot/rebuild', cookie, headers });
    await plane.db.query(sql`alter table vault.items rename to items_away`);
    // A key that no snapshot contains yet. Publishing its verifier needs the vault; creating the
    // version does not.
    const command = {
      type: 'CreateApiKey',
      name: 'k',
      principalId: principalId.parse(1),
      prefix: 'p',
      verifierRef: testRef(1),
      expiresAt: null,
    } as const;
    const context = {
      actor: { kind: 'system', principal_id: null },
      action: 'TEST',
      target: 'a key',
      requestId: 'a request',
      reason: null,
    } as const;
    assert.ok(!isRefusal(await plane.execute({ command }, context)));
    const failed = await rebuild();
    await plane.db.query(sql`alter table vault.items_away rename to items`);
    assert.equal(failed.status, 503);
    const made = await rebuild();
    assert.equal(made.status, 200);
    assert.equal(
      member(made.body, 'snapshot_version'),
      plane.publisher.current()?.snapshot.version,
    );
    const again = await rebuild();
    assert.deepEqual([again.status, again.body], [200, made.body]);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
  });

  it('accepts no body', async (t) => {
    const { send } = await testAdministrator(t);
    const answer = await send('POST', '/admin/snapshot/rebuild', { force: true });
    assert.deepEqual(errorOf(answer), [400, 'invalid', 'force']);
  });
});

describe('the end of every session', () => {
  it("includes the caller's own session, clears the cookie, and adds an audit row", async (t) => {
    const { ask, login, send, cookie, plane } = await testAdministrator(t);
    const ada = await login('ada', ['admin']);
    const answer = await send('POST', '/admin/sessions/revoke-all');
    assert.deepEqual(answer.body, { revoked: 2, includes_caller: true });
    assert.match(answer.headers.getSetCookie()[0] ?? '', /^gw_session=; .*Max-Age=0$/);
    for (const ended of [ada, cookie]) {
      assert.equal((await ask({ path: '/admin/roles', cookie: ended })).status, 401);
    }
    const { sql } = plane.db;
    const rows: unknown[] = await plane.db.query(
      sql`select actor_id from audit_log where target = '/admin/sessions/revoke-all'`,
    );
    assert.equal(rows.length, 1);
    const fresh = await login('grace', ['admin']);
    assert.equal((await ask({ path: '/admin/roles', cookie: fresh })).status, 200);
  });
});
