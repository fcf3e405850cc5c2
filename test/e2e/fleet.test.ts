// Tests a control plane and a proxy as processes: the fleet page shows an engine that dies and
// recovers, and a webhook receiver gets signed notifications.

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { it } from 'node:test';

import { z } from 'zod';

import { healthReport } from '../../src/snapshot/health-report.ts';
import { prepareControl, startControlProgram } from '../harness/program/control-program.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';
import { startProxyProgram } from '../harness/program/proxy-program.ts';
import { answerJson, startUpstream } from '../harness/upstream/upstream.ts';
import { until } from '../harness/wait.ts';

const fleet = z.array(healthReport.extend({ age_seconds: z.int(), snapshot_since: z.string() }));
const secret = 'a-secret-of-the-receiver';
const notification = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  event: z.string(),
  replica: z.string(),
  api_base: z.string(),
  model: z.string(),
});

it('shows and reports an engine that dies and recovers', async (test) => {
  const { url: databaseUrl } = await testDatabase(test);
  await prepareControl(databaseUrl);
  await using receiver = await startUpstream((_, response) => void response.writeHead(204).end());
  await using outbox = await startUpstream((_, response) => void response.writeHead(204).end());
  const list = answerJson({ object: 'list', data: [{ id: 'engine-model', max_model_len: 4096 }] });
  await using engine = await startUpstream(list);
  const control = await startControlProgram(test, databaseUrl, {
    GW_WEBHOOK_URL: `${receiver.apiBase}/hook`,
    GW_WEBHOOK_SECRET: secret,
  });
  const { admin } = control;
  const post = (path: string, body: unknown) =>
    admin.send({ method: 'POST', path, body, answer: z.unknown() });
  await post('/admin/webhooks', { name: 'alerts', url: `${outbox.apiBase}/hook` });
  await post('/admin/providers', { name: 'engine', api_base: engine.apiBase });
  await post('/admin/provider-models', { name: 'm' });
  const backend = { provider_id: 1, upstream_model: 'engine-model' };
  await post('/admin/provider-models/1/backends', backend);

  await startProxyProgram(test, {
    controlUrl: control.adminUrl,
    args: ['--health-interval', '1', '--health-report-interval', '1'],
  });
  const seen = (healthy: boolean) =>
    until(
      async () => {
        const rows = await admin.get('/admin/fleet', fleet);
        return rows[0]?.backends[0]?.healthy === healthy && rows;
      },
      { what: `the fleet to see the engine ${healthy ? 'up' : 'down'}` },
    );
  const rows = await seen(true);
  assert.equal(rows.length, 1);
  const [{ replica, backends } = { replica: '', backends: [] }] = rows;
  assert.deepEqual([backends[0]?.api_base, backends[0]?.model], [engine.apiBase, 'engine-model']);

  engine.play(answerJson({}, 500));
  await seen(false);
  engine.play(list);
  await seen(true);
  const received = await until(() => receiver.seen.length >= 2 && receiver.seen, {
    what: 'two notifications',
  });
  const notices = received.map(({ body }) => notification.parse(JSON.parse(String(body))));
  assert.deepEqual(
    notices.map(({ id: _id, at: _at, ...rest }) => rest),
    ['backend_down', 'backend_recovered'].map((event) => ({
      event,
      replica,
      api_base: engine.apiBase,
      model: 'engine-model',
    })),
  );
  for (const { headers, body } of received) {
    const hex = createHmac('sha256', secret).update(body).digest('hex');
    assert.equal(headers['x-gw-signature'], `sha256=${hex}`);
  }
  const delivered = await until(() => outbox.seen.length >= 2 && outbox.seen, {
    what: 'two deliveries from the outbox',
  });
  assert.deepEqual(
    delivered.map(({ headers, body }) => [headers['webhook-id'], JSON.parse(String(body)).type]),
    notices.map(({ id, event }) => [id, event]),
  );
  const config = await admin.get('/admin/config', z.record(z.string(), z.unknown()));
  assert.deepEqual([config['webhook_configured'], config['webhook_signed']], [true, true]);
  assert.doesNotMatch(JSON.stringify(config), /hook"|a-secret-of/);
});
