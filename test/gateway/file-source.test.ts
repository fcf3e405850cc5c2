// A proxy in File mode follows its file, and keeps the last good one.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { runProxy } from '../../src/cli/roles/proxy.ts';
import { chatBody, collectLog, untraced } from '../harness/gateway.ts';
import type { LogLine } from '../harness/gateway.ts';
import { answerJson, startUpstream } from '../harness/upstream.ts';
import { until } from '../harness/wait.ts';

const model = (name: string, apiBase: string) =>
  `model_list: [{ model_name: ${name}, litellm_params: { model: m, api_base: "${apiBase}" } }]\n`;

async function startFileProxy(source: string, configPoll: number) {
  const directory = await mkdtemp(join(tmpdir(), 'gw-file-'));
  const config = join(directory, 'config.yaml');
  await writeFile(config, source);
  const lines: LogLine[] = [];
  const hangUps: (() => void)[] = [];
  const proxy = await runProxy(
    {
      host: '127.0.0.1',
      port: 0,
      config,
      controlUrl: null,
      proxyToken: null,
      snapshotCache: null,
      acceptLog: null,
      configPoll,
      rateLimitReconcileInterval: 5,
      usageSpool: null,
      usageSpoolMaxMb: 1,
      healthReportInterval: 10,
      healthInterval: 10,
      healthTimeout: 1,
      upstreamTimeout: 5,
      maxRetries: 2,
      maxBodyMb: 1,
      maxInflightBodyMb: 8,
      cacheMaxEntries: 16,
      cacheMaxBytes: 1_000_000,
      poolMaxIdle: 8,
      policy: 'cache-affinity',
      shutdownDelay: 0,
      shutdownGrace: 1,
      caBundle: null,
      masterKey: null,
      log: 'info',
      logFormat: 'text',
      ...untraced,
    },
    {
      log: collectLog(lines),
      environment: {},
      onHangUp: (listener) => {
        hangUps.push(listener);
        return () => {};
      },
    },
  );
  const statusOf = async (name: string) => {
    const response = await fetch(`${proxy.url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify(chatBody(name)),
    });
    await response.text();
    return response.status;
  };
  return {
    statusOf,
    write: (text: string) => writeFile(config, text),
    hangUp: () => hangUps[0]?.(),
    remove: () => rm(config),
    times: (message: string) => lines.filter((line) => line.message.includes(message)).length,
    logged: (message: string) => lines.some((line) => line.message.includes(message)),
    [Symbol.asyncDispose]: async () => {
      await proxy.close();
      await rm(directory, { recursive: true });
    },
  };
}

describe('role proxy in File mode', () => {
  it('serves what the file says, and warns that it is open', async () => {
    await using upstream = await startUpstream(answerJson());
    await using proxy = await startFileProxy(model('a', upstream.apiBase), 60);
    assert.equal(await proxy.statusOf('a'), 200);
    assert.equal(await proxy.statusOf('b'), 404);
    assert.ok(proxy.logged('open'));
  });

  it('notices a changed file', async () => {
    await using upstream = await startUpstream(answerJson());
    await using proxy = await startFileProxy(model('a', upstream.apiBase), 0.02);
    await proxy.write(model('b', upstream.apiBase));
    await until(async () => (await proxy.statusOf('b')) === 200, { what: 'the new file' });
  });

  it('reads the file at once when it is told to', async () => {
    await using upstream = await startUpstream(answerJson());
    await using proxy = await startFileProxy(model('a', upstream.apiBase), 60);
    await proxy.write(model('b', upstream.apiBase));
    proxy.hangUp();
    await until(async () => (await proxy.statusOf('b')) === 200, { what: 'the new file' });
  });

  it('keeps the last good file when the new one is wrong', async () => {
    await using upstream = await startUpstream(answerJson());
    await using proxy = await startFileProxy(model('a', upstream.apiBase), 0.02);
    await proxy.write('model_list: []');
    await until(() => proxy.logged('refused'), { what: 'the refusal' });
    assert.equal(await proxy.statusOf('a'), 200);
  });

  it('serves on when the file is gone, and says so once', async () => {
    await using upstream = await startUpstream(answerJson());
    await using proxy = await startFileProxy(model('a', upstream.apiBase), 0.01);
    await proxy.remove();
    await until(() => proxy.logged('refused'), { what: 'the loss to be noticed' });
    assert.equal(await proxy.statusOf('a'), 200);
    await proxy.write(model('b', upstream.apiBase));
    await until(async () => (await proxy.statusOf('b')) === 200, { what: 'the new file' });
    assert.equal(proxy.times('refused'), 1);
  });

  it('does not start from a file that is wrong, and names the field', async () => {
    await assert.rejects(startFileProxy('model_list: []', 60), /model_list/);
  });
});
