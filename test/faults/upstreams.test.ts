// Tests that a request ends as docs/reference/upstream-faults.md states for each upstream fault: it
// does not hang, it is not retried once the client has received a byte, and it leaves one usage
// row.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import path from 'node:path';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';

import { z } from 'zod';

import type { UsageEvent } from '../../src/usage/usage-event.ts';
import { chatBody, startTestGateway } from '../harness/gateway/gateway.ts';
import { startRawUpstream } from '../harness/upstream/raw-upstream.ts';
import { answerJson, startUpstream, unusedApiBase } from '../harness/upstream/upstream.ts';
import { until } from '../harness/wait.ts';
import { faults } from './upstream-faults.ts';
import type { Ending, Fault } from './upstream-faults.ts';
import { whole } from './upstream-plays.ts';
import type { Asked, Play } from './upstream-plays.ts';

const root = path.join(import.meta.dirname, '../..');
const fixture = (name: string) => readFileSync(path.join(root, 'test/fixtures/tls', name), 'utf8');

type Upstream = AsyncDisposable & Readonly<{ apiBase: string; requests: () => number }>;

/** No request reaches it, so none is counted. */
const unasked = (apiBase: string, close: () => Promise<unknown> = async () => {}): Upstream => ({
  apiBase,
  requests: () => 0,
  [Symbol.asyncDispose]: async () => void (await close()),
});

type Raw = Parameters<typeof startRawUpstream>[1];

async function raw(
  answer: (socket: Socket, turn: number) => void,
  options: Raw & Readonly<{ scheme?: 'https' }> = {},
): Promise<Upstream> {
  const upstream = await startRawUpstream(answer, options);
  const origin = upstream.origin.replace(/^http:/, `${options.scheme ?? 'http'}:`);
  const posts = () => upstream.connections.flatMap(({ text }) => text.match(/POST \//g) ?? []);
  return {
    apiBase: `${origin}/v1`,
    requests: () => posts().length,
    [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose](),
  };
}

const ignore = (): void => {};

/**
 * Listens in a thread that sleeps. Once its backlog is full, the system leaves connections
 * unanswered.
 */
async function startStuck(): Promise<Upstream> {
  const code = `const server = require('node:net').createServer();
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      require('node:worker_threads').parentPort.postMessage(server.address().port);
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
    });`;
  const worker = new Worker(code, { eval: true });
  const port = await new Promise<number>((resolve) => {
    worker.once('message', (message) => resolve(z.number().parse(message)));
  });
  const fillers = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', ignore));
  await until(() => fillers.some((socket) => !socket.connecting), { what: 'the backlog to fill' });
  return unasked(`http://127.0.0.1:${port}/v1`, async () => {
    for (const socket of fillers) socket.destroy();
    await worker.terminate();
  });
}

async function startFaulty(fault: Fault, play: Play, asked: Asked): Promise<Upstream> {
  if (fault.at === undefined) return raw((socket, turn) => play(socket, asked, turn));
  switch (fault.at) {
    case 'refused':
      return unasked(await unusedApiBase());
    case 'nameless':
      return unasked('http://no-such-name.invalid/v1');
    case 'stuck':
      return startStuck();
    case 'mute':
      return raw(ignore, { scheme: 'https' });
    case 'plain':
      return raw((socket) => socket.write(whole(asked)), { scheme: 'https' });
    case 'untrusted':
      return raw(ignore, { tls: { cert: fixture('cert.pem'), key: fixture('key.pem') } });
    case 'hasty':
      return raw(ignore, { greet: (socket) => void socket.write(whole(asked)) });
  }
}

type Case = Readonly<{ fault: Fault; play: Play; asked: Asked; isAlone: boolean }>;
type Result = Readonly<{
  status: number;
  isCut: boolean;
  headers: Headers;
  body: string;
  /** The rows of the request and of earlier ones that only opened a connection. */
  rows: readonly UsageEvent[];
  requests: number;
  spareRequests: number;
}>;

const longMs = 20_000;
const shortMs = 250;

/** Sends one request and reads it to its end. */
async function see({ fault, play, asked, isAlone }: Case): Promise<Result> {
  await using faulty = await startFaulty(fault, play, asked);
  await using spare = await startUpstream(answerJson());
  const apiBases = isAlone ? [faulty.apiBase] : [faulty.apiBase, spare.apiBase];
  const limitMs = fault.isSilent === true ? shortMs : longMs;
  await using gateway = await startTestGateway(
    { models: { m: { backends: apiBases.map((apiBase) => ({ apiBase })) } }, keys: { key: {} } },
    {
      firstByteMs: limitMs,
      upstream: { idleConnectionsMax: 8, caBundle: [], connectMs: limitMs, stallMs: limitMs },
    },
  );
  const user = fault.isLong === true ? 'x'.repeat(900_000) : 'x';
  const body = chatBody('m', { user, ...(asked === 'stream' ? { stream: true } : {}) });
  const opening = fault.isKept === true ? apiBases : [];
  for (const _ of opening) await (await gateway.chat(body)).text();
  const rowsBefore = gateway.events.length;
  const before = { requests: faulty.requests(), spare: spare.seen.length };
  const response = await gateway.chat(body);
  const read = await response.text().then(
    (text) => ({ text, isCut: false }),
    () => ({ text: '', isCut: true }),
  );
  await until(() => gateway.events.length > rowsBefore, { what: 'a row of usage' });
  await until(async () => /gw_backend_inflight\{.*\} 0\n/.test(await gateway.metrics()), {
    what: 'nothing to be in flight',
  });
  return {
    status: response.status,
    isCut: read.isCut,
    headers: response.headers,
    body: read.text,
    rows: gateway.events.slice(rowsBefore),
    requests: faulty.requests() - before.requests,
    spareRequests: spare.seen.length - before.spare,
  };
}

const isTried = ({ at }: Fault): boolean => at === undefined || at === 'hasty';

function checkAlone(fault: Fault, { kind, ...ending }: Ending, result: Result): void {
  const status = 'status' in ending ? ending.status : 502;
  assert.equal(result.status, status);
  assert.equal(result.isCut, kind === 'cut' || kind === 'declined and cut');
  const refusal = kind === 'unreached' ? 'no_backend' : null;
  if (refusal !== null) assert.match(result.body, /"code":"no_backend"/);
  assert.partialDeepStrictEqual(result.rows, [{ status, refusal, attempts: 1 }]);
  for (const [name, value] of Object.entries(fault.shows ?? {})) {
    assert.equal(result.headers.get(name), value);
  }
}

function checkBeside(fault: Fault, { kind, ...ending }: Ending, result: Result): void {
  if (kind === 'cut' || kind === 'relayed') {
    assert.equal(result.spareRequests, 0, 'no other backend is tried');
    return checkAlone(fault, { kind, status: 0, ...ending }, result);
  }
  assert.equal(result.status, 200);
  assert.equal(result.isCut, false);
  assert.equal(result.spareRequests, 1);
  assert.match(result.body, /Hello there/);
  assert.partialDeepStrictEqual(result.rows, [{ status: 200, refusal: null, attempts: 2 }]);
}

async function check(fault: Fault, play: Play, endingOf: (asked: Asked) => Ending): Promise<void> {
  const cases = (['json', 'stream'] as const).flatMap((asked) =>
    [true, false].map((isAlone) => ({ fault, play, asked, isAlone })),
  );
  await Promise.all(
    cases.map(async (one) => {
      const result = await see(one);
      const ending = endingOf(one.asked);
      (one.isAlone ? checkAlone : checkBeside)(fault, ending, result);
      assert.equal(result.rows.length, 1);
      if (isTried(fault)) assert.equal(result.requests, fault.requests ?? 1);
    }),
  );
}

describe('an upstream that', () => {
  for (const fault of faults) {
    it(fault.does, { timeout: 30_000 }, async () => {
      if (fault.each === undefined) {
        return check(fault, fault.play ?? ignore, (asked) => fault.ends[asked]);
      }
      for (const status of fault.each.statuses) {
        await check(fault, fault.each.play(status), (asked) => {
          const ending = fault.ends[asked];
          return ending.kind === 'unreached' ? ending : { ...ending, status };
        });
      }
    });
  }
});

const resultOf = (ending: Ending, hasOwnStatus: boolean): string => {
  const status = 'status' in ending && !hasOwnStatus ? String(ending.status) : 'its status';
  switch (ending.kind) {
    case 'unreached':
      return 'next backend, else 502';
    case 'declined':
      return `next backend, else ${status}`;
    case 'relayed':
      return status;
    case 'cut':
      return `${status}, cut`;
    case 'declined and cut':
      return `next backend, else ${status}, cut`;
  }
};

function headingOf({ ends, each }: Fault): string {
  const json = resultOf(ends.json, each !== undefined);
  const stream = resultOf(ends.stream, each !== undefined);
  const both = json === stream ? json : `${json}; with a stream ${stream}`;
  return `${both.charAt(0).toUpperCase()}${both.slice(1)}`;
}

it('the page on upstream faults lists every fault under its result', () => {
  const page = readFileSync(path.join(root, 'docs/reference/upstream-faults.md'), 'utf8');
  const [, ...sections] = page.split(/^### /m);
  const listed = sections.flatMap((section) => {
    const [heading = ''] = section.split('\n');
    return [...section.matchAll(/^- (.+)$/gm)].map(([, does = '']) => `${heading}: ${does}`);
  });
  const expected = faults.map((fault) => `${headingOf(fault)}: ${fault.does}`);
  assert.deepEqual(listed.toSorted(), expected.toSorted());
});
