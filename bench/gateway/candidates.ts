// Lists the measured programs: how each is started and addressed, and how it counts its requests.

import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { announced } from './announce.ts';
import { cores } from './child.ts';
import type { Child, ChildOptions } from './child.ts';
import { configFile, modelNames } from './config.ts';
import { haproxyArguments, haproxyReady } from './haproxy.ts';
import { nginxArguments, nginxReady } from './nginx.ts';
import type { AnswerKind, WorkloadName } from './workload.ts';

export const candidateNames = [
  'direct',
  'nginx',
  'haproxy',
  'floor',
  'hello',
  'gw',
  'gw-full',
  'portkey',
] as const;
export type CandidateName = (typeof candidateNames)[number];

export type Candidate = Readonly<{
  name: CandidateName;
  /** Null when there is no process between the load generator and the upstream. */
  pid: number | null;
  port: number;
  /** Each candidate needs its own path and headers for the same work. */
  ask: (kind: AnswerKind) => Address;
  /** True if answers arrive byte for byte as the upstream wrote them. */
  isVerbatim: boolean;
  /** Throws if its own counters disagree with the requests sent; otherwise returns a note about them. Null when it has no counters. */
  check: ((sent: number) => Promise<string>) | null;
}>;

export type Address = Readonly<{
  path: string;
  model: string;
  /** In addition to those of a client library. */
  headers: Readonly<Record<string, string>>;
}>;

export type Surroundings = Readonly<{
  upstream: Child;
  directory: string;
  /** Starts a process that is stopped at the end of the run. */
  start: (options: ChildOptions) => Promise<Child>;
  /** Node arguments that only gw gets. */
  nodeArgv: readonly string[];
}>;

export const program = (name: string): string => join(import.meta.dirname, `${name}.ts`);

const main = join(import.meta.dirname, '../../src/main.ts');
const proxyToken = 'bench-proxy-token';

const askPlainly = (kind: AnswerKind): Address => ({
  path: `/${kind}/v1/chat/completions`,
  model: modelNames[kind],
  headers: {},
});

const askGw = (kind: AnswerKind): Address => ({
  ...askPlainly(kind),
  path: '/v1/chat/completions',
});

export const direct = ({ upstream }: Surroundings): Candidate => ({
  name: 'direct',
  pid: null,
  port: upstream.port,
  ask: askPlainly,
  isVerbatim: true,
  check: null,
});

export async function startFloor({ upstream, start }: Surroundings): Promise<Candidate> {
  const argv = [program('floor'), `http://127.0.0.1:${upstream.port}`];
  const child = await start({ name: 'floor', core: cores.candidate, argv, ready: announced });
  const { pid, port } = child;
  return { name: 'floor', pid, port, ask: askPlainly, isVerbatim: true, check: null };
}

export async function startNginx(
  { upstream, directory, start }: Surroundings,
  file: string,
): Promise<Candidate> {
  const port = await freePort();
  const argv = nginxArguments(directory, { port, upstreamPort: upstream.port });
  const core = cores.candidate;
  const { pid } = await start({ name: 'nginx', core, program: file, argv, ready: nginxReady });
  return { name: 'nginx', pid, port, ask: askPlainly, isVerbatim: true, check: null };
}

export async function startHaproxy(
  { upstream, directory, start }: Surroundings,
  file: string,
): Promise<Candidate> {
  const port = await freePort();
  const argv = haproxyArguments(directory, { port, upstreamPort: upstream.port });
  const core = cores.candidate;
  const { pid } = await start({ name: 'haproxy', core, program: file, argv, ready: haproxyReady });
  return { name: 'haproxy', pid, port, ask: askPlainly, isVerbatim: true, check: null };
}

export async function startHello({ start }: Surroundings): Promise<Candidate> {
  const argv = [program('hello')];
  const child = await start({ name: 'hello', core: cores.candidate, argv, ready: announced });
  const { pid, port } = child;
  return { name: 'hello', pid, port, ask: askPlainly, isVerbatim: true, check: null };
}

/** A cache hit needs no upstream, so it is compared with a server that answers by itself and not with a proxy. */
export const takesPart = (name: CandidateName, workload: WorkloadName): boolean =>
  workload === 'cache-hit'
    ? name === 'hello' || name === 'gw' || name === 'gw-full'
    : name !== 'hello';

/** File mode: forwarding and counters, without usage rows, because there is no control plane. */
export async function startGw(surroundings: Surroundings): Promise<Candidate> {
  const file = join(surroundings.directory, 'gw.yaml');
  writeFileSync(file, configFile(surroundings.upstream.port));
  const { pid, port } = await startProxy('gw', surroundings, ['--config', file]);
  const check = async (sent: number): Promise<string> => {
    expectCount('gw_requests_total', await readCounter(port, 'gw_requests_total'), sent);
    return `gw counted all of its ${sent} requests`;
  };
  return { name: 'gw', pid, port, ask: askGw, isVerbatim: true, check };
}

/** Http mode with everything on. Each request makes a usage row, which is sent to a control plane. */
export async function startFullGw(surroundings: Surroundings): Promise<Candidate> {
  const { upstream, start, directory } = surroundings;
  const argv = [program('control'), String(upstream.port)];
  const control = await start({ name: 'control', core: cores.load, argv, ready: announced });
  const link = ['--control-url', `http://127.0.0.1:${control.port}`, '--proxy-token', proxyToken];
  const { pid, port } = await startProxy('gw-full', surroundings, [
    ...link,
    '--snapshot-cache',
    join(directory, 'snapshot.json'),
  ]);
  const check = async (sent: number): Promise<string> => {
    expectCount('gw_requests_total', await readCounter(port, 'gw_requests_total'), sent);
    const dropped = await readCounter(port, 'gw_usage_reports_dropped_total');
    expectCount('usage rows', (await rowsOf(control, sent - dropped)) + dropped, sent);
    return `gw-full counted all of its ${sent} requests and dropped ${dropped} usage rows`;
  };
  return { name: 'gw-full', pid, port, ask: askGw, isVerbatim: true, check };
}

const startProxy = (
  name: string,
  { start, nodeArgv }: Surroundings,
  flags: readonly string[],
): Promise<Child> =>
  start({
    name,
    core: cores.candidate,
    argv: [...nodeArgv, main, '--role', 'proxy', '--port', '0', '--log-format', 'json', ...flags],
    ready: /"url":"http:\/\/127\.0\.0\.1:(\d+)".*gateway started/,
  });

async function readCounter(port: number, name: string): Promise<number> {
  const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const value = new RegExp(`^${name} (\\d+)$`, 'm').exec(page)?.[1];
  if (value === undefined) throw new Error(`gw shows no ${name}`);
  return Number(value);
}

const rowsMsMax = 20_000;
const rowsCheckMs = 100;

/** Rows are sent in batches on a timer, so the last ones arrive a little later. */
async function rowsOf(control: Child, expected: number): Promise<number> {
  const deadline = performance.now() + rowsMsMax;
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${control.port}/rows`);
    const rows = Number(await answer.text());
    if (rows >= expected || performance.now() > deadline) return rows;
    await wait(rowsCheckMs);
  }
}

function expectCount(what: string, counted: number, sent: number): void {
  if (counted !== sent) throw new Error(`${what} is ${counted} after ${sent} requests`);
}

export async function startPortkey(
  { upstream, start }: Surroundings,
  file: string,
): Promise<Candidate> {
  const port = await freePort();
  const { pid } = await start({
    name: 'portkey',
    core: cores.candidate,
    argv: [file, `--port=${port}`, '--headless'],
    environment: { NODE_ENV: 'production' },
    ready: /ready for connections/i,
  });
  const ask = (kind: AnswerKind): Address => ({
    ...askGw(kind),
    headers: {
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': `http://127.0.0.1:${upstream.port}/${kind}/v1`,
    },
  });
  return { name: 'portkey', pid, port, ask, isVerbatim: false, check: null };
}

/** A port that was free a moment ago, because the candidate cannot choose one itself. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
}
