// Tests a proxy as a process: a change at the control plane takes effect within one poll, and stays
// in effect while the control plane is down, even for a proxy that starts then.

import assert from 'node:assert/strict';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { z } from 'zod';

import { prepareControl, startControlProgram } from '../harness/program/control-program.ts';
import { addModel, chatStatus, createKey } from '../harness/program/demo-model.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';
import { startProxyProgram } from '../harness/program/proxy-program.ts';
import { until } from '../harness/wait.ts';

/** One poll per second, plus the delay of a busy machine. */
const withinOnePoll = { limitMs: 3_000 };

type Proxy = Readonly<{ url: string; end: (signal: NodeJS.Signals) => Promise<void> }>;

const startProxy = (
  test: TestContext,
  { controlUrl, cacheDirectory }: Readonly<{ controlUrl: string; cacheDirectory: string }>,
): Promise<Proxy> =>
  startProxyProgram(test, { controlUrl, cache: path.join(cacheDirectory, 'snapshot.json') });

const statusAt = ({ url }: Proxy, key: string): Promise<number> => chatStatus(url, key);

const usage = z.array(z.object({ key: z.string(), requests: z.int(), prompt_tokens: z.int() }));

describe('a proxy that follows a control plane', () => {
  it('applies new and revoked keys within a poll, and serves without the control plane', async (test) => {
    const { url: databaseUrl } = await testDatabase(test);
    const cacheDirectory = await mkdtemp(path.join(os.tmpdir(), 'gw-cache-'));
    test.after(() => rm(cacheDirectory, { recursive: true, force: true }));
    await prepareControl(databaseUrl);
    const control = await startControlProgram(test, databaseUrl);
    const { admin } = control;
    await addModel(test, admin);
    const place = { controlUrl: control.adminUrl, cacheDirectory };
    const proxy = await startProxy(test, place);

    const kept = await createKey(admin);
    await until(async () => (await statusAt(proxy, kept.key)) === 200, {
      ...withinOnePoll,
      what: 'the new key works',
    });
    const revoked = await createKey(admin);
    await until(async () => (await statusAt(proxy, revoked.key)) === 200, {
      ...withinOnePoll,
      what: 'the second key works',
    });
    await admin.send({ method: 'DELETE', path: `/admin/keys/${revoked.id}`, answer: z.unknown() });
    await until(async () => (await statusAt(proxy, revoked.key)) === 401, {
      ...withinOnePoll,
      what: 'the revoked key stops',
    });

    const [total] = await until(
      async () => {
        const rows = usage.parse(await admin.get('/admin/usage', usage));
        return rows.length > 0 && rows;
      },
      { what: 'usage of the proxy at the control plane' },
    );
    assert.ok(total !== undefined);
    assert.equal(total.key, 'demo');
    assert.ok(total.prompt_tokens > 0);

    await control.end('SIGKILL');
    assert.equal(await statusAt(proxy, kept.key), 200);
    await proxy.end('SIGTERM');
    const cache = await stat(path.join(cacheDirectory, 'snapshot.json'));
    assert.equal(cache.mode & 0o777, 0o600);

    const restarted = await startProxy(test, place);
    assert.equal(await statusAt(restarted, kept.key), 200);
    assert.equal(await statusAt(restarted, revoked.key), 401);
  });

  it('answers 503 no_snapshot, not 401, when it has neither control plane nor cache', async (test) => {
    const cacheDirectory = await mkdtemp(path.join(os.tmpdir(), 'gw-cache-'));
    test.after(() => rm(cacheDirectory, { recursive: true, force: true }));
    // A port at which nothing listens.
    const proxy = await startProxy(test, { controlUrl: 'http://127.0.0.1:9', cacheDirectory });
    assert.equal(await statusAt(proxy, 'gw-any'), 503);
    assert.equal((await fetch(`${proxy.url}/readyz`)).status, 503);
  });
});
