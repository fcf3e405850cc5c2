// A proxy in File mode follows its file, and keeps the last good one.

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';

import { runProxy } from '../../../src/cli/roles/proxy.ts';
import type { ProxySettings } from '../../../src/cli/roles/proxy.ts';
import { asTheFileSays } from '../../../src/snapshot/file-mode.ts';
import {
  builtInClassifier,
  chatBody,
  collectLog,
  untraced,
} from '../../harness/gateway/gateway.ts';
import type { LogLine } from '../../harness/gateway/gateway.ts';
import { answerJson, startUpstream } from '../../harness/upstream/upstream.ts';
import { labelledPrompts } from '../../harness/classifier/labelled-prompts.ts';
import { until } from '../../harness/wait.ts';

const entry = (name: string, apiBase: string) =>
  `{ model_name: ${name}, litellm_params: { model: m, api_base: "${apiBase}" } }`;
const model = (name: string, apiBase: string) => `model_list: [${entry(name, apiBase)}]\n`;

async function startFileProxy(
  source: string,
  configPoll: number,
  given: Partial<ProxySettings> = {},
) {
  const directory = await mkdtemp(join(tmpdir(), 'gw-file-'));
  const config = join(directory, 'config.yaml');
  await writeFile(config, source);
  const lines: LogLine[] = [];
  const hangUps: (() => void)[] = [];
  const proxy = await runProxy(
    {
      host: '127.0.0.1',
      egressAllow: [],
      egressDeny: [],
      port: 0,
      config,
      controlUrl: null,
      proxyToken: null,
      snapshotCache: null,
      acceptLog: null,
      configPoll,
      rateLimitReconcileInterval: 5,
      rateLimitOnOutage: 100,
      budgetOnOutage: 100,
      usageSpool: null,
      usageSpoolMaxMb: 1,
      budgetState: '/dev/null/none',
      healthReportInterval: 10,
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
      ...given,
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
  const servedBy = async (name: string, content: string): Promise<string | null> => {
    const response = await fetch(`${proxy.url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: name, messages: [{ role: 'user', content }] }),
    });
    await response.text();
    return response.headers.get('x-gw-served-model');
  };
  const statusOf = async (name: string) => {
    const response = await fetch(`${proxy.url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify(chatBody(name)),
    });
    await response.text();
    return response.status;
  };
  return {
    servedBy,
    statusOf,
    config,
    reasons: () => lines.flatMap(({ fields }) => ('reason' in fields ? [fields['reason']] : [])),
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

  it('classifies prompts by the examples in the file', async () => {
    await using upstream = await startUpstream(answerJson());
    const entries = ['cook', 'judge', 'other'].map((name) => entry(name, upstream.apiBase));
    const classes = labelledPrompts().filter(({ name }) => name === 'cooking' || name === 'law');
    const service = {
      prompt_classes: classes.map(({ name, examples }) => ({ name, examples })),
      frontend_models: [
        {
          name: 'house',
          rules: [
            { class: 'cooking', targets: ['cook'] },
            { class: 'law', targets: ['judge'] },
          ],
          default_targets: ['other'],
        },
      ],
    };
    const source = `model_list: [${entries.join(',')}]\ngw: ${JSON.stringify(service)}\n`;
    await using proxy = await startFileProxy(source, 60);
    assert.equal(await proxy.servedBy('house', 'how long does a chicken roast?'), 'cook');
    assert.equal(await proxy.servedBy('house', 'may the court refuse my appeal?'), 'judge');
    assert.equal(await proxy.servedBy('house', '?'), 'other');
  });

  it('notices a changed file', async () => {
    await using upstream = await startUpstream(answerJson());
    await using proxy = await startFileProxy(model('a', upstream.apiBase), 0.02);
    await proxy.write(model('b', upstream.apiBase));
    await until(async () => (await proxy.statusOf('b')) === 200, { what: 'the new file' });
  });

  it('notices a file that was renamed over it', async () => {
    await using upstream = await startUpstream(answerJson());
    await using proxy = await startFileProxy(model('a', upstream.apiBase), 0.02);
    await writeFile(`${proxy.config}.new`, model('b', upstream.apiBase));
    await rename(`${proxy.config}.new`, proxy.config);
    await until(async () => (await proxy.statusOf('b')) === 200, { what: 'the new file' });
  });

  it('notices a directory that was swapped beneath it, as Kubernetes does', async () => {
    await using upstream = await startUpstream(answerJson());
    await using proxy = await startFileProxy(model('a', upstream.apiBase), 0.02);
    const directory = dirname(proxy.config);
    const put = async (version: string, name: string) => {
      await mkdir(join(directory, version));
      await writeFile(join(directory, version, 'config.yaml'), model(name, upstream.apiBase));
      await symlink(version, join(directory, 'next'));
      await rename(join(directory, 'next'), join(directory, '..data'));
    };
    await put('..1', 'b');
    await symlink('..data/config.yaml', join(directory, 'link'));
    await rename(join(directory, 'link'), proxy.config);
    await until(async () => (await proxy.statusOf('b')) === 200, { what: 'the linked file' });
    await put('..2', 'c');
    await until(async () => (await proxy.statusOf('c')) === 200, { what: 'the swapped file' });
    assert.equal(await proxy.statusOf('b'), 404);
  });

  it('does not take up a file that is still being written', async () => {
    await using upstream = await startUpstream(answerJson());
    await using proxy = await startFileProxy(model('a', upstream.apiBase), 0.002);
    // The half is a good file too.
    const half = `model_list:\n  - ${entry('b', upstream.apiBase)}\n`;
    await proxy.write(half);
    await proxy.write(`${half}  - ${entry('c', upstream.apiBase)}\n`);
    await until(async () => (await proxy.statusOf('c')) === 200, { what: 'the whole file' });
    assert.equal(await proxy.statusOf('b'), 200);
    assert.equal(proxy.times('snapshot applied'), 2);
  });

  it('notices a change of a file that it includes, and one that was missing', async () => {
    await using upstream = await startUpstream(answerJson());
    await using proxy = await startFileProxy(model('a', upstream.apiBase), 0.02);
    const included = join(dirname(proxy.config), 'more.yaml');
    await proxy.write(`include: [more.yaml]\n${model('a', upstream.apiBase)}`);
    await until(() => proxy.logged('refused'), { what: 'the missing file' });
    assert.match(proxy.reasons().join('\n'), /more\.yaml cannot be read/);
    await writeFile(included, model('b', upstream.apiBase));
    await until(async () => (await proxy.statusOf('b')) === 200, { what: 'the included file' });
    await writeFile(included, model('c', upstream.apiBase));
    await until(async () => (await proxy.statusOf('c')) === 200, { what: 'its change' });
    assert.deepEqual([await proxy.statusOf('a'), await proxy.statusOf('b')], [200, 404]);
  });

  it('says in which line the new one is wrong', async () => {
    await using upstream = await startUpstream(answerJson());
    await using proxy = await startFileProxy(model('a', upstream.apiBase), 0.02);
    await proxy.write('model_list:\n  - model_name: a\n   wrong: [\n');
    await until(() => proxy.logged('refused'), { what: 'the refusal' });
    assert.match(proxy.reasons().join('\n'), /line 3/);
    assert.equal(await proxy.statusOf('a'), 200);
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

  it('does not start from a file that is wrong, and names every error with its line', async () => {
    await assert.rejects(startFileProxy('model_list: []', 60), /model_list/);
    const wrong = ['azure/x', 'bedrock/x'].map(
      (name) => `  - { model_name: m, litellm_params: { model: ${name} } }\n`,
    );
    await assert.rejects(
      startFileProxy(`model_list:\n${wrong.join('')}`, 60),
      /azure\/.*config\.yaml line 2\)\n.*bedrock\/.*config\.yaml line 3\)$/,
    );
  });

  it('leaves out what it cannot serve when it may, and names it', async () => {
    await using upstream = await startUpstream(answerJson());
    const source = `model_list: [${entry('a', upstream.apiBase)}, { model_name: b, litellm_params: { model: azure/x } }]`;
    await using proxy = await startFileProxy(source, 60, { skipUnsupported: true });
    assert.deepEqual([await proxy.statusOf('a'), await proxy.statusOf('b')], [200, 404]);
    assert.ok(proxy.logged('this entry is skipped: gw has no protocol for azure/'));
  });

  it('logs every error of a new file', async () => {
    await using upstream = await startUpstream(answerJson());
    await using proxy = await startFileProxy(model('a', upstream.apiBase), 0.02);
    await proxy.write(model("'x*'", upstream.apiBase) + 'auth: { keys: [{ models: 7 }] }\n');
    await until(() => proxy.logged('wildcard'), { what: 'the second error' });
    assert.match(proxy.reasons().join('\n'), /^auth\.keys\[0\]\.models: .*; and more$/);
  });
});
