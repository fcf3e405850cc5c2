// Tests the cost of clients that do not read, or disconnect, for a proxy process: bounded memory,
// and no upstream request that continues. GW_TEST_READERS and GW_TEST_LEAVERS make it longer (`npm
// run test:soak`).

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
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
import { answerJson, delta, startUpstream } from '../harness/upstream/upstream.ts';
import type { Script } from '../harness/upstream/upstream.ts';
import { until } from '../harness/wait.ts';

const readers = Number(process.env['GW_TEST_READERS'] ?? 8);
const leavers = Number(process.env['GW_TEST_LEAVERS'] ?? 100);

const mebibyte = 1024 * 1024;
const growthMax = 150 * mebibyte;
const answer = Buffer.alloc(64 * mebibyte, 'x');

async function startProxy(test: TestContext, apiBase: string) {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'gw-clients-'));
  test.after(() => rm(directory, { recursive: true, force: true }));
  const config = path.join(directory, 'gw.yaml');
  const model = `{ model_name: m, litellm_params: { model: m, api_base: "${apiBase}" } }`;
  await writeFile(config, `model_list: [${model}]\n`);
  const program = startProgram(test, { args: ['--config', config, '--port', '0'] });
  const { url } = z.object({ url: z.string() }).parse(await program.logged('gateway started'));
  const { pid } = program.child;
  const residentBytes = () =>
    Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024;
  return { url, residentBytes };
}

/** Applies the script only to chats; the model list does not matter here. */
const onlyChats =
  (script: Script): Script =>
  (seen, response) =>
    (seen.method === 'POST' ? script : answerJson({ data: [] }))(seen, response);

function post(url: string, body: unknown) {
  const text = JSON.stringify(body);
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' });
  socket.on('error', () => {});
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
  );
  return socket;
}

describe('a proxy with clients that', () => {
  it(`do not read: ${readers} answers of 64 MiB take less than 150 MiB`, async (test) => {
    const answering: ServerResponse[] = [];
    await using upstream = await startUpstream(
      onlyChats((_, response) => {
        answering.push(response);
        response.writeHead(200).end(answer);
      }),
    );
    const proxy = await startProxy(test, upstream.apiBase);
    await (await fetch(`${proxy.url}/metrics`)).text();
    const before = proxy.residentBytes();
    const sockets = Array.from({ length: readers }, () => post(proxy.url, chatBody('m')).pause());
    await until(() => answering.length === readers, { what: 'all answers to begin' });
    let most = 0;
    let unsent = 0;
    let unmoved = 0;
    const isStuck = () => {
      const left = answering.reduce((sum, one) => sum + (one.socket?.writableLength ?? 0), 0);
      unmoved = left === unsent ? unmoved + 1 : 0;
      unsent = left;
      most = Math.max(most, proxy.residentBytes() - before);
      return unmoved >= 50;
    };
    await until(isStuck, { what: 'nothing to move any more' });
    test.diagnostic(`${readers} unread answers: ${Math.round(most / mebibyte)} MiB more`);
    assert.ok(most < growthMax, `${Math.round(most / mebibyte)} MiB`);
    assert.ok(unsent > 0, 'the upstream is held back');
    for (const socket of sockets) socket.destroy();
    await until(() => upstream.seen.filter(({ method }) => method === 'POST').every(isAborted), {
      what: 'the upstreams to be left',
    });
  });

  it(`disconnect: ${leavers} upstream requests end as soon`, async (test) => {
    const leftAt = new Map<string, number>();
    const took: number[] = [];
    await using upstream = await startUpstream(
      onlyChats((seen, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(delta('a'));
        const { user } = z.object({ user: z.string() }).parse(JSON.parse(seen.body.toString()));
        response.on('close', () => took.push(performance.now() - (leftAt.get(user) ?? 0)));
      }),
    );
    const proxy = await startProxy(test, upstream.apiBase);
    for (let leaver = 0; leaver < leavers; leaver++) {
      const user = String(leaver);
      const socket = post(proxy.url, chatBody('m', { stream: true, user }));
      socket.once('data', () => {
        leftAt.set(user, performance.now());
        socket.destroy();
      });
      await until(() => leftAt.size >= leaver - 50, { what: 'those before it' });
    }
    await until(() => took.length === leavers, { what: 'every upstream to be left' });
    const ordered = took.toSorted((a, b) => a - b);
    const at = (part: number): number => ordered[Math.ceil(leavers * part) - 1] ?? 0;
    const [half, most, last] = [at(0.5), at(0.99), at(1)].map((ms) => `${ms.toFixed(1)} ms`);
    test.diagnostic(`${leavers} left: p50 ${half}, p99 ${most}, most ${last}`);
    assert.ok(at(1) < 5000);
    const metrics = await (await fetch(`${proxy.url}/metrics`)).text();
    assert.match(metrics, /gw_backend_inflight\{.*\} 0/);
  });
});

const isAborted = ({ isAborted: is }: Readonly<{ isAborted: boolean }>): boolean => is;
