// Measures how changes reach proxies: `node bench/distribution.ts [--keys 50000] [--proxies 100] [--real 3]
// [--changes 60] [--rate 200] [--seconds 10]`. A control plane with that many keys runs on a local Postgres. Three of the
// proxies are real, the others are simulated with a proxy's client. Control plane, database, proxies and load share the machine.

import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { z } from 'zod';

import { createControlClient } from '../src/gateway/control-link/client.ts';
import { isRefusal } from '../src/lib/refusal.ts';
import { inOneGo } from '../src/lib/steps.ts';
import { compileSnapshot } from '../src/snapshot/compile.ts';
import { baseHeader } from '../src/snapshot/delta/delta.ts';
import { followerSteps, readDelta } from '../src/snapshot/delta/follower.ts';
import type { Follower } from '../src/snapshot/delta/follower.ts';
import { snapshot as snapshotSchema } from '../src/snapshot/schema.ts';
import { globalSetup, globalTeardown } from '../test/harness/global-setup.ts';
import { testDatabase } from '../test/harness/postgres/postgres.ts';
import { cpuSeconds } from './control/cpu.ts';
import { fillLog } from './control/fill.ts';
import { connect, quantile, sendAtRate } from './control/load.ts';
import type { Answered, Connection } from './control/load.ts';
import { loggedIn, prepareDatabase, proxyToken, startServer } from './control/server.ts';
import { residentMb, startRealProxy } from './distribution/real.ts';
import type { RealProxy } from './distribution/real.ts';
import { simulateProxies } from './distribution/simulate.ts';
import type { Simulated } from './distribution/simulate.ts';
import type { Held } from './distribution/simulated.ts';

const { values } = parseArgs({
  options: {
    keys: { type: 'string', default: '50000' },
    models: { type: 'string', default: '1000' },
    proxies: { type: 'string', default: '100' },
    real: { type: 'string', default: '3' },
    changes: { type: 'string', default: '60' },
    rate: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '10' },
    profile: { type: 'string' },
  },
});
const keys = Number(values.keys);
const size = {
  principals: Math.max(20, keys / 50),
  providers: 50,
  models: Number(values.models),
  keys,
};
const realCount = Number(values.real);
/** Longer than the pause after a publication, so that changes are not sent together. */
const changeMs = 150;

type Fleet = Readonly<{ real: readonly RealProxy[]; simulated: Simulated }>;
type Key = Readonly<{ id: number; key: string }>;

const created = z.object({ id: z.int(), key: z.string() });

/** Keys of a principal without roles, so that their list of models is short. */
async function makeKeys({ send }: Connection, count: number): Promise<Key[]> {
  const made: Key[] = [];
  for (let index = 0; index < count; index++) {
    const { body } = await send('POST', '/admin/keys', {
      name: `revoked-${index}`,
      principal_id: 2,
    });
    made.push(created.parse(JSON.parse(body)));
  }
  return made;
}

/** Fetches the whole snapshot like a proxy that starts. */
async function fetchWhole(controlUrl: string) {
  const client = createControlClient({ controlUrl, proxyToken, caBundle: [] });
  const call = { headers: {}, signal: new AbortController().signal, waitMs: 60_000 };
  const startedAt = performance.now();
  const { etag, root, body } = await client.get('/snapshot', call);
  const tookMs = performance.now() - startedAt;
  if (etag === null || root === null) throw new Error('the control plane sent no root');
  const received: unknown = JSON.parse(body.toString());
  const snapshot = snapshotSchema.parse(received);
  const held: Held = { etag, root, version: snapshot.version };
  console.log(
    `whole snapshot: ${(body.length / 2 ** 20).toFixed(1)} MB in ${tookMs.toFixed(0)} ms`,
  );
  return { client, held, whole: { received, snapshot } };
}

function followerOf({ received, snapshot }: Awaited<ReturnType<typeof fetchWhole>>['whole']) {
  const compiled = compileSnapshot(snapshot);
  if (isRefusal(compiled)) throw new Error(compiled.message);
  return inOneGo(followerSteps({ received, snapshot, compiled }));
}

const sorted = (numbers: readonly number[]): number[] => numbers.toSorted((a, b) => a - b);
const at = (numbers: readonly number[], share: number): string =>
  (numbers[Math.min(numbers.length - 1, Math.floor(numbers.length * share))] ?? 0).toFixed(1);

/** Revokes one key after the other, and waits until every proxy has refused or removed it. */
async function measureRevocations(
  admin: Connection,
  { real, simulated }: Fleet,
  revoked: readonly Key[],
) {
  const last: number[] = [];
  const answered: number[] = [];
  for (const { id, key } of revoked) {
    const startedAt = performance.now();
    const refusing = real.map(({ refusedAt }) => refusedAt(key));
    const { status } = await admin.send('DELETE', `/admin/keys/${id}`);
    if (status !== 200 && status !== 204) throw new Error(`the revocation was answered ${status}`);
    answered.push(performance.now() - startedAt);
    const times = await Promise.all([...refusing, simulated.removedAt(id)]);
    last.push(Math.max(...times) - startedAt);
    await sleep(changeMs);
  }
  const [all, answers] = [sorted(last), sorted(answered)];
  console.log(
    `revoked until refused by all of ${real.length + simulated.count} proxies: ` +
      `p50 ${at(all, 0.5)} p99 ${at(all, 0.99)} max ${at(all, 1)} ms; ` +
      `the revocation was answered after p50 ${at(answers, 0.5)} p99 ${at(answers, 0.99)} ms`,
  );
}

/** The CPU time of the control plane for a change, without what it uses when nothing changes. */
async function measureCpu(admin: Connection, pid: number, revoked: readonly Key[]) {
  const idleFrom = cpuSeconds(pid);
  await sleep(revoked.length * changeMs);
  const idle = cpuSeconds(pid) - idleFrom;
  const from = cpuSeconds(pid);
  for (const { id } of revoked) {
    const startedAt = performance.now();
    await admin.send('DELETE', `/admin/keys/${id}`);
    await sleep(Math.max(0, changeMs - (performance.now() - startedAt)));
  }
  const used = cpuSeconds(pid) - from;
  const each = ((used - idle) * 1000) / revoked.length;
  console.log(
    `CPU of the control plane: ${each.toFixed(1)} ms a change, and ${((idle * 1000) / ((revoked.length * changeMs) / 1000)).toFixed(0)} ms a second without changes`,
  );
}

/** Four of five mutations create a key, the others revoke one. */
const mutation =
  ({ send }: Connection) =>
  (index: number): Promise<Answered> =>
    index % 5 === 0
      ? send('DELETE', `/admin/keys/${1 + ((index * 7_919) % size.keys)}`)
      : send('POST', '/admin/keys', { name: `made-${index}`, principal_id: 2 + (index % 10) });

async function measureBurst(admin: Connection, pid: number, { simulated }: Fleet) {
  const before = { cpu: cpuSeconds(pid), simulated: await simulated.read() };
  const measured = await sendAtRate({
    perSecond: Number(values.rate),
    seconds: Number(values.seconds),
    send: mutation(admin),
  });
  const { durations, failures, seconds } = measured;
  const after = await simulated.read();
  const all = after.counts.deltas - before.simulated.counts.deltas;
  const deltas = all / Math.max(1, simulated.count) / seconds;
  const cpu = ((cpuSeconds(pid) - before.cpu) / seconds) * 100;
  const load = ((after.cpuSeconds - before.simulated.cpuSeconds) / seconds) * 100;
  console.log(
    `mutations: ${(durations.length / seconds).toFixed(0)} a second, p50 ${quantile(measured, 0.5).toFixed(1)} ` +
      `p99 ${quantile(measured, 0.99).toFixed(1)} max ${quantile(measured, 1).toFixed(1)} ms, ` +
      `failed ${[...failures.values()].reduce((sum, one) => sum + one, 0)}; ` +
      `${deltas.toFixed(1)} deltas a second to each proxy, control plane ${cpu.toFixed(0)} % of a core, ` +
      `simulated proxies ${load.toFixed(0)} %`,
  );
}

/** Applies the deltas of single revocations to real lookups. */
async function measureApply(
  admin: Connection,
  { client, held, whole }: Awaited<ReturnType<typeof fetchWhole>>,
  revoked: readonly Key[],
) {
  const follower: Follower = followerOf(whole);
  let { root, version } = held;
  const bytes: number[] = [];
  const times: number[] = [];
  for (const { id } of revoked) {
    await admin.send('DELETE', `/admin/keys/${id}`);
    for (const untilMs = performance.now() + 10_000; performance.now() < untilMs;) {
      const answer = await client.get(`/snapshot?at_least=${version + 1}`, {
        headers: { [baseHeader]: root },
        signal: new AbortController().signal,
        waitMs: 0,
      });
      if (!answer.isDelta) throw new Error('the control plane sent a whole snapshot');
      const startedAt = performance.now();
      const read = readDelta(JSON.parse(answer.body.toString()));
      if (isRefusal(read)) throw new Error(read.message);
      const applied = follower.apply(read);
      times.push(performance.now() - startedAt);
      if (isRefusal(applied)) throw new Error(applied.message);
      bytes.push(answer.body.length);
      root = follower.root();
      ({ version } = read.delta);
      if (read.delta.config.api_keys?.removed.includes(id) === true) break;
    }
  }
  console.log(
    `apply of a delta: p50 ${at(sorted(times), 0.5)} p99 ${at(sorted(times), 0.99)} ms; ` +
      `a revoked key is ${at(sorted(bytes), 0.5)} bytes`,
  );
}

async function measure(databaseUrl: string, directory: string): Promise<void> {
  const { profile } = values;
  const execArgv = profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profile];
  const server = await startServer(databaseUrl, { execArgv });
  console.log(
    `start of the control plane: ${(server.startMs / 1000).toFixed(1)} s, ` +
      `${server.startCpuSeconds.toFixed(1)} s of CPU, ${residentMb(server.pid)} MB`,
  );
  const admin = connect(server.adminUrl, { cookie: await loggedIn(server.adminUrl) });
  const changes = Number(values.changes);
  const revoked = await makeKeys(admin, 3 * changes);
  const part = (index: number): readonly Key[] =>
    revoked.slice(index * changes, (index + 1) * changes);
  await sleep(500);
  const fetched = await fetchWhole(server.adminUrl);
  const options = { controlUrl: server.adminUrl, proxyToken, directory };
  const real: RealProxy[] = [];
  for (let index = 0; index < realCount; index++) real.push(await startRealProxy(options));
  const simulated = simulateProxies({
    controlUrl: server.adminUrl,
    proxyToken,
    count: Number(values.proxies) - realCount,
    held: fetched.held,
  });
  const fleet = { real, simulated };
  try {
    const [first] = revoked;
    for (const one of real) {
      while (!(await one.serves(first?.key ?? ''))) await sleep(100);
    }
    await measureApply(admin, fetched, part(2));
    // Until the real ones follow by deltas.
    await sleep(1_000 + keys / 50);
    await measureRevocations(admin, fleet, part(0));
    await measureCpu(admin, server.pid, part(1));
    await measureBurst(admin, server.pid, fleet);
    const { wholes, failures } = (await simulated.read()).counts;
    console.log(
      `simulated proxies: ${wholes} whole snapshots, ${failures} failures; real proxies: ` +
        `${real.map(({ pid }) => residentMb(pid)).join(', ')} MB, control plane: ${residentMb(server.pid)} MB`,
    );
  } finally {
    simulated.stop();
    await Promise.all(real.map(({ end }) => end()));
    await fetched.client.close();
    admin.close();
    await server.end();
  }
}

const directory = await mkdtemp(path.join(tmpdir(), 'gw-bench-'));
await globalSetup();
const database = await testDatabase();
const load = (): string =>
  loadavg()
    .map((one) => one.toFixed(1))
    .join(' ');
try {
  console.log(
    `${keys} keys, ${size.models} models; ${cpus().length} cores, load average ${load()}`,
  );
  await prepareDatabase(database.url, (plane) => fillLog(plane, size));
  await measure(database.url, directory);
  console.log(`load average after: ${load()}`);
} finally {
  await database.drop();
  await globalTeardown();
  await rm(directory, { recursive: true, force: true });
}
