// Runs every candidate on every workload in turn, so that a slow minute of the machine affects all of them. All
// processes are stopped, however the run ends.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { announced } from './announce.ts';
import {
  direct,
  program,
  startFloor,
  startGw,
  startFullGw,
  startHaproxy,
  startHello,
  startNginx,
  startPortkey,
  takesPart,
} from './candidates.ts';
import type { Candidate, CandidateName, Surroundings } from './candidates.ts';
import { cores, startChild } from './child.ts';
import type { Child, ChildOptions } from './child.ts';
import { measurement } from './job.ts';
import type { Job, Measurement } from './job.ts';
import { findHaproxy } from './haproxy.ts';
import { findNginx } from './nginx.ts';
import { installPortkey } from './portkey.ts';
import { probe, requestsOnWire } from './probe.ts';
import { workloads } from './workload.ts';
import type { Workload, WorkloadName } from './workload.ts';

export type RunOptions = Readonly<{
  rounds: number;
  warmMs: number;
  measureMs: number;
  /** Before the first round, because runtimes compile frequent code. */
  firstWarmMs: number;
  candidates: readonly CandidateName[];
  workloads: readonly WorkloadName[];
  nodeArgv: readonly string[];
  say: (line: string) => void;
}>;

export type Sample = Readonly<{
  round: number;
  candidate: CandidateName;
  workload: WorkloadName;
}> &
  Measurement;

/** `notes` contains the findings of the candidates' own counters. */
export type Run = Readonly<{ samples: readonly Sample[]; notes: readonly string[] }>;

export async function runBenchmark(options: RunOptions): Promise<Run> {
  const children: Child[] = [];
  const directory = mkdtempSync(join(tmpdir(), 'gw-bench-'));
  const start = async (child: ChildOptions): Promise<Child> => {
    const started = await startChild(child);
    children.push(started);
    return started;
  };
  const stopAll = async (): Promise<void> => {
    await Promise.all(children.map((child) => child.stop()));
    rmSync(directory, { recursive: true, force: true });
  };
  const onSignal = (): void => void stopAll().then(() => process.exit(130));
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  try {
    const argv = [program('upstream')];
    const core = cores.load;
    const upstream = await start({ name: 'upstream', core, argv, ready: announced });
    const { nodeArgv } = options;
    const candidates = await startCandidates({ upstream, directory, start, nodeArgv }, options);
    const load = await start({ name: 'load', core, argv: [program('load')], ready: /^ready$/ });
    return await measureAll(load, candidates, options);
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
    await stopAll();
  }
}

async function startCandidates(
  surroundings: Surroundings,
  { candidates, say }: RunOptions,
): Promise<readonly Candidate[]> {
  const started: Candidate[] = [];
  for (const name of candidates) {
    const candidate = await startCandidate(name, surroundings, say);
    if (candidate !== null) started.push(candidate);
  }
  return started;
}

async function startCandidate(
  name: CandidateName,
  surroundings: Surroundings,
  say: (line: string) => void,
): Promise<Candidate | null> {
  switch (name) {
    case 'direct':
      return direct(surroundings);
    case 'nginx': {
      const file = findNginx(say);
      return file === null ? null : startNginx(surroundings, file);
    }
    case 'haproxy': {
      const file = findHaproxy(say);
      return file === null ? null : startHaproxy(surroundings, file);
    }
    case 'floor':
      return startFloor(surroundings);
    case 'hello':
      return startHello(surroundings);
    case 'gw':
      return startGw(surroundings);
    case 'gw-full':
      return startFullGw(surroundings);
    case 'portkey': {
      const file = installPortkey(say);
      return file === null ? null : startPortkey(surroundings, file);
    }
  }
}

type Pairing = Readonly<{ candidate: Candidate; workload: Workload; answer: Buffer }>;

async function measureAll(
  load: Child,
  candidates: readonly Candidate[],
  options: RunOptions,
): Promise<Run> {
  const sent = new Map<CandidateName, number>();
  const count = ({ name }: Candidate, requests: number): void =>
    void sent.set(name, (sent.get(name) ?? 0) + requests);
  const pairings: Pairing[] = [];
  for (const workload of workloads.filter(({ name }) => options.workloads.includes(name))) {
    for (const candidate of candidates.filter(({ name }) => takesPart(name, workload.name))) {
      pairings.push({ candidate, workload, answer: await probe(candidate, workload) });
      count(candidate, 1);
    }
  }
  const samples: Sample[] = [];
  for (let round = 1; round <= options.rounds; round++) {
    for (const pairing of pairings) {
      const { candidate, workload } = pairing;
      const warmMs = round === 1 ? options.firstWarmMs : options.warmMs;
      const result = await measureOne(load, pairing, { ...options, warmMs });
      count(candidate, result.sent);
      samples.push({ round, candidate: candidate.name, workload: workload.name, ...result });
      const { requestsPerSecond, cpuMicros } = result;
      const cost = cpuMicros === null ? '' : `, ${cpuMicros.toFixed(1)} µs`;
      options.say(
        `round ${round}: ${workload.name} ${candidate.name} ${requestsPerSecond.toFixed(0)}/s${cost}`,
      );
    }
  }
  const notes: string[] = [];
  for (const { name, check } of candidates) {
    if (check !== null) notes.push(await check(sent.get(name) ?? 0));
  }
  return { samples, notes };
}

const answerMsMax = 30_000;

async function measureOne(
  load: Child,
  { candidate, workload, answer }: Pairing,
  { warmMs, measureMs }: Pick<RunOptions, 'warmMs' | 'measureMs'>,
): Promise<Measurement> {
  const job: Job = {
    port: candidate.port,
    requests: requestsOnWire(candidate, workload).map((bytes) => bytes.toString('base64')),
    answer: answer.toString('base64'),
    connections: workload.connections,
    warmMs,
    measureMs,
    pid: candidate.pid,
  };
  const line = await load.ask(JSON.stringify(job), warmMs + measureMs + answerMsMax);
  return measurement.parse(JSON.parse(line));
}
