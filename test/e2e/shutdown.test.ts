// Tests how a proxy shuts down: requests that end within the grace period are not interrupted, and
// the others are reported. GW_TEST_DRAINS makes it longer (`npm run test:soak`).

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { z } from 'zod';

import { chatBody } from '../harness/gateway/gateway.ts';
import { startProgram } from '../harness/program/program.ts';
import type { Program } from '../harness/program/program.ts';
import { answerJson, delta, startUpstream } from '../harness/upstream/upstream.ts';
import { until } from '../harness/wait.ts';

const drains = Number(process.env['GW_TEST_DRAINS'] ?? 1);
const streams = 200;

async function startProxy(test: TestContext, apiBase: string, args: readonly string[]) {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'gw-end-'));
  test.after(() => rm(directory, { recursive: true, force: true }));
  const config = path.join(directory, 'gw.yaml');
  const model = `{ model_name: m, litellm_params: { model: m, api_base: "${apiBase}" } }`;
  await writeFile(config, `model_list: [${model}]\n`);
  const program = startProgram(test, { args: ['--config', config, '--port', '0', ...args] });
  const { url } = z.object({ url: z.string() }).parse(await program.logged('gateway started'));
  const chat = (body: unknown) =>
    fetch(`${url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify(body) });
  return { ...program, url, port: Number(new URL(url).port), chat };
}

/** Starts an upstream that begins streams and ends them when told to. */
async function holdStreams() {
  const held: ServerResponse[] = [];
  const upstream = await startUpstream((seen, response) => {
    if (!seen.path.endsWith('/chat/completions')) return answerJson({ data: [] })(seen, response);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(delta('first'));
    held.push(response);
  });
  const finish = () => {
    for (const response of held.splice(0)) {
      response.write(delta('last'));
      response.end('data: [DONE]\n\n');
    }
  };
  return { ...upstream, held, finish };
}

/** Opens a connection, uses it once and keeps it open. */
async function openIdle(port: number) {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
  await once(socket, 'data');
  socket.resume();
  const closed = Promise.withResolvers<number>();
  socket.once('close', () => closed.resolve(performance.now()));
  return { closed: closed.promise };
}

const isRefused = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => {
      socket.destroy();
      resolve(false);
    });
    socket.on('error', () => resolve(true));
  });

const stream = chatBody('m', { stream: true });

describe('a proxy that shuts down', () => {
  it(`ends ${streams} streams properly, and closes idle connections at once`, async (test) => {
    for (let drain = 0; drain < drains; drain++) {
      await using upstream = await holdStreams();
      const proxy = await startProxy(test, upstream.apiBase, ['--shutdown-grace', '20']);
      const texts = Array.from({ length: streams }, async () => (await proxy.chat(stream)).text());
      await until(() => upstream.held.length === streams, { what: 'all streams to begin' });
      const idle = await openIdle(proxy.port);
      const ended = once(proxy.child, 'exit');
      const toldAt = performance.now();
      proxy.child.kill('SIGTERM');
      assert.ok((await idle.closed) - toldAt < idleMsMax);
      await until(() => isRefused(proxy.port), { what: 'new connections to be refused' });
      assert.equal(proxy.child.exitCode, null);
      upstream.finish();
      const cut = (await Promise.all(texts)).filter((text) => !text.endsWith('data: [DONE]\n\n'));
      assert.equal(cut.length, 0);
      const lastAt = performance.now();
      assert.deepEqual(await ended, [0, null]);
      assert.ok(performance.now() - lastAt < endMsMax);
      assert.deepEqual(warnings(proxy), []);
    }
  });

  it('closes open requests after the grace period, and reports their number', async (test) => {
    await using upstream = await holdStreams();
    const proxy = await startProxy(test, upstream.apiBase, ['--shutdown-grace', '1']);
    const cut = [1, 2, 3].map(async () => (await proxy.chat(stream)).text());
    await until(() => upstream.held.length === cut.length, { what: 'all streams to begin' });
    const ended = once(proxy.child, 'exit');
    proxy.child.kill('SIGTERM');
    const results = await Promise.allSettled(cut);
    assert.ok(results.every(({ status }) => status === 'rejected'));
    assert.deepEqual(await ended, [0, null]);
    assert.deepEqual(warnings(proxy), [
      'requests were cut off at the end of the shutdown grace period',
    ]);
    assert.ok(proxy.logs.some((line) => line['connections'] === cut.length));
  });

  it('continues to serve during the delay, but is not ready', async (test) => {
    await using upstream = await startUpstream(answerJson());
    const proxy = await startProxy(test, upstream.apiBase, ['--shutdown-delay', '2']);
    const ready = async () => (await fetch(`${proxy.url}/readyz`)).status;
    assert.equal(await ready(), 200);
    const ended = once(proxy.child, 'exit');
    proxy.child.kill('SIGTERM');
    await proxy.logged('shutting down');
    assert.equal(await ready(), 503);
    assert.equal((await proxy.chat(chatBody('m'))).status, 200);
    assert.deepEqual(await ended, [0, null]);
  });

  it('stops at once on a second signal, with its own exit code', async (test) => {
    await using upstream = await holdStreams();
    const proxy = await startProxy(test, upstream.apiBase, ['--shutdown-grace', '60']);
    const cut = assert.rejects(proxy.chat(stream).then((response) => response.text()));
    await until(() => upstream.held.length === 1, { what: 'the stream to begin' });
    const ended = once(proxy.child, 'exit');
    proxy.child.kill('SIGTERM');
    await proxy.logged('shutting down');
    proxy.child.kill('SIGTERM');
    assert.deepEqual(await ended, [130, null]);
    await cut;
  });
});

/** Half a second, plus the delay of a busy machine. */
const idleMsMax = 2000;
const endMsMax = 3000;

/** Ignores the warning about open access. */
const warnings = ({ logs }: Program): readonly unknown[] =>
  logs
    .filter(({ level, message }) => level === 'warn' && !/is open/.test(String(message)))
    .map(({ message }) => message);
