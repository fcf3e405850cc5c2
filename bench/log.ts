// Measures the speed of the event log: complete commands a second by number of writers, bulk appends, and reading all
// events (fold, chain verification, rebuild of the read models). `node bench/log.ts [--quick]` on an embedded
// Postgres of its own.

import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { GwEvent } from '../events/catalogue.ts';
import { seal } from '../events/seal.ts';
import { advanceReadModel, foldTo, verifyReadModel } from '../projections/read-model.ts';
import { splitCommands } from '../projections/rows.ts';
import { startEmbeddedPostgres } from '../src/cli/postgres/embedded-postgres.ts';
import { openControlPlane } from '../src/control/plane.ts';
import type { ControlPlane } from '../src/control/plane.ts';
import { verifyLog } from '../src/control/log/verify-log.ts';
import { appendEvents, lockLog, readHead, toRecorded } from '../src/db/log/event-log.ts';
import { openDatabase } from '../src/db/pool.ts';
import { modelId } from '../src/lib/ids.ts';

const quick = process.argv.includes('--quick');
const commandsPerRun = quick ? 200 : 1000;
const bulkEvents = quick ? 20_000 : 200_000;
const bulkBatch = 1000;

const context = {
  actor: { kind: 'cli', principal_id: null },
  action: 'CLI',
  target: 'bench',
  requestId: 'bench',
  reason: null,
} as const;

const directory = await mkdtemp(join(tmpdir(), 'gw-bench-'));
const postgres = await startEmbeddedPostgres({
  directory: join(directory, 'pg'),
  log: () => {},
  ephemeral: true,
});
try {
  await measure(postgres.url);
} finally {
  await postgres.stop();
  await rm(directory, { recursive: true, force: true });
}

async function measure(databaseUrl: string): Promise<void> {
  const plane = await openControlPlane({
    databaseUrl,
    encryptionKey: new Uint8Array(32).fill(7),
    connectionsMax: 20,
    appVersion: 'bench',
    clock: Date.now,
    onFailure: (what, error) => console.error(what, error),
  });
  try {
    for (const workers of [1, 4, 16]) await measureCommands(plane, workers);
    await measureBulk(plane);
    await measureReading(databaseUrl);
  } finally {
    await plane.close();
  }
}

function report(what: string, count: number, startedAt: number): void {
  const seconds = (performance.now() - startedAt) / 1000;
  const rate = Math.round(count / seconds).toLocaleString('en');
  console.log(`${what.padEnd(52)} ${rate.padStart(10)} a second`);
}

async function measureCommands(plane: ControlPlane, workers: number): Promise<void> {
  const durations: number[] = [];
  let left = commandsPerRun;
  const startedAt = performance.now();
  const work = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const before = performance.now();
      const name = randomUUID();
      await plane.execute({ command: { type: 'CreateModel', name, fields: {} } }, context);
      durations.push(performance.now() - before);
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  report(`commands, complete, ${workers} writers`, commandsPerRun, startedAt);
  const sorted = durations.toSorted((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1);
  console.log(`${''.padEnd(52)} p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
}

async function measureBulk({ db, store }: ControlPlane): Promise<void> {
  const id = modelId.parse(1);
  const price = (index: number): GwEvent => ({
    stream: 'model-1',
    type: 'ModelPriced',
    data: { id, input_price_per_mtok: index, output_price_per_mtok: index },
  });
  const startedAt = performance.now();
  for (let done = 0; done < bulkEvents; done += bulkBatch) {
    const cursor = await db.tx(async (tx) => {
      const head = await lockLog(tx);
      const before = await store.catchUp(tx, head);
      const events = Array.from({ length: bulkBatch }, (_, index) => price(done + index));
      const sealed = seal(events, head, {
        txId: randomUUID(),
        at: Date.now(),
        newId: randomUUID,
        streamVersion: () => before.state.model.versions.get(1) ?? 0,
        metadata: {
          actor: context.actor,
          command: 'Bench',
          action: context.action,
          target: context.target,
          request_id: context.requestId,
          reason_ref: null,
          app_version: 'bench',
        },
      });
      await appendEvents(tx, sealed);
      const [command] = splitCommands(sealed.map(toRecorded)).commands;
      if (command === undefined) throw new Error('nothing was sealed');
      return advanceReadModel(tx, { cursor: before }, command);
    });
    store.adopt(cursor);
  }
  report(`events, ${bulkBatch} a transaction, read models with them`, bulkEvents, startedAt);
}

async function measureReading(url: string): Promise<void> {
  const db = openDatabase({
    url,
    purpose: 'maintenance',
    applicationName: 'gw bench',
    connectionsMax: 1,
  });
  try {
    const { position } = await readHead(db);
    let startedAt = performance.now();
    await foldTo(db, position);
    report('events, read and folded', position, startedAt);
    startedAt = performance.now();
    const check = await verifyLog(db);
    report('events, chain verified and read models rebuilt', position, startedAt);
    console.log(`problems found: ${check.problems.length}`);
    startedAt = performance.now();
    await verifyReadModel(db);
    report('events, read models rebuilt and compared', position, startedAt);
  } finally {
    await db.dispose();
  }
}
