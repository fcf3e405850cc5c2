// Tests the metrics page of a control plane.

import assert from 'node:assert/strict';
import { noNotifier } from '../../../src/control/webhooks/notify.ts';
import { it } from 'node:test';

import { sql } from '@databases/pg';

import { proxyToken, testAdmin, testAdministrator } from '../../harness/admin/admin.ts';
import { healthOf } from '../../harness/gateway/health.ts';
import { readMetrics } from '../../harness/gateway/metrics-text.ts';
import { until } from '../../harness/wait.ts';

const counts = () => ({ delivered: 4, failed: 3, dropped: 2 });

it('the metrics of a control plane require no credential, and count lost data', async (t) => {
  const notifier = { ...noNotifier, counts };
  const { ask, url, admin } = await testAdmin(t, { notifier });
  await ask({ method: 'POST', path: '/health-report', token: proxyToken, body: healthOf('a') });
  await admin.needs.operations.fleet.measure();
  const answer = await fetch(`${url}/metrics`);
  assert.equal(answer.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  const lines = (await answer.text()).split('\n');
  for (const line of [
    'gw_fleet_replicas 1',
    'gw_snapshot_rebuild_failures_total 0',
    'gw_webhooks_delivered_total 4',
    'gw_webhooks_failed_total 3',
    '# TYPE gw_webhooks_dropped_total counter',
    'gw_webhooks_dropped_total 2',
  ]) {
    assert.ok(lines.includes(line), `${line} is missing`);
  }
});

it('the metrics of a control plane show its log position and durations', async (t) => {
  const { url, send, plane } = await testAdministrator(t);
  const before = await valuesOf(url);
  assert.equal((await send('POST', '/admin/roles', { name: 'reader' })).status, 200);
  const after = await valuesOf(url);
  const grown = (name: string) => (after(name) ?? 0) - (before(name) ?? 0);
  assert.equal(after('gw_snapshot_version'), plane.store.state().version);
  assert.equal(
    grown('gw_log_append_duration_seconds_count'),
    1,
    'gw_log_append_duration_seconds_count',
  );
  assert.equal(
    grown('gw_snapshot_build_duration_seconds_count'),
    1,
    'gw_snapshot_build_duration_seconds_count',
  );
  assert.ok(grown('gw_log_read_position') >= 1);
  assert.equal(after('gw_log_head_position'), after('gw_log_read_position'));
  assert.equal(after('gw_log_lag_events'), 0);
  assert.ok((after('gw_log_append_duration_seconds_sum') ?? 0) > 0);
  assert.ok((after('gw_snapshot_age_seconds') ?? -1) >= 0);
});

it('the metrics of a control plane show the use of its connection pools', async (t) => {
  const { url, plane } = await testAdministrator(t);
  const sleeping = [1, 2].map(() => plane.db.query(sql`select pg_sleep(1)`));
  const busy = await until(
    async () => {
      const value = await valuesOf(url);
      return (value('gw_database_queries', { pool: 'commands' }) ?? 0) >= 2 ? value : null;
    },
    { what: 'two statements at work' },
  );
  assert.equal(busy('gw_database_connections_max', { pool: 'commands' }), 4);
  assert.equal(busy('gw_database_connections_max', { pool: 'reports' }), 2);
  const open = busy('gw_database_connections', { pool: 'commands' }) ?? 0;
  assert.ok(open >= 2 && open <= 4, String(open));
  await Promise.all(sleeping);
  await assert.rejects(plane.db.query(sql`select nothing`));
  await until(
    async () => (await valuesOf(url))('gw_database_queries', { pool: 'commands' }) === 0,
    { what: 'no statement at work' },
  );
});

it('a scrape reads nothing from the database, and shows no drift before the first check', async (t) => {
  const { url, plane, admin } = await testAdministrator(t);
  assert.equal((await valuesOf(url))('gw_budget_drift'), undefined);
  await admin.needs.operations.usageUpkeep.run();
  assert.equal((await valuesOf(url))('gw_budget_drift'), 0);
  await plane.close();
  assert.equal((await fetch(`${url}/metrics`)).status, 200);
});

async function valuesOf(url: string) {
  const families = readMetrics(await (await fetch(`${url}/metrics`)).text());
  const samples = [...families.values()].flatMap(({ samples }) => samples);
  return (name: string, labels: Readonly<Record<string, string>> = {}): number | undefined =>
    samples.find(
      (sample) =>
        sample.name === name &&
        Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    )?.value;
}
