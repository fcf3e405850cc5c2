// Measures a rebuild of the read models (`gw projections rebuild`) while role control serves 100 reads a second
// through HTTP from the tables that are replaced.

import { spawn } from 'node:child_process';
import path from 'node:path';

import { connect, quantile, sendAtRate } from '../control/load.ts';
import type { Connection, Measured } from '../control/load.ts';
import { loggedIn, prepareDatabase, startServer } from '../control/server.ts';

const readsPerSecond = 100;
/** The rebuild ends during one of these rounds. */
const roundSeconds = 3;
/** The reads without a rebuild, for comparison. */
const quietSeconds = 10;

const paths = [
  '/admin/provider-models?limit=50',
  '/admin/audit?limit=50',
  '/admin/keys?limit=50',
  '/admin/principals?limit=50',
  '/admin/providers?limit=50',
] as const;

type Rebuilt = Readonly<{ seconds: number; reads: Measured }>;

/** `url` names a database with built read models. Throws if the rebuild fails. */
export async function measureRebuildUnderLoad(url: string): Promise<void> {
  await prepareDatabase(url, async () => {});
  const server = await startServer(url);
  try {
    const reader = connect(server.adminUrl, { cookie: await loggedIn(server.adminUrl) });
    report('reads alone', await readFor(reader, quietSeconds));
    const { seconds, reads } = await rebuildUnderLoad(url, reader);
    console.log(
      `read models rebuilt during ${readsPerSecond} reads a second: ${seconds.toFixed(1)} s`,
    );
    report('reads during the rebuild', reads);
    reader.close();
  } finally {
    await server.end();
  }
}

const readFor = (reader: Connection, seconds: number): Promise<Measured> =>
  sendAtRate({
    perSecond: readsPerSecond,
    seconds,
    send: (index) => reader.send('GET', paths[index % paths.length] ?? paths[0]),
  });

async function rebuildUnderLoad(url: string, reader: Connection): Promise<Rebuilt> {
  const startedAt = performance.now();
  const rebuild: { seconds: number | null } = { seconds: null };
  const running = runRebuild(url).finally(() => {
    rebuild.seconds = (performance.now() - startedAt) / 1000;
  });
  const rounds: Measured[] = [];
  while (rebuild.seconds === null) rounds.push(await readFor(reader, roundSeconds));
  await running;
  return { seconds: rebuild.seconds, reads: together(rounds) };
}

async function runRebuild(url: string): Promise<void> {
  const main = path.join(import.meta.dirname, '../../src/main.ts');
  const child = spawn(process.execPath, [main, 'projections', 'rebuild'], {
    env: { PATH: process.env['PATH'] ?? '', GW_DATABASE_URL: url },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const code = await new Promise((resolve) => void child.once('close', resolve));
  if (code !== 0) throw new Error(`the rebuild ended with ${String(code)}`);
}

function together(rounds: readonly Measured[]): Measured {
  const failures = new Map<number, number>();
  for (const [status, count] of rounds.flatMap((round) => [...round.failures])) {
    failures.set(status, (failures.get(status) ?? 0) + count);
  }
  return {
    durations: rounds.flatMap(({ durations }) => durations).toSorted((a, b) => a - b),
    failures,
    seconds: rounds.reduce((sum, { seconds }) => sum + seconds, 0),
  };
}

function report(what: string, reads: Measured): void {
  const errors = [...reads.failures].map(([status, count]) => `${count} of status ${status}`);
  const at = (share: number): string => `${Math.round(quantile(reads, share))} ms`;
  console.log(
    `${what}: ${reads.durations.length}, errors: ${errors.join(', ') || 'none'}, ` +
      `p50 ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)}`,
  );
}
