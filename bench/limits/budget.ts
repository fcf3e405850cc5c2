// Sends spikes to proxies that share a budget, until it is used up. Each proxy has the parts of the gateway that decide on
// budgets: snapshots, delivery of usage, allotments and admission. It prints what was accepted, and fails if that is more
// than the budget and the requests in flight allow, or less than 95 % of the budget.

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { createControlClient } from '../../src/gateway/control-link/client.ts';
import { createLive } from '../../src/gateway/config/live.ts';
import { startPoll } from '../../src/gateway/control-link/poll.ts';
import { startReconcile } from '../../src/gateway/control-link/reconcile.ts';
import { createUsageReporter } from '../../src/gateway/control-link/report.ts';
import { withSpending } from '../../src/gateway/admission/admit.ts';
import { AllottedBudgets } from '../../src/limits/allotted-budgets.ts';
import { Limiter } from '../../src/limits/limiter.ts';
import { Spending } from '../../src/limits/spending.ts';
import { newCounts } from '../../src/telemetry/metrics.ts';
import { createUlids } from '../../src/usage/ulid.ts';
import { usageEvent } from '../../src/usage/usage-event.ts';
import { proxyToken } from '../control/server.ts';
import type { Controls } from './controls.ts';
import { hotAmong, log } from './spikes.ts';

/** In micro-units. */
const estimateMicros = 1_000;
/** Requests that each hot proxy gets every 20 ms. */
const burst = 6;
/** The longest time that a request is in flight. */
const inFlightMs = 400;

const monotonic = (): number => performance.now();
const newId = createUlids({ now: Date.now, randomBytes });

type Measured = Readonly<{ proxies: number; seconds: number; spread: number }>;

export async function measureBudget(
  controls: Controls,
  { proxies: count, seconds, spread }: Measured,
): Promise<void> {
  // Demand is 600 requests a second; the budget lasts for about half of the time.
  const budget = Math.floor(seconds * 300) * estimateMicros;
  const { admin, url } = controls;
  await admin.send('PUT', '/admin/principals/1/budget', {
    cost_total_micros: budget,
    tokens_total: null,
    window: 'monthly',
  });
  await admin.send('POST', '/admin/keys', { name: 'bench', principal_id: 1 });
  const tally = { asked: 0, accepted: 0, excess: 0, atEnd: 0 };
  const start = (_: unknown, index: number) => startProxy({ url, index, tally, spread });
  const proxies = await Promise.all(Array.from({ length: count }, start));
  const untilMs = Date.now() + seconds * 1000;
  const killing = controls.killUntil(untilMs);
  for (let spike = 0; Date.now() < untilMs; spike++) {
    const hot = hotAmong(proxies, spike);
    for (const endMs = Date.now() + 3_000; Date.now() < endMs;) {
      for (const { ask } of hot) for (let count = 0; count < burst; count++) ask();
      await sleep(20);
    }
    const used = ((100 * tally.accepted) / budget).toFixed(2);
    console.log(`${((untilMs - Date.now()) / 1000).toFixed(0)} s left: ${used} % accepted`);
  }
  const killed = await killing;
  await sleep(inFlightMs);
  await Promise.all(proxies.map(({ stop }) => stop()));
  const { asked, accepted, excess } = tally;
  const part = (micros: number): string => `${((100 * micros) / budget).toFixed(3)} %`;
  console.log(
    `asked ${asked}, control planes killed ${killed}; accepted ${accepted} of ${budget} (${part(accepted)}), ` +
      `requests in flight cost at most ${excess} more than estimated at one time`,
  );
  if (accepted > budget + excess) throw new Error('the budget was exceeded');
  if (accepted < 0.95 * budget) throw new Error('less than 95 % was used');
}

type Started = Readonly<{
  url: string;
  index: number;
  /** `excess`: the most that requests in flight at one time cost beyond their estimates. */
  tally: { asked: number; accepted: number; excess: number; atEnd: number };
  spread: number;
}>;

async function startProxy({ url, index, tally, spread }: Started) {
  const client = createControlClient({ controlUrl: url, proxyToken, caBundle: [] });
  const live = createLive({ log, monotonic });
  const spending = new Spending();
  const replica = `proxy-${index}`;
  const counts = newCounts();
  const link = { client, replica, run: newId(), counts, log, spending };
  const reporter = createUsageReporter(link);
  const limiter = new Limiter({ outageShare: 0 });
  const budgets = new AllottedBudgets({ spending, outageShare: 0 });
  const reconciling = startReconcile({ ...link, limiter, budgets, intervalMs: 5_000, monotonic });
  const poll = await startPoll({
    ...link,
    live,
    cache: null,
    acceptLog: null,
    pollMs: 5_000,
    random: Math.random,
    monotonic,
  });
  const ask = (): void => {
    tally.asked += 1;
    const found = [...(live.current()?.callers.values() ?? [])].find(
      ({ principalId }) => principalId === 1,
    );
    if (found?.budget === undefined || found.budget === null || found.principalId === null) return;
    const { principalId, budget } = found;
    if (withSpending(found, spending, Date.now).reachedCap !== null) return;
    const ahead = { tokens: 0, micros: estimateMicros };
    const asked = { caps: budget.caps, cost: ahead, nowMs: monotonic() };
    if (!budgets.admit(principalId, budget, asked)) return;
    const hold = spending.hold(principalId, budget, ahead);
    const cost = Math.round(estimateMicros * (1 + spread * (2 * Math.random() - 1)));
    tally.accepted += cost;
    tally.atEnd += Math.max(0, cost - estimateMicros);
    tally.excess = Math.max(tally.excess, tally.atEnd);
    setTimeout(() => {
      tally.atEnd -= Math.max(0, cost - estimateMicros);
      const id = newId();
      const spent = spending.conclude(hold, { tokens: 0, micros: cost });
      reporter.record(rowOf(id, principalId, cost), spent);
    }, Math.random() * inFlightMs);
  };
  return {
    ask,
    stop: async (): Promise<void> => {
      await reporter.close();
      await reconciling.stop();
      await poll.stop();
      await client.close();
    },
  };
}

const rowOf = (id: string, principal: number, cost: number) =>
  usageEvent.parse({
    id,
    at: new Date().toISOString(),
    principal_id: principal,
    key_id: null,
    model_id: null,
    model: null,
    provider_id: null,
    virtual_model: 'bench',
    path: '/v1/chat/completions',
    snapshot_version: 0,
    route: null,
    tag: null,
    stream: false,
    status: 200,
    refusal: null,
    prompt_tokens: 0,
    completion_tokens: 0,
    usage_reported: true,
    reported_cost_micros: cost,
    cached: false,
    duration_ms: 1,
    ttft_ms: null,
    attempts: 1,
    prompt_estimate: 0,
    max_tokens: null,
  });
