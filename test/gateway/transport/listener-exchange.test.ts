// Tests consecutive exchanges on a connection of the listener, parsed by the gateway itself and by Node's parser: heads and
// framing of answers, keep-alive and close, and every limit.

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';

import type { Exchange } from '../../../src/gateway/transport/boundary.ts';
import type { ServerOptions } from '../../../src/gateway/transport/server.ts';
import { bodyBytesMax, sendPieces, startListener } from '../../harness/gateway/listener.ts';
import { until } from '../../harness/wait.ts';

const get = 'GET /a HTTP/1.1\r\nhost: x\r\n\r\n';
const postOf = (length: number, body = '', fields = ''): string =>
  `POST /a HTTP/1.1\r\nhost: x\r\n${fields}content-length: ${length}\r\n\r\n${body}`;

function open(port: number, text: string) {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const seen = { text: '', isClosed: false };
  socket.on('error', () => {}).on('close', () => (seen.isClosed = true));
  socket.on('end', () => socket.end());
  socket.on('data', (bytes: Buffer) => (seen.text += bytes.toString('latin1')));
  socket.write(text, 'latin1');
  return { socket, seen, [Symbol.dispose]: () => void socket.destroy() };
}

const undated = (text: string): string => text.replaceAll(/date: [^\r]*/gi, '');
const answers = (text: string): number => text.match(/HTTP\/1\.1 \d{3} /g)?.length ?? 0;
const answerOk = (exchange: Exchange): void => exchange.answer(200, ['x-a', 'b'], 'ok');

const chunk = (text: string) => Buffer.from(text, 'latin1');

/** An answer in pieces, and the bytes of the body that a client reads of it. */
const framed: readonly (readonly [
  what: string,
  play: (exchange: Exchange) => void,
  expected: RegExp,
])[] = [
  [
    'of known length at once',
    (exchange) => exchange.answer(200, [], 'h\u00e9'),
    /^HTTP\/1\.1 200 OK\r\n[^]*content-length: 3\r\n[^]*\r\n\r\nh\xc3\xa9$/i,
  ],
  [
    'of known length in pieces',
    (exchange) => {
      exchange.start(200, ['content-length', '4'], true);
      exchange.write(chunk('ab'), false);
      exchange.write(chunk('cd'), true);
      exchange.end();
    },
    /^HTTP\/1\.1 200 OK\r\n(?![^]*chunked)[^]*\r\n\r\nabcd$/i,
  ],
  [
    'of unknown length in pieces',
    (exchange) => {
      exchange.start(201, [], false);
      exchange.write(chunk('ab'), false);
      exchange.write(chunk(''), false);
      exchange.write(chunk('x'.repeat(20)), true);
      exchange.end();
    },
    /201 Created\r\n[^]*encoding: chunked[^]*\r\n\r\n2\r\nab\r\n14\r\nx{20}\r\n0\r\n\r\n$/i,
  ],
  [
    'of unknown length that is empty',
    (exchange) => {
      exchange.start(200, [], true);
      exchange.end();
    },
    /transfer-encoding: chunked[^]*\r\n\r\n0\r\n\r\n$/i,
  ],
  [
    'without a body',
    (exchange) => {
      exchange.start(204, [], true);
      exchange.end();
    },
    /^HTTP\/1\.1 204 No Content\r\n(?![^]*(chunked|content-length))[^]*\r\n\r\n$/i,
  ],
  [
    'to HEAD, which has no body',
    (exchange) => {
      exchange.start(304, ['content-length', '9'], true);
      exchange.end();
    },
    /^HTTP\/1\.1 304 Not Modified\r\n[^]*content-length: 9\r\n[^]*\r\n\r\n$/i,
  ],
  [
    'longer than a piece that is written at once',
    (exchange) => exchange.answer(200, [], Buffer.alloc(200_000, 'x')),
    /\r\n\r\nx{200000}$/,
  ],
];

for (const [reader, parsesAll] of [
  ['the gateway', false],
  ["Node's parser", true],
] as const) {
  const start = (handle: (exchange: Exchange) => void, options: Partial<ServerOptions> = {}) =>
    startListener(handle, { parsesAll, ...options });

  describe(`an answer to what ${reader} read`, () => {
    for (const [what, play, expected] of framed) {
      it(`${what} is framed so that the next response can follow`, async () => {
        await using listener = await start(play);
        using client = open(listener.port, get);
        await until(() => expected.test(client.seen.text), { what: 'the answer' });
        const [first] = [client.seen.text];
        client.socket.write(get);
        await until(() => undated(client.seen.text) === undated(first + first), {
          what: 'the same again',
        });
        assert.match(first, /\r\ndate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n/i);
        assert.match(first, /\r\nconnection: keep-alive\r\nkeep-alive: timeout=72\r\n/i);
        assert.equal(listener.server.inFlight(), 0);
      });
    }

    it('cannot contain a line break in a field', async () => {
      const thrown: unknown[] = [];
      await using listener = await start((exchange) => {
        try {
          exchange.answer(200, ['x-a', 'b\r\nx-c: d'], 'ok');
        } catch (error) {
          thrown.push(error);
        }
        assert.equal(exchange.hasStarted, false);
        exchange.answer(500, [], 'failed');
      });
      using client = open(listener.port, get);
      await until(() => client.seen.text.endsWith('failed'), { what: 'the other answer' });
      assert.equal(thrown.length, 1);
      assert.doesNotMatch(client.seen.text, /x-c/);
    });

    it('announces and closes the connection if the client or the listener requests it', async () => {
      const closing = get.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n');
      for (const [text, isOff] of [
        [closing, false],
        [get, true],
      ] as const) {
        await using listener = await start(answerOk, { disablesKeepAlive: () => isOff });
        using client = open(listener.port, text);
        await until(() => client.seen.isClosed, { what: 'the connection to be closed' });
        assert.match(
          client.seen.text,
          /^HTTP\/1\.1 200 OK\r\n[^]*connection: close[^]*\r\n\r\nok$/i,
        );
        assert.doesNotMatch(client.seen.text, /keep-alive/i);
      }
    });

    it('that is aborted ends the connection, and is reported once', async () => {
      let gone = 0;
      await using listener = await start((exchange) => {
        exchange.listen({ onDrain: () => {}, onGone: () => void gone++ });
        exchange.start(200, [], true);
        exchange.write(chunk('ab'), false);
        exchange.cut();
        exchange.cut();
      });
      using client = open(listener.port, get);
      await until(() => client.seen.isClosed && gone === 1, {
        what: 'the connection to be closed',
      });
      assert.doesNotMatch(client.seen.text, /0\r\n\r\n/);
      assert.equal(listener.server.inFlight(), 0);
    });

    it('is aborted when its client closes its side', async () => {
      let gone = 0;
      await using listener = await start((exchange) => {
        exchange.listen({ onDrain: () => {}, onGone: () => void gone++ });
        exchange.start(200, [], false);
      });
      using client = open(listener.port, get);
      await until(() => client.seen.text !== '', { what: 'the head' });
      client.socket.end();
      await until(() => client.seen.isClosed && gone === 1, { what: 'the exchange to be left' });
      assert.equal(listener.server.inFlight(), 0);
    });

    it('waits for a client that does not read, and resumes when it reads again', async () => {
      let drained = 0;
      let waited = 0;
      const bytes = Buffer.alloc(16 * 1024, 'x');
      await using listener = await start((exchange) => {
        const fill = (): void => {
          while (exchange.write(bytes, false)) if (drained > 0) return exchange.end();
          waited++;
        };
        exchange.listen({
          onDrain: () => {
            drained++;
            fill();
          },
          onGone: () => {},
        });
        exchange.start(200, [], true);
        fill();
      });
      using client = open(listener.port, get);
      client.socket.pause();
      await until(() => waited > 0, { what: 'the answer to be held back' });
      client.socket.resume();
      await until(() => client.seen.text.endsWith('\r\n0\r\n\r\n'), { what: 'the end' });
    });

    it('that is not read is aborted', async () => {
      let isGone = false;
      const limits = { slowReaderMs: 200 };
      const play = (exchange: Exchange): void => {
        exchange.listen({ onDrain: () => {}, onGone: () => (isGone = true) });
        exchange.answer(200, [], Buffer.alloc(32 * 1024 * 1024));
      };
      await using listener = await start(play, { limits });
      using client = open(listener.port, get);
      client.socket.pause();
      await until(() => isGone, { what: 'the exchange to be given up' });
      assert.equal(listener.server.inFlight(), 0);
    });
  });

  describe(`a connection that ${reader} reads`, () => {
    it('is closed after a long time without data', async () => {
      await using listener = await start(answerOk, { limits: { keepAliveMs: 200 } });
      using client = open(listener.port, get);
      await until(() => client.seen.isClosed, { what: 'the connection to be closed' });
      assert.match(client.seen.text, /\r\n\r\nok$/);
    });

    it('continues after an early response once the rest of the body arrives, and serves the next request', async () => {
      await using listener = await start(answerOk);
      using client = open(listener.port, postOf(10, '1234'));
      await until(() => answers(client.seen.text) === 1, { what: 'the early answer' });
      client.socket.write(`567890${get}`);
      await until(() => answers(client.seen.text) === 2, { what: 'the next answer' });
    });

    it('is closed after an early response if the rest of the body does not arrive', async () => {
      await using listener = await start(answerOk);
      using client = open(listener.port, postOf(10, '1234'));
      await until(() => answers(client.seen.text) === 1, { what: 'the early answer' });
      await until(() => client.seen.isClosed, { what: 'the connection to be cut' });
    });

    it('reads a body only once it is requested, and then completely', async () => {
      const length = bodyBytesMax;
      const asked = Promise.withResolvers<void>();
      let received = 0;
      const handle = async (exchange: Exchange): Promise<void> => {
        await asked.promise;
        const body = await exchange.readBody();
        received = body.kind === 'bytes' ? body.bytes.length : -1;
        answerOk(exchange);
      };
      await using listener = await start((exchange) => void handle(exchange));
      using client = open(listener.port, postOf(length, 'x'));
      client.socket.write(Buffer.alloc(length - 1, 'x'));
      let before = -1;
      let unmoved = 0;
      const isHeld = () => {
        unmoved = client.socket.bytesWritten === before ? unmoved + 1 : 0;
        before = client.socket.bytesWritten;
        return unmoved > 5 && client.socket.writableLength > 0;
      };
      await until(isHeld, { what: 'the client to be held back' });
      asked.resolve();
      await until(() => answers(client.seen.text) === 1, { what: 'the answer' });
      assert.equal(received, length);
    });

    it('stays with the reader of the first unusual request, and is served by it', async () => {
      await using listener = await start((exchange) => {
        exchange.answer(200, [], exchange.method === 'HEAD' ? '' : exchange.path);
      });
      const head = get.replace('GET', 'HEAD');
      const texts = [get, head, get, postOf(2, '{}'), head].join('');
      const text = await sendPieces(listener.port, [Buffer.from(texts)]);
      assert.equal(answers(text), 5);
    });

    it('that is idle is closed on request, unless it has not sent anything yet', async () => {
      await using listener = await start(answerOk);
      using idle = open(listener.port, get);
      using fresh = open(listener.port, '');
      await until(() => idle.seen.text !== '', { what: 'an answer' });
      listener.server.closeIdle();
      await until(() => idle.seen.isClosed, { what: 'the idle one to be closed' });
      fresh.socket.write(get);
      await until(() => answers(fresh.seen.text) === 1, { what: 'an answer to the other' });
    });

    it('releases all resources when the listener closes all connections', async () => {
      let gone = 0;
      await using listener = await start((exchange) => {
        exchange.listen({ onDrain: () => {}, onGone: () => void gone++ });
        exchange.start(200, [], false);
      });
      using client = open(listener.port, get);
      await until(() => client.seen.text !== '', { what: 'the head' });
      listener.server.stopAccepting();
      assert.equal(listener.server.inFlight(), 1);
      listener.server.closeAll();
      await listener.server.close();
      await until(() => gone === 1 && listener.server.inFlight() === 0, { what: 'the end' });
    });
  });
}

describe('a response with a content length', () => {
  for (const [what, body] of [
    ['too short', 'abc'],
    ['too long', 'abcdefgh'],
  ] as const) {
    it(`and that is ${what} is incomplete for the client`, async () => {
      await using listener = await startListener((exchange) => {
        exchange.start(200, ['content-length', '5'], true);
        exchange.write(chunk(body), true);
        exchange.end();
      });
      using client = open(listener.port, get);
      await until(() => client.seen.isClosed, { what: 'the connection to be cut' });
      assert.doesNotMatch(client.seen.text, /abc/);
      assert.equal(listener.server.inFlight(), 0);
    });
  }
});

describe('a client that sends requests without waiting for answers', () => {
  it('is served one by one, and not read further while a request is in progress', async () => {
    let handled = 0;
    await using listener = await startListener((exchange) => {
      handled++;
      exchange.start(200, [], false);
    });
    using client = open(listener.port, get.repeat(200_000));
    let before = -1;
    let unmoved = 0;
    const isHeld = () => {
      unmoved = client.socket.writableLength === before ? unmoved + 1 : 0;
      before = client.socket.writableLength;
      return unmoved > 5;
    };
    await until(isHeld, { what: 'the client to be held back' });
    assert.equal(handled, 1);
    assert.ok(client.socket.writableLength > 0);
  });

  it('gets the answers to all of them in order', async () => {
    let handled = 0;
    await using listener = await startListener((exchange) => {
      const number = String(++handled);
      if (handled % 3 === 0) exchange.answer(200, [], number);
      else setImmediate(() => exchange.answer(200, [], number));
    });
    using client = open(listener.port, get.repeat(3000));
    await until(() => answers(client.seen.text) === 3000, { what: 'all answers' });
    const numbers = [...client.seen.text.matchAll(/\r\n\r\n(\d+)/g)].map(([, number]) =>
      Number(number),
    );
    assert.deepEqual(
      numbers,
      Array.from({ length: 3000 }, (_, index) => index + 1),
    );
  });

  it('leaves no exchange open when it then requests a tunnel', async () => {
    let gone = '';
    const play = (exchange: Exchange): void => {
      exchange.listen({ onDrain: () => {}, onGone: () => (gone += exchange.path) });
      if (exchange.path === '/b') exchange.answer(200, [], 'ok');
    };
    await using listener = await startListener(play, { parsesAll: true });
    const three = ['/a', '/b', '/c'].map((path) => get.replace('/a', path)).join('');
    using client = open(listener.port, `${three}CONNECT x:1 HTTP/1.1\r\nhost: x:1\r\n\r\n`);
    await until(() => client.seen.isClosed, { what: 'the connection to be closed' });
    await until(() => listener.server.inFlight() === 0, { what: 'all to be over' });
    assert.deepEqual(gone.split('/').toSorted(), ['', 'a', 'b', 'c']);
  });
});

describe('a client that closes its side during a response that it does not read', () => {
  it('is disconnected', async () => {
    let isGone = false;
    await using listener = await startListener((exchange) => {
      exchange.listen({ onDrain: () => {}, onGone: () => (isGone = true) });
      exchange.start(200, [], true);
      exchange.write(Buffer.alloc(32 * 1024 * 1024), false);
    });
    using client = open(listener.port, get);
    client.socket.pause();
    await until(() => listener.server.inFlight() === 1, { what: 'the request' });
    client.socket.end();
    await until(() => isGone && listener.server.inFlight() === 0, { what: 'the end' });
    client.socket.resume();
    await until(() => client.seen.isClosed, { what: 'the connection to be closed' });
  });
});
