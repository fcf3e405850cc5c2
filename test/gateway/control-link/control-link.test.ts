// A proxy follows its control plane, and serves on from what it has while that is away.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { runProxy } from '../../../src/cli/roles/proxy.ts';
import { programVersion } from '../../../src/cli/version.ts';
import type { ProxySettings } from '../../../src/cli/roles/proxy.ts';
import { healthReport } from '../../../src/snapshot/health-report.ts';
import type { HealthReport } from '../../../src/snapshot/health-report.ts';
import { asTheFileSays } from '../../../src/snapshot/file-mode.ts';
import { snapshotEtag } from '../../../src/snapshot/schema.ts';
import type { Snapshot } from '../../../src/snapshot/schema.ts';
import { usageBatch, usageEvent } from '../../../src/usage/usage-event.ts';
import type { UsageEvent } from '../../../src/usage/usage-event.ts';
import {
  builtInClassifier,
  chatBody,
  collectLog,
  untraced,
} from '../../harness/gateway/gateway.ts';
import type { LogLine } from '../../harness/gateway/gateway.ts';
import { givenSnapshot } from '../../harness/gateway/snapshot.ts';
import { answerJson, startUpstream, unusedApiBase } from '../../harness/upstream/upstream.ts';
import type { ScriptedUpstream } from '../../harness/upstream/upstream.ts';
import { temporaryDirectory } from '../../harness/temporary-directory.ts';
import { until } from '../../harness/wait.ts';

const token = 'proxy-token-of-test';

/** Publishes whatever snapshot it is given, and takes usage. */
async function startControl(first: Snapshot | null) {
  let published = first;
  const events: UsageEvent[] = [];
  const reports: HealthReport[] = [];
  const server = await startUpstream((request, response) => {
    if (request.headers.authorization !== `Bearer ${token}`) {
      return void response.writeHead(401).end();
    }
    if (request.path === '/usage') {
      const batch = usageBatch.parse(JSON.parse(request.body.toString()));
      events.push(...batch.events.map((event) => usageEvent.parse(event)));
      return void response.end(JSON.stringify({ accepted: batch.events.length, dropped: 0 }));
    }
    if (request.path === '/health-report') {
      reports.push(healthReport.parse(JSON.parse(request.body.toString())));
      return void response.writeHead(reports.length === 2 ? 503 : 204).end();
    }
    if (request.path === '/limits/reconcile') return void response.end('{"allowances":[]}');
    if (published === null) return void response.writeHead(503).end();
    const etag = snapshotEtag(published);
    if (request.headers['if-none-match'] === etag) return void response.writeHead(304).end();
    response.writeHead(200, { etag }).end(JSON.stringify(published));
  });
  return {
    server,
    events,
    reports,
    url: server.apiBase.replace(/\/v1$/, ''),
    publish: (snapshot: Snapshot | null) => void (published = snapshot),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function startProxy(controlUrl: string, more: Partial<ProxySettings> = {}) {
  const lines: LogLine[] = [];
  const settings: ProxySettings = {
    host: '127.0.0.1',
    egressAllow: [],
    egressDeny: [],
    port: 0,
    config: null,
    controlUrl,
    proxyToken: token,
    snapshotCache: null,
    acceptLog: null,
    configPoll: 0.02,
    rateLimitReconcileInterval: 0.02,
    rateLimitOnOutage: 100,
    budgetOnOutage: 100,
    usageSpool: null,
    usageSpoolMaxMb: 1,
    budgetState: '/dev/null/none',
    healthReportInterval: 0.02,
    healthInterval: 10,
    healthTimeout: 1,
    engineScrapeInterval: 0,
    upstreamTimeout: 5,
    attemptsMax: 8,
    connectionsPerAddress: 0,
    maxRetries: null,
    maxBodyMb: 1,
    maxInflightBodyMb: 8,
    cacheMaxEntries: 16,
    cacheMaxBytes: 1_000_000,
    poolMaxIdle: 8,
    policy: 'cache-affinity',
    shutdownDelay: 0,
    shutdownGrace: 1,
    caBundle: null,
    ...asTheFileSays,
    log: 'info',
    logFormat: 'text',
    ...untraced,
    ...builtInClassifier,
    ...more,
  };
  const proxy = await runProxy(settings, { log: collectLog(lines) });
  const chat = () =>
    fetch(`${proxy.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer key' },
      body: JSON.stringify(chatBody('m')),
    });
  const logged = (message: string) => lines.some((line) => line.message.includes(message));
  return { ...proxy, chat, logged, [Symbol.asyncDispose]: () => proxy.close() };
}

const serving = (upstream: ScriptedUpstream, version = 1, key = 'key') =>
  givenSnapshot({
    version,
    models: { m: { backends: [{ apiBase: upstream.apiBase }] } },
    keys: { [key]: {} },
  });

const statusIs = (proxy: Awaited<ReturnType<typeof startProxy>>, status: number) => async () => {
  const response = await proxy.chat();
  await response.text();
  return response.status === status;
};

describe('role proxy in Http mode', () => {
  it('reports what it serves and observes, and drops a report that is not accepted', async () => {
    await using upstream = await startUpstream(answerJson());
    await using control = await startControl(serving(upstream, 7));
    await using proxy = await startProxy(control.url);
    assert.equal((await proxy.chat()).status, 200);
    await fetch(`${proxy.url}/v1/chat/completions`, { method: 'POST', body: '{}' });
    const last = await until(
      () => control.reports.find(({ process }) => process.rejected_unauthenticated === 1),
      { what: 'the report of it' },
    );
    assert.deepEqual(
      { ...last, sequence: 0, replica: '', uptime_seconds: 0 },
      {
        replica: '',
        sequence: 0,
        snapshot_version: 7,
        refused_snapshot: null,
        log_seen: [{ log_id: 'test', version: 7, position: 7, hash: '' }],
        uptime_seconds: 0,
        program_version: programVersion(),
        backends: [
          {
            api_base: upstream.apiBase,
            model: 'm',
            healthy: true,
            inflight: 0,
            requests_total: 1,
            errors_total: 0,
          },
        ],
        process: {
          requests_ok: 1,
          requests_failed: 0,
          usage_dropped: 0,
          cache_hits: 0,
          cache_misses: 0,
          cache_entries: 0,
          cache_bytes: 0,
          rejected_unauthenticated: 1,
          rejected_model_not_found: 0,
        },
      },
    );
    assert.equal(new Set(control.reports.map(({ replica }) => replica)).size, 1);
    await until(() => proxy.logged('the health report was not delivered'), {
      what: 'the second, refused one',
    });
  });

  it('serves each snapshot that the control plane publishes', async () => {
    await using upstream = await startUpstream(answerJson());
    await using control = await startControl(serving(upstream));
    await using proxy = await startProxy(control.url);
    assert.equal((await proxy.chat()).status, 200);
    control.publish(serving(upstream, 2, 'another key'));
    await until(statusIs(proxy, 401), { what: 'the revoked key to be refused' });
  });

  it('polls with its ETag and version', async () => {
    await using upstream = await startUpstream(answerJson());
    const served = serving(upstream, 7);
    await using control = await startControl(served);
    await using _ = await startProxy(`${control.url}/snapshot`);
    const polls = () => control.server.seen.filter(({ path }) => path.startsWith('/snapshot'));
    await until(() => polls().length >= 2, { what: 'a second poll' });
    assert.equal(polls()[0]?.path, '/snapshot?at_least=0');
    assert.equal(polls()[1]?.path, '/snapshot?at_least=7');
    assert.equal(polls()[1]?.headers['if-none-match'], snapshotEtag(served));
  });

  it('listens and returns 503 until the first snapshot', async () => {
    await using upstream = await startUpstream(answerJson());
    await using control = await startControl(null);
    await using proxy = await startProxy(control.url);
    assert.equal((await proxy.chat()).status, 503);
    control.publish(serving(upstream));
    await until(statusIs(proxy, 200), { what: 'the first snapshot' });
  });

  it('continues to serve while the control plane is unreachable', async () => {
    await using upstream = await startUpstream(answerJson());
    const control = await startControl(serving(upstream));
    await using proxy = await startProxy(control.url);
    await control[Symbol.asyncDispose]();
    await until(() => proxy.logged('does not answer'), { what: 'the loss to be noticed' });
    assert.equal((await proxy.chat()).status, 200);
  });

  it('starts from its cache while the control plane is unreachable', async (t) => {
    const snapshotCache = join(await temporaryDirectory(t), 'snapshot.json');
    await using upstream = await startUpstream(answerJson());
    await using control = await startControl(serving(upstream));
    await (await startProxy(control.url, { snapshotCache })).close();
    const away = await unusedApiBase();
    {
      await using proxy = await startProxy(away, { snapshotCache });
      assert.equal((await proxy.chat()).status, 200);
    }
    {
      await using proxy = await startProxy(away, { snapshotCache, proxyToken: 'another token' });
      assert.equal((await proxy.chat()).status, 503);
    }
  });

  it('continues to serve if its cache cannot be written', async () => {
    await using upstream = await startUpstream(answerJson());
    await using control = await startControl(serving(upstream));
    await using proxy = await startProxy(control.url, { snapshotCache: '/dev/null/snapshot.json' });
    assert.equal((await proxy.chat()).status, 200);
    assert.ok(proxy.logged('writing the snapshot cache failed'));
  });

  it('keeps the old snapshot when the new one cannot be applied', async () => {
    await using upstream = await startUpstream(answerJson());
    await using control = await startControl(serving(upstream));
    await using proxy = await startProxy(control.url);
    control.publish({ ...serving(upstream, 2, 'another key'), schema: 99 });
    await until(() => proxy.logged('refused'), { what: 'the refusal' });
    assert.equal((await proxy.chat()).status, 200);
    const metrics = async () => (await fetch(`${proxy.url}/metrics`)).text();
    assert.match(await metrics(), /^gw_snapshot_refused 1$/m);
    control.publish(serving(upstream, 3, 'another key'));
    await until(statusIs(proxy, 401), { what: 'the next good snapshot' });
    assert.match(await metrics(), /^gw_snapshot_refused 0$/m);
  });

  it('follows the control plane to a lower version, and logs it', async () => {
    await using upstream = await startUpstream(answerJson());
    await using control = await startControl(serving(upstream, 9));
    await using proxy = await startProxy(control.url);
    control.publish(serving(upstream, 3, 'another key'));
    await until(statusIs(proxy, 401), { what: 'the lower version' });
    assert.ok(proxy.logged('went back'));
  });

  it('stops at once during a pending poll', async () => {
    await using upstream = await startUpstream(answerJson());
    await using control = await startControl(serving(upstream));
    const proxy = await startProxy(control.url);
    control.server.play(() => {});
    const polls = control.server.seen.length;
    await until(() => control.server.seen.length > polls, { what: 'a poll without an answer' });
    const startedAt = performance.now();
    await proxy.close();
    assert.ok(performance.now() - startedAt < 5000);
  });

  it('delivers the usage of its requests before it ends', async () => {
    await using upstream = await startUpstream(answerJson());
    await using control = await startControl(serving(upstream));
    const proxy = await startProxy(control.url);
    for (let request = 0; request < 3; request++) await (await proxy.chat()).text();
    await proxy.close();
    assert.equal(control.events.length, 3);
    assert.equal(new Set(control.events.map(({ id }) => id)).size, 3);
    assert.equal(control.events[0]?.prompt_tokens, 11);
  });
});
