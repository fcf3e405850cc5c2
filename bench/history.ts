// Measures a log of a million events: its verification, the rebuild of the read models, past configurations and their
// differences. `node bench/history.ts [--events 1000000] [--parts chain,rebuild,load,states,diffs]` on an embedded
// Postgres of its own; all parts by default.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { sql } from '@databases/pg';

import type { ConfigState } from '../projections/config/state.ts';
import { diffPage } from '../projections/diff.ts';
import { buildReadModel } from '../projections/read-model.ts';
import { startEmbeddedPostgres } from '../src/cli/postgres/embedded-postgres.ts';
import { keepCheckpoints } from '../src/control/history/checkpoints.ts';
import { createWalkThreads } from '../src/control/log/walk-threads.ts';
import { createPastStates } from '../src/control/history/states.ts';
import type { PastStates } from '../src/control/history/states.ts';
import { checkChain } from '../src/control/log/verify-log.ts';
import { readHead } from '../src/db/log/event-log.ts';
import { migrate } from '../src/db/migrate.ts';
import { openDatabase } from '../src/db/pool.ts';
import type { Database } from '../src/db/pool.ts';
import { isRefusal } from '../src/lib/refusal.ts';
import { measureRebuildUnderLoad } from './history/rebuild-under-load.ts';
import { generateLog } from './history/generate.ts';

const everyPart = ['chain', 'rebuild', 'load', 'states', 'diffs'] as const;
type Part = (typeof everyPart)[number];

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '1000000' },
    parts: { type: 'string', default: everyPart.join(',') },
  },
});
const events = Number(values.events);
const asked = new Set(values.parts.split(','));
const unknown = [...asked].filter((part) => !everyPart.some((one) => one === part));
if (unknown.length > 0)
  throw new Error(`--parts: ${unknown.join(', ')} is none of ${everyPart.join(', ')}`);
const has = (part: Part): boolean => asked.has(part);

const samples = 400;

/** Multiples of the golden ratio: evenly spread, and the same in every run. */
const positionOf = (number: number): number => 1 + Math.floor(events * ((number * 0.618034) % 1));

const directory = await mkdtemp(join(tmpdir(), 'gw-bench-'));
const postgres = await startEmbeddedPostgres({
  directory: join(directory, 'pg'),
  log: () => {},
  ephemeral: true,
});
const db = openDatabase({
  url: postgres.url,
  purpose: 'maintenance',
  applicationName: 'gw bench',
  connectionsMax: 4,
});
try {
  await migrate(db);
  await measure(db, postgres.url);
} finally {
  await db.dispose();
  await postgres.stop();
  await rm(directory, { recursive: true, force: true });
}

async function measure(db: Database, url: string): Promise<void> {
  await timed('generated, without read models', () => generateLog(db, events));
  // A log of that age has been vacuumed. Otherwise the first read of each page would pay for it.
  await db.query(sql`vacuum (freeze, analyze) es.events`);
  if (has('chain')) {
    await timed('chain verified', async () => {
      // Verifies as `gw log verify` does.
      const parallel = createWalkThreads(url);
      const { broken } = await checkChain(db, await readHead(db), { parallel });
      await parallel.close();
      if (broken !== null) throw new Error(broken.problem);
    });
  }
  if (asked.size === 1 && has('chain')) return;
  // The basis of all other parts.
  const { state } = await timed('read models built', () => buildReadModel(db));
  if (has('states') || has('diffs')) await measurePast(db, state);
  // The last part, because it appends events for an administrator.
  if (has('load')) await measureRebuildUnderLoad(url);
  console.log(`peak resident memory: ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`);
}

async function measurePast(db: Database, state: ConfigState): Promise<void> {
  await timed('state checkpoints written', () => keepCheckpoints(db, state));
  const past = (): PastStates =>
    createPastStates({
      db,
      store: { state: () => state, rereads: () => 0 },
      catchUp: async () => {},
    });
  if (has('states')) {
    await measureStates('a configuration of any moment, from checkpoints', past);
    const held = past();
    await measureStates('the same, with the states asked for last in memory', () => held);
  }
  if (has('diffs')) await measureDiffs(past);
}

async function timed<Value>(what: string, work: () => Promise<Value>): Promise<Value> {
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  const value = await work();
  const seconds = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const cpu = ((user + system) / 1e6).toFixed(1);
  const rate = Math.round(events / seconds).toLocaleString('en');
  console.log(`${what}: ${seconds.toFixed(1)} s (${cpu} s CPU), ${rate} events a second`);
  return value;
}

async function measureStates(what: string, past: () => PastStates): Promise<void> {
  const costs: Cost[] = [];
  for (let number = 1; number <= samples; number++) {
    costs.push(await costOf(() => stateAt(past(), positionOf(number))));
  }
  report(what, costs);
}

async function measureDiffs(past: () => PastStates): Promise<void> {
  const costs: Cost[] = [];
  const sizes: number[] = [];
  for (let number = 1; number <= samples / 4; number++) {
    const work = async (): Promise<void> => {
      const states = past();
      const from = await stateAt(states, positionOf(number));
      const to = await stateAt(states, positionOf(number + samples));
      // Computes the difference as the admin API does.
      sizes.push(diffPage(from, to, { offset: 0, limit: 1_000 }).total);
    };
    costs.push(await costOf(work));
  }
  report(`what lies between two of them (${Math.max(...sizes)} entities at most)`, costs);
}

/** Both in milliseconds. The CPU time is that of this process only. */
type Cost = Readonly<{ wall: number; cpu: number }>;

async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(cpuBefore);
  return { wall: performance.now() - startedAt, cpu: (user + system) / 1000 };
}

async function stateAt(past: PastStates, position: number): Promise<ConfigState> {
  const state = await past.at({ position }, 'position');
  if (isRefusal(state)) throw new Error(state.message);
  return state;
}

function report(what: string, costs: readonly Cost[]): void {
  console.log(`${what}: ${shares(costs.map(({ wall }) => wall))}`);
  console.log(`  of its CPU: ${shares(costs.map(({ cpu }) => cpu))}`);
}

function shares(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): string =>
    `${Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0)} ms`;
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)}`;
}
