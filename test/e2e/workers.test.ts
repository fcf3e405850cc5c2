// Tests that several worker processes of a proxy act as one to clients, scrapers, reloads and
// signals.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { z } from 'zod';

import { chatBody } from '../harness/gateway/gateway.ts';
import { startProgram } from '../harness/program/program.ts';
import type { Program } from '../harness/program/program.ts';
import { answerJson, startUpstream } from '../harness/upstream/upstream.ts';
import type { Script } from '../harness/upstream/upstream.ts';
import { until } from '../harness/wait.ts';

const workers = 2;
const started = z.object({ url: z.string(), worker: z.int(), pid: z.int() });

async function startProxy(test: TestContext, apiBase: string, args: readonly string[] = []) {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'gw-workers-'));
  test.after(() => rm(directory, { recursive: true, force: true }));
  const config = path.join(directory, 'gw.yaml');
  const write = (name: string) =>
    writeFile(
      config,
      `model_list: [{ model_name: ${name}, litellm_params: { model: m, api_base: "${apiBase}" } }]\n`,
    );
  await write('m');
  const program = startProgram(test, {
    args: ['--config', config, '--port', '0', '--workers', String(workers), ...args],
  });
  await program.logged('all workers serve');
  const { url } = started.parse(await program.logged('gateway started'));
  /** Opens a new connection per request, so that the workers take turns. */
  const chat = (model = 'm') =>
    fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { connection: 'close' },
      body: JSON.stringify(chatBody(model)),
    });
  const metrics = async () => (await fetch(`${url}/metrics`)).text();
  return { ...program, url, write, chat, metrics };
}

const requests = (page: string): number => Number(/^gw_requests_total (\d+)$/m.exec(page)?.[1]);

/** The ids of the serving processes, the newest of each slot. */
const pids = ({ logs }: Program): readonly number[] => [
  ...new Map(
    logs
      .filter(({ message }) => message === 'gateway started')
      .map((line) => started.parse(line))
      .map(({ worker, pid }) => [worker, pid]),
  ).values(),
];

const deaths = ({ logs }: Program): number =>
  logs.filter(({ message }) => message === 'a worker died; starting another').length;

it('neither the process nor a worker opens an inspector on SIGUSR1', async (t) => {
  await using upstream = await startUpstream(answerJson({}));
  const proxy = await startProxy(t, upstream.apiBase);
  const all = [proxy.child.pid ?? 0, ...pids(proxy)];
  assert.equal(all.length, workers + 1);
  for (const pid of all) process.kill(pid, 'SIGUSR1');
  await until(async () => (await proxy.chat()).status === 200, { what: 'an answer' });
  await proxy.end('SIGTERM');
  assert.deepEqual(
    proxy.printed.filter((line) => line.includes('Debugger')),
    [],
  );
});

describe('a proxy of several workers', () => {
  it('shows the totals of all workers on each scrape, including a dead one', async (test) => {
    await using upstream = await startUpstream(answerJson());
    const proxy = await startProxy(test, upstream.apiBase);
    for (let request = 0; request < 6; request++) assert.equal((await proxy.chat()).status, 200);
    for (let scrape = 0; scrape < 4; scrape++) assert.equal(requests(await proxy.metrics()), 6);

    const [victim = 0] = pids(proxy);
    process.kill(victim, 'SIGKILL');
    await until(() => !pids(proxy).includes(victim), { what: 'another worker' });
    assert.equal(deaths(proxy), 1);
    assert.equal((await proxy.chat()).status, 200);
    await until(async () => requests(await proxy.metrics()) === 7, { what: 'the sum' });
    const ended = once(proxy.child, 'exit');
    proxy.child.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null]);
  });

  it('lets every worker finish its requests, regardless of which process gets the signal', async (test) => {
    const waiting: (() => void)[] = [];
    const hold: Script = (seen, response) => {
      if (!seen.path.endsWith('/chat/completions')) return answerJson({ data: [] })(seen, response);
      waiting.push(() => answerJson()(seen, response));
    };
    await using upstream = await startUpstream(hold);
    const proxy = await startProxy(test, upstream.apiBase);
    const answers = Array.from({ length: 8 }, () => proxy.chat());
    await until(() => waiting.length === answers.length, { what: 'eight requests' });
    const ended = once(proxy.child, 'exit');
    // Like a service manager that signals the whole process group.
    for (const pid of pids(proxy)) process.kill(pid, 'SIGTERM');
    proxy.child.kill('SIGTERM');
    const draining = () => proxy.logs.filter(({ message }) => message === 'shutting down').length;
    await until(() => draining() === workers, { what: 'both to drain' });
    for (const answer of waiting) answer();
    for (const answer of await Promise.all(answers)) assert.equal(answer.status, 200);
    assert.deepEqual(await ended, [0, null]);
  });

  it('reloads its file in every worker', async (test) => {
    await using upstream = await startUpstream(answerJson());
    const proxy = await startProxy(test, upstream.apiBase, ['--config-poll', '3600']);
    await proxy.write('other');
    proxy.child.kill('SIGHUP');
    const applied = () =>
      proxy.logs.filter(({ message }) => message === 'snapshot applied').length === 2 * workers;
    await until(applied, { what: 'the file in both' });
    for (let request = 0; request < 4; request++) {
      assert.equal((await proxy.chat('other')).status, 200);
    }
  });

  it('exits if a worker keeps dying', async (test) => {
    await using upstream = await startUpstream(answerJson());
    const proxy = await startProxy(test, upstream.apiBase);
    const ended = once(proxy.child, 'exit');
    const killed = new Set<number>();
    const killNewest = () => {
      const pid = pids(proxy)[0];
      if (pid !== undefined && !killed.has(pid)) process.kill(pid, 'SIGKILL');
      if (pid !== undefined) killed.add(pid);
      return proxy.child.exitCode !== null;
    };
    await until(killNewest, { what: 'the end of all' });
    assert.deepEqual(await ended, [1, null]);
    assert.equal(killed.size, 6);
  });

  it('does not start if its workers cannot', async (test) => {
    await using upstream = await startUpstream(answerJson());
    const other = await startProxy(test, upstream.apiBase);
    const port = new URL(other.url).port;
    await assert.rejects(
      startProxy(test, upstream.apiBase, ['--port', port]),
      /--port \d+ on --host 127\.0\.0\.1 cannot be bound[^]*did not start/,
    );
  });
});
