// The page that a scraper reads of a control plane.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { proxyToken, testAdmin } from '../harness/admin.ts';
import { healthOf } from '../harness/health.ts';

const counts = () => ({ delivered: 4, failed: 3, dropped: 2 });

it('the metrics of a control plane are open, and say what is lost', async (t) => {
  const notifier = { notify: () => {}, counts, close: async () => {} };
  const { ask, url } = await testAdmin(t, { notifier });
  await ask({ method: 'POST', path: '/health-report', token: proxyToken, body: healthOf('a') });
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
