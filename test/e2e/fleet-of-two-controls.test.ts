// Tests two control planes as processes on one database: reports go to either while one is killed
// and replaced. Both show the same fleet, and a webhook gets each transition with an id of its own.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { z } from 'zod';

import { healthReport } from '../../src/snapshot/health-report.ts';
import {
  prepareControl,
  proxyToken,
  startControlProgram,
} from '../harness/program/control-program.ts';
import type { ControlProgram } from '../harness/program/control-program.ts';
import { healthOf } from '../harness/gateway/health.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';
import { startUpstream } from '../harness/upstream/upstream.ts';
import { until } from '../harness/wait.ts';

const replicas = ['a', 'b'];
const transitionsPerReplica = 500;
const killedAt = 200;

const fleetRows = z.array(
  healthReport.extend({ snapshot_since: z.string(), reported_at: z.string() }),
);

/** True if the control plane accepted the report. */
const post = async ({ adminUrl }: ControlProgram, report: unknown): Promise<boolean> => {
  try {
    const { status } = await fetch(`${adminUrl}/health-report`, {
      method: 'POST',
      headers: { authorization: `Bearer ${proxyToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(report),
    });
    return status === 204;
  } catch {
    return false;
  }
};

const fleetOf = ({ admin }: ControlProgram) => admin.get('/admin/fleet', fleetRows);

it('shows one fleet and notifies once of each transition while a control plane is killed', async (t) => {
  const { url } = await testDatabase(t);
  await prepareControl(url);
  await using receiver = await startUpstream((_, response) => void response.writeHead(204).end());
  const lasting = await startControlProgram(t, url);
  const killed = await startControlProgram(t, url);
  const controls = [lasting, killed];
  const hook = { name: 'alerts', url: `${receiver.apiBase}/hook` };
  await lasting.admin.send({
    method: 'POST',
    path: '/admin/webhooks',
    body: hook,
    answer: z.unknown(),
  });

  const replaced: Promise<ControlProgram>[] = [];
  const replace = async (): Promise<ControlProgram> => {
    await killed.end('SIGKILL');
    controls.pop();
    const next = await startControlProgram(t, url);
    controls.push(next);
    return next;
  };
  /** Each report changes the health of the backend, and is repeated until it is accepted. */
  const toggle = async (replica: string): Promise<void> => {
    let sequence = 0;
    for (let change = 0; change <= transitionsPerReplica; change++) {
      if (change === killedAt && replaced.length === 0) replaced.push(replace());
      const backends = { m: change % 2 === 0 };
      for (let isAccepted = false; !isAccepted;) {
        const control = controls[++sequence % controls.length] ?? lasting;
        isAccepted = await post(control, healthOf(replica, { sequence, backends }));
      }
    }
  };
  await Promise.all(replicas.map(toggle));
  const [next] = await Promise.all(replaced);
  assert.ok(next !== undefined);

  const rows = await fleetOf(lasting);
  assert.deepEqual(
    rows.map(({ replica }) => replica),
    replicas,
  );
  assert.deepEqual(await fleetOf(next), rows);
  const expected = replicas.length * transitionsPerReplica;
  const idsOf = () => new Set(receiver.seen.map(({ headers }) => headers['webhook-id']));
  await until(() => idsOf().size >= expected, { what: 'all notifications' });
  assert.equal(idsOf().size, expected);
  const types = new Map(
    receiver.seen.map(({ headers, body }) => [
      headers['webhook-id'],
      String(JSON.parse(String(body)).type),
    ]),
  );
  const count = (type: string) => [...types.values()].filter((one) => one === type).length;
  assert.deepEqual([count('backend_down'), count('backend_recovered')], [500, 500]);
});
