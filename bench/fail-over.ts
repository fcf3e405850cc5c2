// Kills the primary of two Postgres servers under mutations at a fixed rate, promotes its synchronous standby, and checks
// that every acknowledged mutation is in the log: `node bench/fail-over.ts [--rate 200] [--seconds 30]`.

import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';

import { sql } from '@databases/pg';

import { readModelSchema } from '../projections/read-model.ts';
import { verifyLog } from '../src/control/log/verify-log.ts';
import { openDatabase } from '../src/db/pool.ts';
import { failOverPair } from '../test/harness/postgres/fail-over.ts';
import { connect, quantile, sendAtRate } from './control/load.ts';
import { loggedIn, prepareDatabase, startServer } from './control/server.ts';

const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '30' },
  },
});
const perSecond = Number(values.rate);
const seconds = Number(values.seconds);

const ending: (() => unknown)[] = [];
const after = (end: () => unknown): void => void ending.push(end);
try {
  console.log(`load average before: ${loadavg()[0]?.toFixed(1)}`);
  await measure();
} finally {
  for (const end of ending.toReversed()) await end();
}

async function measure(): Promise<void> {
  const pair = await failOverPair({ after }, { isSynchronous: true });
  await prepareDatabase(pair.bothUrl, async () => {});
  const server = await startServer(pair.bothUrl);
  after(server.end);
  const connection = connect(server.adminUrl, { cookie: await loggedIn(server.adminUrl) });
  after(connection.close);
  const acknowledged: { name: string; atMs: number }[] = [];
  let killedAtMs = Infinity;
  const killing = setTimeout(() => void failOver(), (seconds * 1000) / 3);
  const failed = Promise.withResolvers<void>();
  const failOver = async (): Promise<void> => {
    killedAtMs = performance.now();
    try {
      await pair.killPrimary();
      await pair.promote();
      console.log(`promoted ${(performance.now() - killedAtMs).toFixed(0)} ms after the kill`);
      failed.resolve();
    } catch (error) {
      failed.reject(error);
    }
  };
  after(() => clearTimeout(killing));
  const send = async (index: number) => {
    const name = `model-${index}`;
    const answer = await connection.send('POST', '/admin/provider-models', { name });
    if (answer.status === 200) acknowledged.push({ name, atMs: performance.now() });
    return answer;
  };
  const measured = await sendAtRate({ perSecond, seconds, send });
  await failed.promise;
  const refused = [...measured.failures].map(([status, count]) => `${count} × ${status}`);
  const first = acknowledged.find(({ atMs }) => atMs > killedAtMs + 100);
  const before = acknowledged.filter(({ atMs }) => atMs < killedAtMs).length;
  console.log(
    `${acknowledged.length} mutations acknowledged at ${perSecond} a second asked for, ${before} of them before the kill; ` +
      `refused: ${refused.join(', ') || 'none'}; p50 ${quantile(measured, 0.5).toFixed(0)} ms; ` +
      `the first one after the kill: ${((first?.atMs ?? NaN) - killedAtMs).toFixed(0)} ms`,
  );
  const db = openDatabase({
    url: pair.bothUrl,
    purpose: 'maintenance',
    applicationName: 'gw bench',
    connectionsMax: 2,
    schema: readModelSchema,
  });
  after(() => db.dispose());
  const rows: { name: string }[] = await db.query(sql`select name from models`);
  const found = new Set(rows.map(({ name }) => name));
  const lost = acknowledged.filter(({ name }) => !found.has(name));
  const { problems } = await verifyLog(db);
  console.log(`acknowledged and lost: ${lost.length}; problems of the log: ${problems.length}`);
  if (lost.length > 0 || problems.length > 0) throw new Error('the log lost something');
}
