// Measures how many refills of budgets control planes answer, and their CPU. Each connection is a proxy that reports again
// as soon as it is answered, and asks for budgets that all proxies share.

import { setTimeout as sleep } from 'node:timers/promises';

import { principalId } from '../../src/lib/ids.ts';
import { reconcileAnswer } from '../../src/limits/reconciliation.ts';
import type { ReconcileReport } from '../../src/limits/reconciliation.ts';
import { connect } from '../control/load.ts';
import { cpuSeconds, cpuSecondsOfFamily } from '../control/cpu.ts';
import { postmasterOf, proxyToken } from '../control/server.ts';
import type { Controls } from './controls.ts';

const budgetsCount = 200;

type Measured = Readonly<{ databaseUrl: string; proxies: number; seconds: number }>;

export async function measureRefills(
  controls: Controls,
  { databaseUrl, proxies, seconds }: Measured,
): Promise<void> {
  const { admin, url, pids } = controls;
  const ids = Array.from({ length: budgetsCount }, (_, index) => index + 1);
  await Promise.all(
    ids.slice(1).map((id) => admin.send('POST', '/admin/principals', { name: `p${id}` })),
  );
  const budget = { cost_total_micros: 2 ** 40, tokens_total: null, window: 'monthly' };
  await Promise.all(ids.map((id) => admin.send('PUT', `/admin/principals/${id}/budget`, budget)));
  const postmaster = await postmasterOf(databaseUrl);
  const connection = connect(url, { authorization: `Bearer ${proxyToken}` });
  for (const each of [1, 10, 100]) {
    let reports = 0;
    let refills = 0;
    const ending = new AbortController();
    const run = async (index: number): Promise<void> => {
      for (let sequence = 1; !ending.signal.aborted; sequence++) {
        const report = reportOf(`${each}-${index}`, { sequence, each, proxies });
        const { status, body } = await connection.send('POST', '/limits/reconcile', report);
        if (status !== 200) throw new Error(`a report was answered ${status}`);
        reports += 1;
        const { allotments } = reconcileAnswer.parse(JSON.parse(body));
        refills += allotments?.budgets?.amounts.length ?? 0;
      }
    };
    const cpu = () => ({
      control: pids().reduce((sum, pid) => sum + cpuSeconds(pid), 0),
      postgres: cpuSecondsOfFamily(postmaster),
    });
    const before = cpu();
    const running = Promise.all(Array.from({ length: proxies }, (_, index) => run(index)));
    await sleep(seconds * 1000);
    ending.abort();
    await running;
    const after = cpu();
    const ms = (what: keyof typeof after): string =>
      (((after[what] - before[what]) * 1000) / refills).toFixed(3);
    console.log(
      `${each} budgets in a report: ${(reports / seconds).toFixed(0)} reports and ` +
        `${(refills / seconds).toFixed(0)} refills a second; CPU of a refill: ` +
        `control planes ${ms('control')} ms, Postgres ${ms('postgres')} ms`,
    );
  }
  connection.close();
}

type Asking = Readonly<{ sequence: number; each: number; proxies: number }>;

/** Asks for other budgets each time. */
function reportOf(replica: string, { sequence, each, proxies }: Asking): ReconcileReport {
  const first = Math.floor(Math.random() * budgetsCount);
  const budgets = Array.from({ length: each }, (_, index) => ({
    principal_id: principalId.parse(((first + index) % budgetsCount) + 1),
    dimension: 'micros' as const,
    keeps: 1_000,
    spare: 500,
    wants: 1_000,
    unit: 1,
  }));
  const asks = { sequence, replicas: proxies, limits: [], budgets };
  return { replica_id: replica, counts: [], asks };
}
