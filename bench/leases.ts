// Measures a fleet of hosts: `node bench/leases.ts [--hosts 1000] [--beat 20] [--sweep 60] [--seconds 120] [--profile
// directory]`. Each host serves a model, and its agent sends a heartbeat every `--beat` seconds to role control, a
// process with an embedded Postgres that sweeps every `--sweep` seconds. It prints the CPU time of the server and the
// database, and that of a bare server that gets the same heartbeats.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

import { startEmbeddedPostgres } from '../src/cli/postgres/embedded-postgres.ts';
import { eachInParallel } from '../src/lib/parallel.ts';
import { cpuSeconds, cpuSecondsOfFamily } from './control/cpu.ts';
import { announced } from './gateway/announce.ts';
import { connect, quantile, sendAtRate } from './control/load.ts';
import type { Answered, Connection } from './control/load.ts';
import { loggedIn, postmasterOf, prepareDatabase, startServer } from './control/server.ts';

const { values } = parseArgs({
  options: {
    hosts: { type: 'string', default: '1000' },
    beat: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '120' },
    sweep: { type: 'string', default: '60' },
    profile: { type: 'string' },
  },
});
const hosts = Number(values.hosts);
const seconds = Number(values.seconds);
const perSecond = hosts / Number(values.beat);

/** Serves all hosts, each at its own path. */
async function startHosts() {
  const server = createServer((request, response) => {
    const index = /^\/(\d+)\//.exec(request.url ?? '')?.[1] ?? '';
    response.end(JSON.stringify({ object: 'list', data: [{ id: `model-${index}` }] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const { port } = address;
  return {
    apiBase: (index: number): string => `http://127.0.0.1:${port}/${index}/v1`,
    close: (): void => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A bare server as a process, and a client for it. */
async function startFloor() {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'control/floor.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const port = announced.exec(String(line))?.[1];
  const { send, close } = connect(`http://127.0.0.1:${port}`, { authorization: 'Bearer none' });
  return {
    pid: child.pid ?? 0,
    send,
    end: async (): Promise<void> => {
      close();
      child.kill();
      await ended;
    },
  };
}

const memberOf = ({ body }: Answered, name: string): unknown => Reflect.get(JSON.parse(body), name);

/** The body that an agent sends. */
const beatOf =
  (agent: Pick<Connection, 'send'>, apiBase: (index: number) => string) =>
  (index: number): Promise<Answered> =>
    agent.send('POST', '/admin/providers/register', {
      api_base: apiBase(index % hosts),
      name: `host-${index % hosts}-model-8000`,
      node: `host-${index % hosts}`,
      engine: 'vllm',
      ttl_seconds: 90,
    });

async function measure(databaseUrl: string): Promise<void> {
  await prepareDatabase(databaseUrl, async () => {});
  const env = {
    GW_DYNAMIC_PROVIDERS_MAX: String(hosts),
    GW_PROVIDER_SWEEP_INTERVAL: values.sweep,
  };
  const { profile } = values;
  const execArgv = profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profile];
  const server = await startServer(databaseUrl, { env, execArgv });
  const fleet = await startHosts();
  const floor = await startFloor();
  const admin = connect(server.adminUrl, { cookie: await loggedIn(server.adminUrl) });
  const made = await admin.send('POST', '/admin/keys', { name: 'agent', principal_id: 1 });
  const key = String(memberOf(made, 'key'));
  const agent = connect(server.adminUrl, { authorization: `Bearer ${key}` });
  const beat = beatOf(agent, fleet.apiBase);
  const position = async (): Promise<number> =>
    Number(memberOf(await admin.send('GET', '/admin/health'), 'log_position'));
  const postmaster = await postmasterOf(databaseUrl);
  try {
    const startedAt = performance.now();
    await eachInParallel([...Array(hosts).keys()], 16, async (index) => {
      const { status, body } = await beat(index);
      if (status !== 200) throw new Error(`a registration was answered ${status}: ${body}`);
    });
    const took = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(`${hosts} hosts registered in ${took} s, with their models`);
    const before = await position();
    const cpu = {
      control: cpuSeconds(server.pid),
      postgres: cpuSecondsOfFamily(postmaster),
      floor: cpuSeconds(floor.pid),
    };
    const atFloor = beatOf(floor, fleet.apiBase);
    const [measured] = await Promise.all([
      sendAtRate({ perSecond, seconds, send: beat }),
      sendAtRate({ perSecond, seconds, send: atFloor }),
    ]);
    const share = (used: number): string => `${((used * 100) / measured.seconds).toFixed(1)} %`;
    const control = cpuSeconds(server.pid) - cpu.control;
    const postgres = cpuSecondsOfFamily(postmaster) - cpu.postgres;
    console.log(
      `${perSecond} heartbeats a second for ${seconds} s, swept every ${values.sweep} s: ${share(control + postgres)} of a core ` +
        `(control plane ${share(control)}, Postgres ${share(postgres)})`,
    );
    console.log(
      `a bare server, with the same heartbeats: ${share(cpuSeconds(floor.pid) - cpu.floor)}`,
    );
    const at = (quota: number): string => quantile(measured, quota).toFixed(1);
    const failed = [...measured.failures].map(([status, count]) => `${count} × ${status}`);
    console.log(
      `a heartbeat: p50 ${at(0.5)} p99 ${at(0.99)} ms, failed: ${failed.join() || 'none'}`,
    );
    console.log(`events made by them: ${(await position()) - before}`);
  } finally {
    agent.close();
    admin.close();
    await server.end();
    await floor.end();
    fleet.close();
  }
}

const directory = await mkdtemp(path.join(tmpdir(), 'gw-bench-'));
const postgres = await startEmbeddedPostgres({
  directory: path.join(directory, 'pg'),
  log: () => {},
  ephemeral: true,
});
try {
  console.log(`load average before: ${loadavg()[0]?.toFixed(1)}`);
  await measure(postgres.url);
} finally {
  await postgres.stop();
  await rm(directory, { recursive: true, force: true });
}
