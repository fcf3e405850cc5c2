// Tests how a proxy asks for its allotments of the rate limits over real sockets (specification,
// "Reconciliation"): from a control plane of this release, of an older one, and from none.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TestContext } from 'node:test';

import { createControlClient } from '../../../src/gateway/control-link/client.ts';
import { startReconcile } from '../../../src/gateway/control-link/reconcile.ts';
import { principalId } from '../../../src/lib/ids.ts';
import { AllottedBudgets } from '../../../src/limits/allotted-budgets.ts';
import { Limiter } from '../../../src/limits/limiter.ts';
import { Spending } from '../../../src/limits/spending.ts';
import { reconcileReport } from '../../../src/limits/reconciliation.ts';
import type { ReconcileReport } from '../../../src/limits/reconciliation.ts';
import { collectLog } from '../../harness/gateway/gateway.ts';
import type { LogLine } from '../../harness/gateway/gateway.ts';
import { startUpstream } from '../../harness/upstream/upstream.ts';
import type { Script, ScriptedUpstream } from '../../harness/upstream/upstream.ts';
import { until } from '../../harness/wait.ts';

const one = principalId.parse(1);
const limits = { requests_per_min: 100, tokens_per_min: null };

const answering =
  (share: number): Script =>
  (_request, response) =>
    void response.end(
      JSON.stringify({
        allowances: [{ principal_id: 1, requests_share: share, tokens_share: 1, added_later: 1 }],
      }),
    );

/** A replica whose limiter has a clock of the test's own, and that reports every 10 ms. */
function startReplica(t: TestContext, control: ScriptedUpstream, outageShare = 1) {
  const limiter = new Limiter({ outageShare });
  const clock = { ms: 0 };
  const lines: LogLine[] = [];
  const controlUrl = control.apiBase.replace(/\/v1$/, '');
  const client = createControlClient({ controlUrl, proxyToken: 'token', caBundle: [] });
  const reconciling = startReconcile({
    client,
    limiter,
    budgets: new AllottedBudgets({ spending: new Spending() }),
    replica: 'replica-1',
    log: collectLog(lines),
    intervalMs: 10,
    monotonic: () => clock.ms,
  });
  t.after(async () => {
    await reconciling.stop();
    await client.close();
  });
  const ask = () => {
    const { allowances } = limiter.admit(one, limits, { tokens: 1, nowMs: clock.ms });
    return allowances.requests?.remaining ?? NaN;
  };
  const isAllotted = () => limiter.allotted.minuteAt(clock.ms) !== null;
  return { ask, clock, lines, isAllotted, ...reconciling };
}

const reports = ({ seen }: ScriptedUpstream): ReconcileReport[] =>
  seen.map(({ body }) => reconcileReport.parse(JSON.parse(body.toString())));

it('reports at once and then on, what it saw since the last time, with the proxy token', async (t) => {
  await using control = await startUpstream(answering(1));
  const { ask } = startReplica(t, control);
  await until(() => control.seen.length >= 1, { what: 'the first report' });
  const [first] = control.seen;
  assert.deepEqual(
    [first?.method, first?.path, first?.headers.authorization],
    ['POST', '/limits/reconcile', 'Bearer token'],
  );
  assert.deepEqual(reports(control)[0], {
    replica_id: 'replica-1',
    counts: [],
    asks: { sequence: 1, limits: [], budgets: [] },
  });
  for (const _time of [1, 2, 3]) ask();
  const total = () =>
    reports(control)
      .flatMap(({ counts }) => counts)
      .reduce((sum, { requests }) => sum + requests, 0);
  await until(() => total() >= 3, { what: 'a report of three requests' });
  const known = reports(control).length;
  await until(() => reports(control).length > known + 2, { what: 'later reports' });
  assert.equal(total(), 3);
  assert.deepEqual(reports(control).at(-1)?.counts, [{ principal_id: 1, requests: 0, tokens: 0 }]);
});

it('lets through its share, and all of the limit once that is three intervals old', async (t) => {
  await using control = await startUpstream(answering(0.25));
  const { ask, clock } = startReplica(t, control);
  assert.equal(ask(), 99);
  await until(() => ask() < 25, { what: 'the share' });
  control.play((_request, response) => void response.writeHead(503).end());
  const failed = control.seen.length;
  await until(() => control.seen.length > failed + 1, { what: 'a report that fails' });
  clock.ms = 29;
  assert.ok(ask() < 25);
  clock.ms = 10 * 60_000;
  assert.equal(ask(), 99);
});

/** Gives a start of 40 in minute 7, which ends in 20 ms, and of 30 in the next one. */
const allotting: Script = (_request, response) =>
  void response.end(
    JSON.stringify({
      replicas: 1,
      allowances: [],
      allotments: {
        minute: 7,
        ends_in_ms: 20,
        start_share: 4_000,
        next_start_share: 3_000,
        limits: [],
        short: [],
      },
    }),
  );

for (const [outageShare, left] of [
  [1, 99],
  [0.2, 19],
  [0, 0],
] as const) {
  it(`uses its allotments when the control plane goes away, then ${outageShare} of the limit`, async (t) => {
    await using control = await startUpstream(allotting);
    const { ask, clock, isAllotted } = startReplica(t, control, outageShare);
    await until(isAllotted, { what: 'the allotment' });
    control.play((_request, response) => void response.writeHead(503).end());
    const failed = control.seen.length;
    await until(() => control.seen.length > failed + 1, { what: 'a report that fails' });
    clock.ms = 19;
    assert.ok(ask() < 40);
    clock.ms = 20;
    assert.equal(ask(), 29);
    clock.ms = 60_019;
    assert.equal(ask(), 28);
    clock.ms = 60_020;
    assert.equal(ask(), left);
  });
}

it('says what it needs in its next report, and uses what it is allotted', async (t) => {
  await using control = await startUpstream(allotting);
  const { ask, isAllotted } = startReplica(t, control);
  await until(isAllotted, { what: 'the allotment' });
  for (let count = 0; count < 60; count++) ask();
  const asked = () => reports(control).flatMap(({ asks }) => asks?.limits ?? []);
  const needs = await until(() => asked().find(({ keeps, wants }) => keeps === 40 && wants > 0), {
    what: 'an ask',
  });
  assert.deepEqual([needs.principal_id, needs.dimension, needs.minute], [1, 'requests', 7]);
  control.play((request, response) => {
    const { asks } = reconcileReport.parse(JSON.parse(request.body.toString()));
    const [ask] = asks?.limits ?? [];
    const { keeps: _keeps, wants: _wants, unit: _unit, ...place } = ask ?? needs;
    response.end(
      JSON.stringify({
        allowances: [],
        allotments: {
          minute: 7,
          ends_in_ms: 20,
          start_share: 4_000,
          next_start_share: null,
          limits: [{ ...place, amount: 50 }],
          short: [],
        },
      }),
    );
  });
  await until(() => ask() > 0, { what: 'more of the limit' });
});

it('gives back what it has not used when it stops', async (t) => {
  await using control = await startUpstream(allotting);
  const { ask, isAllotted, stop } = startReplica(t, control);
  await until(isAllotted, { what: 'the allotment' });
  for (let count = 0; count < 7; count++) ask();
  await stop();
  const last = reports(control).at(-1)?.asks;
  assert.deepEqual(last?.limits, [
    { principal_id: 1, dimension: 'requests', minute: 7, keeps: 7, wants: 0, unit: 1 },
  ]);
  assert.equal(last?.leaves, true);
});

it('tells when the first report was answered, so that a start can wait for it', async (t) => {
  await using control = await startUpstream(allotting);
  const { first, isAllotted } = startReplica(t, control);
  assert.ok(!isAllotted());
  await first;
  assert.ok(isAllotted());
});

it('does not keep a start waiting for a control plane that is silent', async (t) => {
  await using control = await startUpstream(() => {});
  const { first, isAllotted } = startReplica(t, control);
  await first;
  assert.ok(!isAllotted());
});

it('says once that the control plane does not answer, and once that it does again', async (t) => {
  await using control = await startUpstream((_request, response) => void response.end('{"no":1}'));
  const { lines } = startReplica(t, control);
  await until(() => control.seen.length >= 4, { what: 'several reports' });
  control.play(answering(1));
  await until(() => lines.some(({ level }) => level === 'info'), { what: 'the recovery' });
  assert.deepEqual(
    lines.map(({ message }) => message),
    ['rate limits and budgets were not reconciled', 'rate limits and budgets are reconciled again'],
  );
});

it('stops at once, also while the control plane keeps it waiting', async (t) => {
  await using control = await startUpstream(() => {});
  const { stop, lines } = startReplica(t, control);
  await until(() => control.seen.length === 1, { what: 'a report that is not answered' });
  const startedAt = performance.now();
  await stop();
  assert.ok(performance.now() - startedAt < 2000);
  assert.deepEqual(lines, []);
});
