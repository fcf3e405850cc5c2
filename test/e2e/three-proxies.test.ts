// Tests that three proxies share one limit and one budget of a principal, also while the control
// plane is killed and restarted. GW_TEST_LIMIT and GW_TEST_LIMIT_SECONDS make it longer (`npm run
// test:soak`).

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { it } from 'node:test';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { z } from 'zod';

import {
  prepareControl,
  proxyToken,
  startControlProgram,
} from '../harness/program/control-program.ts';
import { addModel, createCaller } from '../harness/program/demo-model.ts';
import { chatBody } from '../harness/gateway/gateway.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';
import { startProgram } from '../harness/program/program.ts';
import { until } from '../harness/wait.ts';

const limit = Number(process.env['GW_TEST_LIMIT'] ?? 300);
const limitSeconds = Number(process.env['GW_TEST_LIMIT_SECONDS'] ?? 6);
const replicas = 3;
/**
 * Per replica: until the shares are adjusted, for two seconds, each lets through only a part of the
 * limit.
 */
const perSecond = 40;

/** One second for each step between a response and the refusal that results. */
const everySecond = {
  GW_SNAPSHOT_REBUILD_INTERVAL: '1',
  GW_RATE_LIMIT_RECONCILE_INTERVAL: '1',
  GW_CONFIG_POLL: '1',
};

type Fleet = Awaited<ReturnType<typeof startFleet>>;

async function startFleet(test: TestContext) {
  const { url: databaseUrl } = await testDatabase(test);
  await prepareControl(databaseUrl);
  const control = await startControlProgram(test, databaseUrl, everySecond);
  await addModel(test, control.admin);
  const directory = await mkdtemp(path.join(os.tmpdir(), 'gw-three-'));
  test.after(() => rm(directory, { recursive: true, force: true }));
  const startProxy = async (name: string) => {
    const place = path.join(directory, name);
    const program = startProgram(test, {
      args: ['--control-url', control.adminUrl, '--port', '0'].concat(
        ['--snapshot-cache', `${place}.json`],
        // With a spool, usage is delivered every second.
        ['--usage-spool', place],
      ),
      env: { GW_PROXY_TOKEN: proxyToken, ...everySecond },
    });
    const { url } = z.object({ url: z.string() }).parse(await program.logged('gateway started'));
    return { url, end: program.end };
  };
  const proxies = await Promise.all(
    Array.from({ length: replicas }, (_, index) => startProxy(`proxy-${index}`)),
  );
  /** Returns how many seconds it was down. */
  const restartControl = async (): Promise<number> => {
    const startedAt = performance.now();
    await control.end('SIGKILL');
    const port = { GW_ADMIN_PORT: new URL(control.adminUrl).port };
    await startControlProgram(test, databaseUrl, { ...everySecond, ...port });
    return (performance.now() - startedAt) / 1000;
  };
  return { control, proxies, restartControl };
}

type Caller = Awaited<ReturnType<typeof createCaller>>;
type Proxy = Fleet['proxies'][number];
type Answered = Readonly<{ status: number; sentAt: number; at: number; remaining: string | null }>;

async function chat({ key }: Caller, { url }: Proxy): Promise<Answered> {
  const sentAt = performance.now();
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(chatBody('demo', { max_tokens: 1 })),
  });
  await response.arrayBuffer();
  const remaining = response.headers.get('x-ratelimit-remaining-requests');
  return { status: response.status, sentAt, at: performance.now(), remaining };
}

/** Sends this many requests per second to each proxy until stopped. Returns the results. */
function drive({ proxies }: Fleet, caller: Caller, eachPerSecond: number) {
  const answered: Answered[] = [];
  const underWay = new Set<Promise<void>>();
  const startedAt = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const due = ((performance.now() - startedAt) / 1000) * eachPerSecond;
    for (; sent < due; sent++) {
      for (const proxy of proxies) {
        const one = chat(caller, proxy).then((answer) => {
          answered.push(answer);
          underWay.delete(one);
        });
        underWay.add(one);
      }
    }
  }, 10);
  const stop = async (): Promise<number> => {
    clearInterval(timer);
    await Promise.all(underWay);
    return (performance.now() - startedAt) / 1000;
  };
  return { answered, stop };
}

const count = (answered: readonly Answered[], status: number): number =>
  answered.filter((one) => one.status === status).length;

const usage = z.array(
  z.object({
    key: z.string().nullable(),
    requests: z.int(),
    refused_requests: z.int(),
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
  }),
);
const budgets = z.array(z.looseObject({ principal_id: z.int(), tokens_used: z.int() }));

async function overshoot(test: TestContext, fleet: Fleet): Promise<void> {
  const { admin } = fleet.control;
  const [proxy] = fleet.proxies;
  assert.ok(proxy !== undefined);
  const caller = await createCaller(fleet.control.admin, 'spender');
  const spent = async () => {
    const rows = await admin.get('/admin/usage?group_by=principal', usage);
    return rows.find(({ key }) => key === caller.name);
  };
  const isKnown = async () => (await chat(caller, proxy)).status === 200;
  await until(isKnown, { what: 'the key at a proxy' });
  const first = await until(spent, { what: 'the first row' });
  const each = first.prompt_tokens + first.completion_tokens;
  const affordable = 150;
  await caller.give('budget', { tokens_total: each * affordable, window: 'daily' });
  const load = drive(fleet, caller, 20);
  // Near the end of a budget, a proxy refuses while the rest is reserved for the others.
  const isUsed = () => count(load.answered, 200) >= affordable * 0.95;
  const isOver = () => isUsed() && count(load.answered.slice(-30), 402) === 30;
  await until(isOver, { what: 'refusals alone' });
  await load.stop();
  const served = load.answered.filter(({ status }) => status === 200);
  const refused = count(load.answered, 402);
  assert.equal(served.length + refused, load.answered.length);
  const reachedAt = served[Math.min(affordable, served.length) - 1]?.at ?? 0;
  const lastAt = Math.max(...served.map(({ sentAt }) => sentAt));
  const over = `${served.length - affordable} beyond ${affordable}`;
  test.diagnostic(`${over}, the last ${Math.round(lastAt - reachedAt)} ms after it was reached`);
  // One second to report, one to distribute, and one for a slow machine.
  assert.ok(lastAt - reachedAt < 3000, over);
  const reported = async () => ((await spent())?.refused_requests ?? 0) >= refused;
  await until(reported, { what: 'a row for each refusal' });
  const after = await spent();
  assert.equal((after?.requests ?? 0) - refused, served.length + 1);
  const budget = (await admin.get('/admin/budgets', budgets)).find(
    ({ principal_id: id }) => id === caller.id,
  );
  assert.equal(budget?.tokens_used, each * served.length);
}

/** Sends as many requests at once as the limit times the number of replicas. */
async function meetSpike(test: TestContext, fleet: Fleet): Promise<void> {
  const caller = await createCaller(fleet.control.admin, 'stranger');
  const few = 30;
  await caller.give('limits', { requests_per_min: few });
  const startedAt = performance.now();
  // Checking whether a proxy knows the limit consumes it, so these responses count too.
  const answered: Answered[] = [];
  const ask = async (proxy: Proxy): Promise<boolean> => {
    const answer = await chat(caller, proxy);
    if (answer.remaining === null) return false;
    answered.push(answer);
    return true;
  };
  const known = async () => (await Promise.all(fleet.proxies.map(ask))).every(Boolean);
  await until(known, { what: 'the limit at every proxy' });
  await Promise.all(
    fleet.proxies.flatMap((proxy) => Array.from({ length: few }, () => ask(proxy))),
  );
  const admitted = count(answered, 200);
  const seconds = (performance.now() - startedAt) / 1000;
  test.diagnostic(`${admitted} of ${answered.length} in ${seconds.toFixed(1)} s`);
  assert.ok(admitted <= replicas * few + (replicas * few * seconds) / 60, `${admitted}`);
  assert.ok(admitted >= few, `${admitted}`);
}

async function admitTogether(test: TestContext, fleet: Fleet): Promise<void> {
  const caller = await createCaller(fleet.control.admin, 'sprinter');
  await caller.give('limits', { requests_per_min: limit });
  const isLimited = async (proxy: Proxy) => (await chat(caller, proxy)).remaining !== null;
  await until(async () => (await Promise.all(fleet.proxies.map(isLimited))).every(Boolean), {
    what: 'the limit at every proxy',
  });
  const load = drive(fleet, caller, perSecond);
  await sleep(limitSeconds * 333);
  const [awaySeconds] = await Promise.all([fleet.restartControl(), sleep(limitSeconds * 667)]);
  // The control plane, which is back, hands out the rest.
  const isUsed = () => count(load.answered, 200) >= limit * 0.9;
  await until(isUsed, { what: 'the limit is used' });
  const seconds = await load.stop();
  const admitted = count(load.answered, 200);
  assert.equal(admitted + count(load.answered, 429), load.answered.length);
  const allowed = limit + (limit * seconds) / 60;
  const figures = `${admitted} of ${load.answered.length} in ${seconds.toFixed(1)} s`;
  test.diagnostic(`${figures}; one replica would admit ${Math.round(allowed)}`);
  assert.ok(load.answered.length > allowed + limit, 'more is asked for than may be admitted');
  // While the control plane is down, each replica applies the whole limit.
  const undivided = ((replicas - 1) * limit * awaySeconds) / 60;
  assert.ok(admitted <= allowed + limit + undivided, figures);
}

it('three proxies under one principal', async (test) => {
  const fleet = await startFleet(test);
  await test.test(
    'exceed a budget only until they learn that it is spent, and report each answer',
    (test) => overshoot(test, fleet),
  );
  await test.test(
    'admit a principal that is new to all of them at most once the limit at each',
    (test) => meetSpike(test, fleet),
  );
  // Last, because it kills the control plane.
  await test.test(
    `admit ${limit} requests a minute, through a restart of the control plane`,
    (test) => admitTogether(test, fleet),
  );
});
