// Tests that the gateway's parser and Node's parser read the same requests from the same bytes and give the same
// answers. GW_TEST_CONNECTIONS makes it longer (`npm run test:soak`).

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import type { Exchange } from '../../../src/gateway/transport/boundary.ts';
import { cut } from '../../harness/bytes/answer-bytes.ts';
import { sendPieces, startListener } from '../../harness/gateway/listener.ts';
import { requestBytes } from '../../harness/bytes/request-bytes.ts';
import { smuggled } from '../../harness/bytes/smuggling.ts';

const runs = Number(process.env['GW_TEST_CONNECTIONS'] ?? 5000);

type Told = Readonly<{
  /** In the order in which they came; null for one whose connection broke before its body had come. */
  requests: readonly (object | null)[];
  /** But for those that ask for a body. */
  statuses: readonly string[];
}>;

/** Which requests a listener reads of the bytes, and what it answers. */
async function startTelling(parsesAll: boolean) {
  let requests: (object | null)[] = [];
  const tell = async (exchange: Exchange): Promise<void> => {
    const { method, path, malformed } = exchange;
    const own = (['authorization', 'content-length', 'content-type'] as const).map((name) =>
      exchange.header(name),
    );
    const others = ['x', 'a', 'host', 'connection'].map((name) => exchange.anyHeader(name));
    const forwarded = exchange.forwardedHeaders();
    const told = requests;
    const index = told.push(null) - 1;
    const received = await exchange.readBody();
    if (received.kind === 'gone') return;
    const body = received.kind === 'bytes' ? received.bytes.toString('latin1') : received.kind;
    told[index] = { method, path, malformed, own, others, forwarded, body };
    exchange.answer(malformed === null ? 200 : 421, [], method === 'HEAD' ? '' : 'ok');
  };
  const listener = await startListener((exchange) => void tell(exchange), { parsesAll });
  const send = async (pieces: readonly Buffer[]): Promise<Told> => {
    requests = [];
    const text = await sendPieces(listener.port, pieces);
    const statuses = (text.match(/HTTP\/1\.1 \d+/g) ?? [])
      .map((line) => line.slice(9))
      .filter((status) => status !== '100');
    return { requests, statuses };
  };
  return { send, [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose]() };
}

const isRefused = ({ statuses }: Told): boolean => /^(4[03]|50)/.test(statuses.at(-1) ?? '');

/**
 * Node's parser continues while requests are answered, and aborts them when it finds an invalid request. Which earlier
 * requests are still answered, and whether the refusal is sent, then depends on timing. A request that is invalid to
 * Node must be invalid to the gateway.
 */
function assertAlike(ours: Told, nodes: Told, what: string): void {
  const isBrokenOff = isRefused(nodes) || nodes.statuses.length < nodes.requests.length;
  if (!isBrokenOff) return assert.deepEqual(ours, nodes, what);
  assert.ok(ours.requests.length <= nodes.requests.length, what);
  for (const [index, request] of nodes.requests.entries()) {
    if (request !== null) assert.deepEqual(ours.requests[index], request, what);
  }
}

describe('the two readers', () => {
  it(`make the same of ${runs} connections of all sorts, in whichever pieces`, async () => {
    await using ours = await startTelling(false);
    await using nodes = await startTelling(true);
    await fc.assert(
      fc.asyncProperty(
        requestBytes,
        fc.array(fc.nat(300), { maxLength: 4 }),
        async (bytes, cuts) => {
          const pieces = cut(bytes, cuts);
          const [one, other] = [await ours.send(pieces), await nodes.send(pieces)];
          assertAlike(one, other, JSON.stringify(bytes.toString('latin1')));
        },
      ),
      { numRuns: runs },
    );
  });

  it(`make the same of ${smuggled.length} requests that hide another`, async () => {
    await using ours = await startTelling(false);
    await using nodes = await startTelling(true);
    for (const text of smuggled) {
      const pieces = [Buffer.from(text, 'latin1')];
      assertAlike(await ours.send(pieces), await nodes.send(pieces), JSON.stringify(text));
    }
  });
});

describe('requests on one connection', () => {
  const body = '{"a":1}';
  const one = (path: string): string =>
    `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer k\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const bytes = Buffer.from(one('/1') + 'GET /2 HTTP/1.1\r\nhost: x\r\n\r\n' + one('/3'));

  it('are the same wherever their bytes are cut in two', async () => {
    await using listener = await startTelling(false);
    const expected = await listener.send([bytes]);
    assert.equal(expected.requests.length, 3);
    assert.deepEqual(expected.statuses, ['200', '200', '200']);
    for (let at = 1; at < bytes.length; at++) {
      assert.deepEqual(await listener.send(cut(bytes, [at])), expected, `cut at ${at}`);
    }
  });

  it('are the same when their bytes come one by one', async () => {
    await using listener = await startTelling(false);
    const expected = await listener.send([bytes]);
    const pieces = [...bytes].map((byte) => Buffer.from([byte]));
    assert.deepEqual(await listener.send(pieces), expected);
  });
});
