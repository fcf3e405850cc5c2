// Upgrades a database of an earlier release while its proxy serves, and says what that costs: `node bench/upgrade.ts
// [--release 0.1.0] [--events 100000]`, on a Postgres of its own. Fails if a hash, a sum or a request is lost.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';

import { Client } from 'pg';

import { globalSetup, globalTeardown } from '../test/harness/global-setup.ts';
import { blankDatabase } from '../test/harness/postgres/postgres.ts';
import {
  encryptionKey,
  login,
  startControlProgram,
} from '../test/harness/program/control-program.ts';
import { addModel, chatStatus, createKey } from '../test/harness/program/demo-model.ts';
import { gwProcess } from '../test/harness/program/command-line.ts';
import { startProxyProgram } from '../test/harness/program/proxy-program.ts';
import { installRelease } from '../test/harness/program/release.ts';
import { until } from '../test/harness/wait.ts';

const { values } = parseArgs({
  options: {
    release: { type: 'string', default: '0.1.0' },
    events: { type: 'string', default: '100000' },
  },
});

const run = promisify(execFile);
const cleanups: (() => unknown)[] = [];
const scope = {
  after: (cleanup?: unknown): void =>
    void (typeof cleanup === 'function' && cleanups.push(() => cleanup())),
};
const limitMs = 1_800_000;
/** Slow enough that the proxy can keep the usage of the whole upgrade in memory. */
const pauseMs = 20;

await globalSetup();
const { url } = await blankDatabase(scope);
const client = new Client({ connectionString: url });
await client.connect();

async function read(statement: string): Promise<string> {
  const { rows } = await client.query<{ value: string }>(statement);
  return String(rows[0]?.value);
}

/** A digest of every byte of the events up to `position`. */
const bytesOf = (position: number): Promise<string> =>
  read(`select md5(string_agg(md5(events::text), '' order by position)) as value
    from es.events where position <= ${position}`);

const usageRows = (): Promise<string> => read('select count(*) as value from op.usage_events');

const seconds = (startedAt: number): string => ((performance.now() - startedAt) / 1000).toFixed(1);

try {
  const file = installRelease(values.release);
  const folder = path.join(path.dirname(file), '..');
  const env = {
    PATH: process.env['PATH'],
    GW_DATABASE_URL: url,
    GW_ENCRYPTION_KEY: encryptionKey,
  };
  const filling = performance.now();
  const fill = path.join(import.meta.dirname, 'upgrade/fill.mjs');
  await run(process.execPath, [fill, values.events], { cwd: folder, env, timeout: limitMs });
  console.log(`filled by ${values.release}: ${values.events} events in ${seconds(filling)} s`);
  await run(process.execPath, [file, 'set-password', '--name', login.name], {
    env: { ...env, GW_PASSWORD: login.password },
  });

  const earlier = await startControlProgram(scope, url, {}, file);
  await addModel(scope, earlier.admin);
  const { key } = await createKey(earlier.admin);
  const proxy = await startProxyProgram(scope, { controlUrl: earlier.adminUrl, file });
  await until(async () => (await chatStatus(proxy.url, key)) === 200, { what: 'a chat is served' });
  const requests = { ok: 1, failed: 0 };
  const stop = new AbortController();
  const load = (async () => {
    while (!stop.signal.aborted) {
      const status = await chatStatus(proxy.url, key).catch(() => 0);
      if (status === 200) requests.ok += 1;
      else requests.failed += 1;
      await wait(pauseMs);
    }
  })();

  const position = Number(await read('select position as value from es.log_head'));
  const [hash, bytes] = [
    await read(`select encode(hash, 'hex') as value from es.log_head`),
    await bytesOf(position),
  ];
  const check = await gwProcess(['upgrade', 'check'], { env: { GW_DATABASE_URL: url } });
  assert.equal(check.code, 0, check.stderr);
  console.log(check.stdout);

  // One control process, at one address: while it is replaced, the admin API is away.
  const port = new URL(earlier.adminUrl).port;
  const stopping = performance.now();
  await earlier.end('SIGTERM');
  const ended = performance.now();
  const control = await startControlProgram(scope, url, { GW_ADMIN_PORT: port });
  console.log(
    `admin API away for ${seconds(stopping)} s, of which the end of the old process took ${((ended - stopping) / 1000).toFixed(1)} s`,
  );
  const { key: fresh } = await createKey(control.admin);
  await until(async () => (await chatStatus(proxy.url, fresh)) === 200, {
    what: 'the proxy follows the new release',
  });
  stop.abort();
  await load;
  requests.ok += 1;
  assert.equal(requests.failed, 0, `${requests.failed} requests failed`);
  assert.equal(
    await read(`select encode(hash, 'hex') as value from es.events where position = ${position}`),
    hash,
  );
  assert.equal(await bytesOf(position), bytes);
  const main = path.join(import.meta.dirname, '../src/main.ts');
  // Throws unless it exits with 0.
  await run(process.execPath, [main, 'log', 'verify'], { env, timeout: limitMs });
  await until(async () => Number(await usageRows()) >= requests.ok, { what: 'all usage arrives' });
  console.log(
    `proxy of ${values.release}: ${requests.ok} requests, 0 failed, ${await usageRows()} usage rows`,
  );
  console.log(`hashes and bytes of ${position} events equal; gw log verify exits 0`);
} finally {
  await client.end();
  for (const cleanup of cleanups.toReversed()) await cleanup();
  await globalTeardown();
}
