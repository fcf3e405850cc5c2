// Measures a large control plane: `node bench/control.ts [--quick] [--rate 200] [--seconds 30]`. It fills an embedded
// Postgres with 10,000 models and 50,000 keys, starts role control on it, then sends mutations and reads through HTTP
// at a fixed rate while a proxy polls. Server, database and load share the machine.

import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { startEmbeddedPostgres } from '../src/cli/postgres/embedded-postgres.ts';
import { cpuSeconds, cpuSecondsOfFamily } from './control/cpu.ts';
import { fillLog } from './control/fill.ts';
import type { Size } from './control/fill.ts';
import { connect, quantile, sendAtRate } from './control/load.ts';
import type { Answered, Connection, Measured } from './control/load.ts';
import {
  loggedIn,
  postmasterOf,
  prepareDatabase,
  proxyToken,
  startServer,
} from './control/server.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rate: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '30' },
    profile: { type: 'string' },
  },
});
const { quick } = values;
const size: Size = quick
  ? { principals: 100, providers: 10, models: 500, keys: 2_000 }
  : { principals: 1_000, providers: 50, models: 10_000, keys: 50_000 };
const seconds = quick ? 5 : Number(values.seconds);
const mutationsPerSecond = Number(values.rate);
const readsPerSecond = 10;
/** The default poll interval of a proxy. */
const pollMs = 5_000;

async function fill(databaseUrl: string): Promise<void> {
  await prepareDatabase(databaseUrl, async (plane) => {
    const startedAt = performance.now();
    await fillLog(plane, size);
    const { position } = plane.store.state();
    const took = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(`${position} events appended and projected in ${took} s`);
  });
}

async function measureStart(databaseUrl: string): Promise<void> {
  const server = await startServer(databaseUrl);
  console.log(
    `start: ${(server.startMs / 1000).toFixed(2)} s (${server.startCpuSeconds.toFixed(2)} s of CPU), ` +
      `resident ${residentMb(server.pid)} MB`,
  );
  await server.end();
}

const residentMb = (pid: number): number =>
  Math.round(Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)]).toString()) / 1024);

async function measureLoad(databaseUrl: string): Promise<void> {
  const { profile } = values;
  const profiling = profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profile];
  const server = await startServer(databaseUrl, { execArgv: profiling });
  const connection = connect(server.adminUrl, { cookie: await loggedIn(server.adminUrl) });
  const polling = new AbortController();
  const polls = pollSnapshots(server.adminUrl, polling.signal);
  const postmaster = await postmasterOf(databaseUrl);
  const cpu = () => ({
    control: cpuSeconds(server.pid),
    postgres: cpuSecondsOfFamily(postmaster),
    load: process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6,
  });
  const before = cpu();
  try {
    const [mutations, reads] = await Promise.all([
      sendAtRate({ perSecond: mutationsPerSecond, seconds, send: mutation(connection) }),
      sendAtRate({
        perSecond: readsPerSecond,
        seconds,
        send: () => connection.send('GET', '/admin/keys?limit=100'),
      }),
    ]);
    report('mutations', mutations);
    report('GET /admin/keys?limit=100', reads);
    const after = cpu();
    const each = (what: keyof typeof after): string =>
      (((after[what] - before[what]) * 1000) / mutations.durations.length).toFixed(2);
    console.log(
      `CPU a mutation, reads and polls included: control plane ${each('control')} ms, ` +
        `Postgres ${each('postgres')} ms, load generator ${each('load')} ms`,
    );
    console.log(`resident at the end: ${residentMb(server.pid)} MB`);
    console.log(`load average after: ${loadavg()[0]?.toFixed(1)}`);
  } finally {
    polling.abort();
    const { count, bytes } = await polls;
    console.log(`snapshots polled: ${count}, ${(bytes / 2 ** 20).toFixed(1)} MB the last`);
    connection.close();
    await server.end();
  }
}

function report(what: string, measured: Measured): void {
  const { durations, failures, seconds: took } = measured;
  const rate = (durations.length / took).toFixed(0);
  const at = (share: number): string => quantile(measured, share).toFixed(1);
  const failed =
    [...failures].map(([status, count]) => `${count} × ${status}`).join(', ') || 'none';
  console.log(
    `${what.padEnd(28)} ${rate} a second, p50 ${at(0.5)} p90 ${at(0.9)} p99 ${at(0.99)} max ${at(1)} ms, failed: ${failed}`,
  );
}

/** Ten mutations: create four keys, revoke two, price two models, create one model and one principal. */
const mutation =
  ({ send }: Connection) =>
  (index: number): Promise<Answered> => {
    const some = (count: number): number => 1 + ((index * 7_919) % count);
    switch (index % 10) {
      case 0:
        return send('POST', '/admin/provider-models', { name: `made-${index}` });
      case 1:
        return send('POST', '/admin/principals', {
          name: `made-${index}`,
          kind: 'service_account',
        });
      case 2:
      case 3:
        return send('DELETE', `/admin/keys/${some(size.keys)}`);
      case 4:
      case 5:
        return send('PATCH', `/admin/provider-models/${some(size.models)}`, {
          input_price_per_mtok: index + 1,
        });
      default:
        return send('POST', '/admin/keys', {
          name: `made-${index}`,
          principal_id: some(size.principals),
        });
    }
  };

/** Polls like a proxy, with the version that it has. */
async function pollSnapshots(adminUrl: string, signal: AbortSignal) {
  const polled = { count: 0, bytes: 0 };
  let etag = '';
  while (!signal.aborted) {
    const headers = { authorization: `Bearer ${proxyToken}`, 'if-none-match': etag };
    const answer = await fetch(`${adminUrl}/snapshot`, { headers });
    const body = await answer.arrayBuffer();
    if (answer.status === 200) {
      etag = answer.headers.get('etag') ?? '';
      polled.count += 1;
      polled.bytes = body.byteLength;
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pollMs);
      signal.addEventListener(
        'abort',
        () => {
          clearTimeout(timer);
          resolve();
        },
        { once: true },
      );
    });
  }
  return polled;
}

const directory = await mkdtemp(path.join(tmpdir(), 'gw-bench-'));
const postgres = await startEmbeddedPostgres({
  directory: path.join(directory, 'pg'),
  log: () => {},
  ephemeral: true,
});
try {
  console.log(`load average before: ${loadavg()[0]?.toFixed(1)}`);
  await fill(postgres.url);
  for (let start = 0; start < 3; start++) await measureStart(postgres.url);
  await measureLoad(postgres.url);
} finally {
  await postgres.stop();
  await rm(directory, { recursive: true, force: true });
}
