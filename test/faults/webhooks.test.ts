// Tests that a webhook gets everything when the control process that delivers to it is killed.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { z } from 'zod';

import { turnMs } from '../../src/control/webhooks/outbox.ts';
import { prepareControl, startControlProgram } from '../harness/program/control-program.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';
import { startUpstream } from '../harness/upstream/upstream.ts';
import { until } from '../harness/wait.ts';

const count = 50;
/** The delivery that is in progress when the process is killed. */
const unanswered = 20;

it('another control process takes over after the turn of a killed one, and repeats only the delivery in progress', async (test) => {
  const { url: databaseUrl } = await testDatabase(test);
  await prepareControl(databaseUrl);
  await using receiver = await startUpstream((_, response) => {
    if (receiver.seen.length !== unanswered) response.writeHead(204).end();
  });
  const first = await startControlProgram(test, databaseUrl);
  const post = (path: string, body?: unknown) =>
    first.admin.send({ method: 'POST', path, body, answer: z.unknown() });
  await post('/admin/webhooks', { name: 'alerts', url: receiver.apiBase });
  for (let sent = 0; sent < count; sent++) await post('/admin/webhooks/1/test');
  await until(() => receiver.seen.length === unanswered, { what: 'the delivery in progress' });
  await startControlProgram(test, databaseUrl);
  assert.equal(receiver.seen.length, unanswered);
  await first.end('SIGKILL');
  await until(() => receiver.seen.length === count + 1, {
    what: 'all deliveries',
    limitMs: 2 * turnMs,
  });
  const ids = receiver.seen.map(({ headers }) => String(headers['webhook-id']));
  assert.equal(new Set(ids).size, count);
  assert.equal(ids[unanswered], ids[unanswered - 1]);
});
