// The connections to upstreams: when one is used again and when it is left, what secures it, and
// that a request goes out as it was meant or not at all.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { createUpstreams } from '../../../src/gateway/transport/upstream.ts';
import type { UpstreamOptions } from '../../../src/gateway/transport/upstream.ts';
import { createWatch } from '../../../src/gateway/transport/watch.ts';
import { ask, askFor, startRawUpstream } from '../../harness/upstream/raw-upstream.ts';
import { until } from '../../harness/wait.ts';

const okText = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
const say =
  (text: string) =>
  (socket: Socket): void =>
    void socket.write(text);
const sayOk = say(okText);
const silent = (): void => {};

function startUpstreams(options: Partial<UpstreamOptions> = {}) {
  const watch = createWatch(10);
  const upstreams = createUpstreams(watch, { idleConnectionsMax: 8, caBundle: [], ...options });
  return {
    ...upstreams,
    [Symbol.asyncDispose]: async () => {
      watch.stop();
      await upstreams.close();
    },
  };
}

const fixture = (name: string): Promise<string> =>
  readFile(join(import.meta.dirname, '../../fixtures/tls', name), 'utf8');

const fail = (): never => {
  throw new TypeError('no');
};

const whole = (body = 'ok') => ({ status: 200, body, end: 'whole' as const });

describe('a request', () => {
  it('goes out as one POST with its host, its headers and its length', async () => {
    await using raw = await startRawUpstream(sayOk);
    await using upstreams = startUpstreams();
    const headers = ['content-type', 'a/b', 'x-e', '\xe9'];
    await ask(upstreams, raw.origin, { headers, body: Buffer.from('{"a":1}') });
    assert.equal(
      raw.connections[0]?.text,
      `POST /v1/x HTTP/1.1\r\nhost: 127.0.0.1:${raw.port}\r\nconnection: keep-alive\r\n` +
        'content-type: a/b\r\nx-e: \xe9\r\ncontent-length: 7\r\n\r\n{"a":1}',
    );
  });

  it('of any size arrives complete, with any number in progress', async () => {
    const ends = '0123456789';
    await using raw = await startRawUpstream((socket) => {
      const { text } = raw.connections.find((one) => one.socket === socket) ?? { text: '' };
      if (text.endsWith(ends)) socket.write(okText);
    });
    await using upstreams = startUpstreams();
    const sizes = [0, 1, 1000, 64 * 1024 - 150, 64 * 1024, 100_000, 3_000_000];
    const bodies = sizes.map((size, index) => Buffer.alloc(size, 65 + index));
    const asked = bodies.map((body) =>
      ask(upstreams, raw.origin, { body: Buffer.concat([body, Buffer.from(ends)]) }),
    );
    for (const seen of await Promise.all(asked)) assert.equal(seen.end, 'whole');
    const arrived = raw.connections.map(({ text }) => text.slice(text.indexOf('\r\n\r\n') + 4));
    const expected = bodies.map((body) => `${body.toString('latin1')}${ends}`);
    assert.deepEqual(new Set(arrived), new Set(expected));
  });

  for (const [name, value] of [
    ['x', 'a\r\nx: y'],
    ['x', 'a\nb'],
    ['x', 'a\0'],
    ['x', 'a\x7f'],
    ['x', '\u65e5'],
    ['x y', 'a'],
    ['x: y\r\nz', 'a'],
  ] as const) {
    it(`is not sent with the header ${JSON.stringify(`${name}: ${value}`)}`, async () => {
      await using raw = await startRawUpstream(sayOk);
      await using upstreams = startUpstreams();
      const seen = await ask(upstreams, raw.origin, { headers: [name, value] });
      assert.deepEqual(seen.end, {
        kind: 'unreachable',
        detail: 'the request has an invalid header',
      });
      assert.equal(raw.connections.length, 0);
    });
  }

  it('is not sent with a path that would end its line', async () => {
    await using raw = await startRawUpstream(sayOk);
    await using upstreams = startUpstreams();
    for (const path of ['/a b', '/a\r\nx: y', '/\u010d\u010a']) {
      assert.notEqual((await ask(upstreams, raw.origin, { path })).end, 'whole');
    }
    assert.equal(raw.connections.length, 0);
  });

  it('goes to an IPv6 address', async () => {
    await using raw = await startRawUpstream(sayOk, { host: '::1' });
    await using upstreams = startUpstreams();
    assert.partialDeepStrictEqual(await ask(upstreams, raw.origin), whole());
    assert.match(raw.connections[0]?.text ?? '', /\r\nhost: \[::1\]:\d+\r\n/);
  });

  it('goes to a name', async () => {
    await using raw = await startRawUpstream(sayOk);
    await using upstreams = startUpstreams();
    const seen = await ask(upstreams, `http://localhost:${raw.port}`);
    assert.partialDeepStrictEqual(seen, whole());
  });

  it('to an unknown host name is not sent', async () => {
    await using upstreams = startUpstreams();
    const { end } = await ask(upstreams, 'http://no-such-name.invalid');
    assert.equal(end !== null && end !== 'whole' ? end.kind : end, 'unreachable');
  });
});

/** The number of connections that consecutive requests used. */
async function connectionsFor(
  answer: (socket: Socket, turn: number) => void,
  options: Partial<UpstreamOptions> = {},
): Promise<number> {
  await using raw = await startRawUpstream(answer);
  await using upstreams = startUpstreams(options);
  for (let turn = 0; turn < 3; turn++) {
    const seen = await ask(upstreams, raw.origin);
    assert.equal(seen.end, 'whole');
  }
  return raw.connections.length;
}

describe('a connection', () => {
  it('is reused after a complete response', async () => {
    assert.equal(await connectionsFor(sayOk), 1);
    const chunks = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n';
    assert.equal(await connectionsFor(say(chunks)), 1);
  });

  for (const [what, text] of [
    ['is told to close', okText.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n')],
    ['speaks HTTP/1.0', okText.replace('1.1', '1.0')],
    ['is sent more than its answer', `${okText}HTTP/1.1 200 OK\r\n`],
    ['is about to be closed', okText.replace('\r\n\r\n', '\r\nkeep-alive: timeout=1\r\n\r\n')],
  ] as const) {
    it(`is not used again when it ${what}`, async () => {
      assert.equal(await connectionsFor(say(text)), 3);
    });
  }

  it('is not reused if its response arrived before the request was sent', async () => {
    await using raw = await startRawUpstream((socket, turn) => {
      if (turn > 0) return;
      socket.pause();
      socket.write(okText);
    });
    await using upstreams = startUpstreams();
    const body = Buffer.alloc(64 * 1024 * 1024);
    assert.equal((await ask(upstreams, raw.origin, { body })).end, 'whole');
    await ask(upstreams, raw.origin);
    assert.equal(raw.connections.length, 2);
  });

  it('that is idle is closed if data arrives', async () => {
    await using raw = await startRawUpstream(sayOk);
    await using upstreams = startUpstreams();
    await ask(upstreams, raw.origin);
    raw.connections[0]?.socket.write('HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nbad');
    await until(() => raw.connections[0]?.isClosed, { what: 'the connection to be closed' });
    assert.partialDeepStrictEqual(await ask(upstreams, raw.origin), whole());
    assert.equal(raw.connections.length, 2);
  });

  it('that is idle is closed before the upstream would close it', async () => {
    const text = okText.replace('\r\n\r\n', '\r\nkeep-alive: timeout=2\r\n\r\n');
    await using raw = await startRawUpstream(say(text));
    await using upstreams = startUpstreams();
    await ask(upstreams, raw.origin);
    assert.equal(raw.connections[0]?.isClosed, false);
    await until(() => raw.connections[0]?.isClosed, { what: 'the connection to be closed' });
  });

  it('stays open while idle up to the bound, and no more do', async () => {
    const held: Socket[] = [];
    await using raw = await startRawUpstream((socket) => void held.push(socket));
    await using upstreams = startUpstreams({ idleConnectionsMax: 2 });
    const asked = Array.from({ length: 5 }, () => ask(upstreams, raw.origin));
    await until(() => held.length === 5, { what: 'five requests' });
    for (const socket of held) socket.write(okText);
    await Promise.all(asked);
    const closed = () => raw.connections.filter(({ isClosed }) => isClosed).length;
    await until(() => closed() === 3, { what: 'three to be closed' });
    assert.equal(closed(), 3);
  });

  it('to a removed origin is closed once its response is complete', async () => {
    let answering: Socket | null = null;
    await using raw = await startRawUpstream((socket, turn) => {
      if (turn === 0 && raw.connections.length === 1) answering = socket;
      else socket.write(okText);
    });
    await using upstreams = startUpstreams();
    const first = ask(upstreams, raw.origin);
    await until(() => answering !== null, { what: 'the first request' });
    await ask(upstreams, raw.origin);
    upstreams.keepOnly(new Set(['http://other.example']));
    await until(() => raw.connections[1]?.isClosed, { what: 'the idle one to be closed' });
    raw.connections[0]?.socket.write(okText);
    assert.partialDeepStrictEqual(await first, whole());
    await until(() => raw.connections[0]?.isClosed, { what: 'the other to be closed' });
  });

  it('that broke in the middle of an answer is not retried', async () => {
    await using raw = await startRawUpstream((socket, turn) => {
      if (turn === 0) socket.write(okText);
      else socket.end('HTTP/1.1 2');
    });
    await using upstreams = startUpstreams();
    await ask(upstreams, raw.origin);
    const { end } = await ask(upstreams, raw.origin);
    assert.deepEqual(end, { kind: 'unreachable', detail: 'closed' });
    assert.equal(raw.connections.length, 1);
  });

  it('that was reset while a request was sent is replaced, and the request sent once more', async () => {
    await using raw = await startRawUpstream((socket, turn) => {
      if (turn === 0) socket.write(okText);
      else socket.resetAndDestroy();
    });
    await using upstreams = startUpstreams();
    for (let request = 0; request < 3; request++) {
      assert.partialDeepStrictEqual(await ask(upstreams, raw.origin), whole());
    }
    assert.equal(raw.connections.length, 3);
  });
});

describe('an attempt', () => {
  it('that is aborted closes its connection without calling its sink', async () => {
    await using raw = await startRawUpstream(silent);
    await using upstreams = startUpstreams();
    const { seen, call } = askFor(upstreams, raw.origin, {});
    await until(() => raw.connections[0]?.text, { what: 'the request' });
    call.abort();
    await until(() => raw.connections[0]?.isClosed, { what: 'the connection to be closed' });
    assert.deepEqual(seen, { status: null, headers: [], body: '', end: null });
  });

  it('that is aborted at once sends nothing', async () => {
    await using raw = await startRawUpstream(sayOk);
    await using upstreams = startUpstreams();
    askFor(upstreams, raw.origin, {}).call.abort();
    assert.partialDeepStrictEqual(await ask(upstreams, raw.origin), whole());
    assert.ok(raw.connections.length <= 2);
    const sent = raw.connections.filter(({ text }) => text !== '');
    assert.equal(sent.length, 1);
  });

  it('pauses the upstream until its sink takes more', async () => {
    const piece = Buffer.alloc(256 * 1024, 'x');
    const pieces = 64;
    let sent = 0;
    await using raw = await startRawUpstream((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${pieces * piece.length}\r\n\r\n`);
      const more = (): void => {
        while (sent < pieces) if ((sent++, !socket.write(piece))) return;
      };
      socket.on('drain', more);
      more();
    });
    await using upstreams = startUpstreams();
    let chunks = 0;
    const { seen, call } = askFor(upstreams, raw.origin, { mayGoOn: () => ++chunks > 1 });
    await until(() => chunks === 1, { what: 'one chunk' });
    let before = -1;
    let unchanged = 0;
    const isStill = () => {
      unchanged = sent === before ? unchanged + 1 : 0;
      before = sent;
      return unchanged > 10;
    };
    await until(isStill, { what: 'the upstream to be paused' });
    assert.equal(chunks, 1);
    assert.ok(sent < pieces);
    call.resume();
    await until(() => seen.end !== null, { what: 'the end' });
    assert.equal(seen.end, 'whole');
    assert.equal(seen.body.length, pieces * piece.length);
  });

  it('whose sink throws ends without affecting others', async () => {
    await using raw = await startRawUpstream(sayOk);
    await using upstreams = startUpstreams();
    const thrown = ask(upstreams, raw.origin, { onHead: fail });
    const other = ask(upstreams, raw.origin);
    assert.deepEqual((await thrown).end, { kind: 'broken', detail: 'internal error: TypeError' });
    assert.partialDeepStrictEqual(await other, whole());
  });

  it('that waits too long for its first byte is aborted', async () => {
    await using raw = await startRawUpstream(silent);
    await using upstreams = startUpstreams();
    const { end } = await ask(upstreams, raw.origin, { firstByteMs: 30 });
    assert.deepEqual(end, { kind: 'timed_out', detail: 'the first byte timed out' });
    await until(() => raw.connections[0]?.isClosed, { what: 'the connection to be closed' });
  });
});

describe('over TLS', () => {
  it('only an upstream whose CA is in the bundle is reached', async () => {
    const [cert, key] = await Promise.all([fixture('cert.pem'), fixture('key.pem')]);
    await using raw = await startRawUpstream(sayOk, { tls: { cert, key } });
    await using trusting = startUpstreams({ caBundle: [cert] });
    assert.partialDeepStrictEqual(await ask(trusting, raw.origin), whole());
    assert.partialDeepStrictEqual(await ask(trusting, raw.origin), whole());
    assert.equal(raw.connections.length, 1);
    await using wary = startUpstreams();
    assert.deepEqual((await ask(wary, raw.origin)).end, {
      kind: 'unreachable',
      detail: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    });
  });

  it('concurrent large bodies and answers arrive complete', async () => {
    const [cert, key] = await Promise.all([fixture('cert.pem'), fixture('key.pem')]);
    const answer = 'abcdefgh'.repeat(100_000);
    const head = `HTTP/1.1 200 OK\r\ncontent-length: ${answer.length}\r\n\r\n`;
    await using raw = await startRawUpstream(
      (socket) => {
        const { text } = raw.connections.find((one) => one.socket === socket) ?? { text: '' };
        if (text.endsWith('!')) socket.write(head + answer);
      },
      { tls: { cert, key } },
    );
    await using upstreams = startUpstreams({ caBundle: [cert] });
    const bodies = Array.from({ length: 6 }, (_, index) =>
      Buffer.alloc(99 ** index % 2e6, 65 + index),
    );
    const asked = bodies.map((body) =>
      ask(upstreams, raw.origin, { body: Buffer.concat([body, Buffer.from('!')]) }),
    );
    for (const seen of await Promise.all(asked)) assert.equal(seen.body, answer);
    const arrived = raw.connections.map(({ text }) => text.slice(text.indexOf('\r\n\r\n') + 4));
    assert.deepEqual(
      new Set(arrived),
      new Set(bodies.map((body) => `${body.toString('latin1')}!`)),
    );
  });

  it('an upstream that never completes the handshake is given up after the connect timeout', async () => {
    await using raw = await startRawUpstream(silent);
    await using upstreams = startUpstreams({ connectMs: 30 });
    const { end } = await ask(upstreams, raw.origin.replace('http:', 'https:'));
    assert.deepEqual(end, { kind: 'unreachable', detail: 'connecting timed out' });
  });
});
