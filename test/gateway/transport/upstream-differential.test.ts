// The same upstream tells the gateway's client and undici the same, whatever pieces it sends and
// wherever it stops.

import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';

import * as fc from 'fast-check';
import { Pool } from 'undici';

import { createUpstreams } from '../../../src/gateway/transport/upstream.ts';
import { createWatch } from '../../../src/gateway/transport/watch.ts';
import { cut } from '../../harness/bytes/answer-bytes.ts';
import type { ReadAnswer } from '../../harness/bytes/answer-bytes.ts';
import { ask, startRawUpstream } from '../../harness/upstream/raw-upstream.ts';

type Client = Readonly<{ send: () => Promise<ReadAnswer>; close: () => Promise<void> }>;

function ownClient(origin: string): Client {
  const watch = createWatch();
  const upstreams = createUpstreams(watch, { idleConnectionsMax: 8, caBundle: [] });
  return {
    send: async () => {
      const { status, body, end } = await ask(upstreams, origin);
      return { status, body, isWhole: end === 'whole' };
    },
    close: async () => {
      watch.stop();
      await upstreams.close();
    },
  };
}

function undiciClient(origin: string): Client {
  const pool = new Pool(origin);
  const send = (): Promise<ReadAnswer> =>
    new Promise((resolve) => {
      let status: number | null = null;
      let body = '';
      pool.dispatch(
        { method: 'POST', path: '/v1/x', headers: [], body: '{}' },
        {
          onRequestStart: () => {},
          onResponseStart: (_, code) => {
            if (code >= 200) status = code;
          },
          onResponseData: (_, chunk) => void (body += chunk.toString('latin1')),
          onResponseEnd: () => resolve({ status, body, isWhole: true }),
          onResponseError: () => resolve({ status, body, isWhole: false }),
        },
      );
    });
  return { send, close: () => pool.destroy() };
}

const piece = fc.string({ minLength: 1, maxLength: 30, unit: 'binary-ascii' });
const chunksOf = (pieces: readonly string[]): string =>
  pieces.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join('');
const fieldsAndBody = fc.oneof(
  piece.map((body) => `content-length: ${body.length}\r\n\r\n${body}`),
  piece.map((body) => `connection: close\r\n\r\n${body}`),
  fc
    .array(piece, { maxLength: 4 })
    .map((pieces) => `transfer-encoding: chunked\r\n\r\n${chunksOf(pieces)}0\r\n\r\n`),
);

type Scripted = Readonly<{ bytes: Buffer; cuts: readonly number[]; isClosed: boolean }>;

/** An answer in pieces; one that is cut short closes its connection there. */
const scripted: fc.Arbitrary<Scripted> = fc
  .record({
    interim: fc.constantFrom('', '', 'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'),
    status: fc.constantFrom(200, 201, 400, 404, 429, 500, 503),
    rest: fieldsAndBody,
    cuts: fc.array(fc.nat(120), { maxLength: 3 }),
    keptBytes: fc.option(fc.integer({ min: 1, max: 120 })),
  })
  .map(({ interim, status, rest, cuts, keptBytes }) => {
    const whole = Buffer.from(`${interim}HTTP/1.1 ${status} x\r\n${rest}`, 'latin1');
    const bytes = whole.subarray(0, keptBytes ?? whole.length);
    const isClosed = bytes.length < whole.length || rest.startsWith('connection: close');
    return { bytes, cuts, isClosed };
  });

async function play(socket: Socket, { bytes, cuts, isClosed }: Scripted): Promise<void> {
  for (const part of cut(bytes, cuts)) {
    socket.write(part);
    await turn();
  }
  if (isClosed) socket.end();
}

/** The events that a client gets from an upstream with these answers. */
async function told(
  answers: readonly Scripted[],
  clientOf: (origin: string) => Client,
): Promise<readonly ReadAnswer[]> {
  let asked = 0;
  await using raw = await startRawUpstream((socket) => {
    const answer = answers[asked];
    if (answer !== undefined) void play(socket, answer);
  });
  const client = clientOf(raw.origin);
  const seen: ReadAnswer[] = [];
  for (asked = 0; asked < answers.length; asked++) seen.push(await client.send());
  await client.close();
  return seen;
}

describe("the gateway's client and undici", () => {
  it('are told the same by the same upstream', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(scripted, { minLength: 1, maxLength: 4 }), async (answers) => {
        assert.deepEqual(await told(answers, ownClient), await told(answers, undiciClient));
      }),
      { numRuns: 150 },
    );
  });
});
