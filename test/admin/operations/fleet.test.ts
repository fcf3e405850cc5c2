// Tests the fleet over HTTP: who may report, what people see, and notifications.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { noNotifier } from '../../../src/control/webhooks/notify.ts';
import type { Notification } from '../../../src/notifications/types.ts';
import { errorOf, member, proxyToken, testAdministrator } from '../../harness/admin/admin.ts';
import { healthOf } from '../../harness/gateway/health.ts';

const post = (body: unknown, more: Readonly<{ token?: string; cookie?: string }> = {}) => ({
  method: 'POST',
  path: '/health-report',
  token: proxyToken,
  body,
  ...more,
});

describe('the fleet', () => {
  it('shows the report of each replica in a row, to callers with usage:read', async (t) => {
    const { ask, send, login } = await testAdministrator(t);
    for (const name of ['b', 'a']) {
      const report = healthOf(name, { version: 7, backends: { m: name === 'a' } });
      const answer = await ask(post(report));
      assert.deepEqual([answer.status, answer.body], [204, null]);
    }
    const { body } = await send('GET', '/admin/fleet');
    assert.ok(Array.isArray(body));
    const rows = body.map((row: Record<string, unknown>) => {
      const { reported_at, snapshot_since, age_seconds, ...report } = row;
      assert.deepEqual([reported_at, age_seconds], [snapshot_since, 0]);
      return report;
    });
    assert.deepEqual(rows, [
      healthOf('a', { version: 7, backends: { m: true } }),
      healthOf('b', { version: 7, backends: { m: false } }),
    ]);
    const { body: health } = await send('GET', '/admin/health');
    assert.equal(member(health, 'replicas'), 2);
    assert.equal(member(health, 'replicas_seeing_unhealthy_backends'), 1);
    const nobody = await login('ada', []);
    assert.equal((await ask({ path: '/admin/fleet', cookie: nobody })).status, 403);
    assert.equal((await ask({ path: '/admin/fleet' })).status, 401);
  });

  it('accepts reports only from proxies, and refuses a malformed one', async (t) => {
    const { ask, cookie, send } = await testAdministrator(t);
    const report = healthOf('a', { backends: { m: true } });
    assert.equal((await ask(post(report, { token: 'another', cookie }))).status, 401);
    const [backend] = report.backends;
    for (const [body, param] of [
      [{ ...report, replica: '' }, 'replica'],
      [{ ...report, replica: 'a\u0000' }, 'replica'],
      [{ ...report, snapshot_version: -1 }, 'snapshot_version'],
      [{ ...report, backends: [{ ...backend, healthy: 'yes' }] }, 'backends.0.healthy'],
      [{ ...report, backends: [{ ...backend, inflight: 1.5 }] }, 'backends.0.inflight'],
      [{ ...report, process: {} }, 'process.requests_ok'],
    ] as const) {
      assert.deepEqual(errorOf(await ask(post(body))), [400, 'invalid', param]);
    }
    assert.deepEqual((await send('GET', '/admin/fleet')).body, []);
  });

  it('accepts unknown fields of newer replicas', async (t) => {
    const { ask } = await testAdministrator(t);
    const report = { ...healthOf('a'), later: 1 };
    assert.equal((await ask(post(report))).status, 204);
  });

  it('sends a notification when it changes', async (t) => {
    const notices: Notification[] = [];
    const notifier = {
      ...noNotifier,
      notifyIn: async (_tx: unknown, given: readonly Notification[]) => void notices.push(...given),
      counts: () => ({ delivered: 4, failed: 3, dropped: 2 }),
    };
    const { ask, send } = await testAdministrator(t, { notifier });
    for (const healthy of [false, true, true, false]) {
      await ask(post(healthOf('a', { backends: { m: healthy } })));
    }
    assert.deepEqual(
      notices.map(({ type }) => type),
      ['backend_recovered', 'backend_down'],
    );
    const { body } = await send('GET', '/admin/health');
    assert.deepEqual(member(body, 'notifications'), { delivered: 4, failed: 3, dropped: 2 });
  });
});
