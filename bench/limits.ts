// Checks that a rate limit holds: `node bench/limits.ts [--seconds 200] [--limit 600] [--proxies 5] [--controls 3]`. Limiters
// of proxies ask control planes, which are processes on one Postgres, for allotments over real sockets. Every ten seconds one
// control plane is killed and replaced. Demand comes in spikes at changing proxies. It prints the admitted requests of each
// minute of the database's clock, and fails if they exceed the limit or use less than 95 % of it.

import { connect as dial, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { createControlClient } from '../src/gateway/control-link/client.ts';
import { startReconcile } from '../src/gateway/control-link/reconcile.ts';
import { principalId } from '../src/lib/ids.ts';
import { Limiter } from '../src/limits/limiter.ts';
import { createLog } from '../src/telemetry/log.ts';
import { globalSetup, globalTeardown } from '../test/harness/global-setup.ts';
import { testDatabase } from '../test/harness/postgres/postgres.ts';
import { connect } from './control/load.ts';
import { loggedIn, prepareDatabase, proxyToken, startServer } from './control/server.ts';
import type { Server } from './control/server.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '200' },
    limit: { type: 'string', default: '600' },
    proxies: { type: 'string', default: '5' },
    controls: { type: 'string', default: '3' },
  },
});
const limit = Number(values.limit);
const seconds = Number(values.seconds);
const killMs = 10_000;
const minuteMs = 60_000;
const one = principalId.parse(1);
const limits = { requests_per_min: limit, tokens_per_min: null };

/** A balancer: each connection goes to the next control plane, and ends with it. */
async function startBalancer(controls: readonly Server[]) {
  let next = 0;
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    const to = new URL(controls[next++ % controls.length]?.adminUrl ?? '');
    const upstream = dial(Number(to.port), to.hostname);
    for (const [from, into] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      open.add(from);
      from.on('error', () => into.destroy());
      from.on('close', () => {
        open.delete(from);
        into.destroy();
      });
      from.pipe(into);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: (): void => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

const filter = { base: 'error', targets: new Map() } as const;
const log = createLog({ write: () => {}, filter, format: 'json' });

function startProxy(controlUrl: string, index: number) {
  // Without allotments it refuses.
  const limiter = new Limiter({ outageShare: 0 });
  const client = createControlClient({ controlUrl, proxyToken, caBundle: [] });
  const reconciling = startReconcile({
    client,
    limiter,
    replica: `proxy-${index}`,
    log,
    intervalMs: 5_000,
    monotonic: () => performance.now(),
  });
  return {
    ask: (): boolean =>
      limiter.admit(one, limits, { tokens: 1, nowMs: performance.now() }).refusedBy === null,
    stop: async (): Promise<void> => {
      await reconciling.stop();
      await client.close();
    },
  };
}

async function measure(databaseUrl: string): Promise<void> {
  await prepareDatabase(databaseUrl, async () => {});
  const start = () => startServer(databaseUrl);
  const controls = await Promise.all(Array.from({ length: Number(values.controls) }, start));
  const [first] = controls;
  if (first === undefined) throw new Error('no control plane');
  const admin = connect(first.adminUrl, { cookie: await loggedIn(first.adminUrl) });
  await admin.send('PUT', '/admin/principals/1/limits', limits);
  admin.close();
  const balancer = await startBalancer(controls);
  const proxies = Array.from({ length: Number(values.proxies) }, (_, index) =>
    startProxy(balancer.url, index),
  );
  const admitted = new Map<number, number>();
  const untilMs = Date.now() + seconds * 1000;
  let asked = 0;
  let killed = 0;
  const kill = async (): Promise<void> => {
    for (let index = 0; Date.now() < untilMs - killMs; index++) {
      await sleep(killMs);
      const at = index % controls.length;
      process.kill(controls[at]?.pid ?? 0, 'SIGKILL');
      killed += 1;
      controls[at] = await start();
    }
  };
  const killing = kill();
  for (let spike = 0; Date.now() < untilMs; spike++) {
    // Two spikes of 300 requests a second, each for three seconds at two of the proxies.
    const hot = proxies.filter((_, index) => (index + spike) % proxies.length < 2);
    for (const endMs = Date.now() + 3_000; Date.now() < endMs;) {
      for (const { ask } of hot) {
        for (let count = 0; count < 6; count++) {
          asked += 1;
          if (!ask()) continue;
          const minute = Math.floor(Date.now() / minuteMs);
          admitted.set(minute, (admitted.get(minute) ?? 0) + 1);
        }
      }
      await sleep(20);
    }
  }
  await killing;
  await Promise.all(proxies.map(({ stop }) => stop()));
  balancer.close();
  await Promise.all(controls.map(({ end }) => end()));
  const minutes = [...admitted.values()];
  console.log(
    `asked ${asked}, control planes killed ${killed}; admitted by minute: ${minutes.join(' ')}`,
  );
  const whole = minutes.slice(1, -1);
  if (minutes.some((count) => count > limit)) throw new Error('the limit was exceeded');
  if (whole.some((count) => count < 0.95 * limit)) throw new Error('less than 95 % was used');
  console.log(`never above ${limit}; at least ${Math.min(limit, ...whole)} in each whole minute`);
}

await globalSetup();
const { url, drop } = await testDatabase();
try {
  console.log(`load average before: ${loadavg()[0]?.toFixed(1)}`);
  await measure(url);
} finally {
  await drop();
  await globalTeardown();
}
