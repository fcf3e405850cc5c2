// Tests one connection: framing errors, heads, drains, readers that stop, and the release of resources afterwards.

import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { chatBody, parsesAll, startTestGateway } from '../../harness/gateway/gateway.ts';
import { openRawClient } from '../../harness/bytes/raw-client.ts';
import { answerJson, delta, startUpstream, usage } from '../../harness/upstream/upstream.ts';
import type { Script } from '../../harness/upstream/upstream.ts';
import { until } from '../../harness/wait.ts';

const given = (apiBase: string) => ({
  models: { m: { backends: [{ apiBase }] } },
  keys: { key: {} },
});
const stream = chatBody('m', { stream: true });

const startStream: Script = (_, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(delta('a'));
};

const post = (body: unknown) => {
  const text = JSON.stringify(body);
  return (
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer key\r\n` +
    `content-length: ${text.length}\r\n\r\n${text}`
  );
};

/** All that this process has open, on whichever side. */
const sockets = () =>
  process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;

/** An upstream of raw bytes: told each request that arrives, and the how-many-th of its connection. */
async function startRawUpstream(answer: (socket: Socket, turn: number) => void) {
  const server = createServer((socket) => {
    let turn = 0;
    socket.on('error', () => {});
    socket.on('data', () => answer(socket, turn++));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    apiBase: `http://127.0.0.1:${port}/v1`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}

describe('a connection', () => {
  it('that breaks the framing during a response is closed without a byte added to that response', async () => {
    const ending = Promise.withResolvers<void>();
    await using upstream = await startUpstream((seen, response) => {
      startStream(seen, response);
      void ending.promise.then(() => response.end('data: [DONE]\n\n'));
    });
    await using gateway = await startTestGateway(given(upstream.apiBase));
    using client = openRawClient(gateway.url, post(stream));
    await until(() => client.seen.text.includes('delta'), { what: 'the stream' });
    client.socket.write('nonsense\r\n\r\n');
    // Node's parser reads on under an answer, and breaks off; what is read by the gateway waits for its end.
    if (!parsesAll) ending.resolve();
    await until(() => client.seen.isClosed, { what: 'the connection to be closed' });
    if (parsesAll)
      await until(() => upstream.seen[0]?.isAborted, { what: 'the upstream to be left' });
    const pattern = parsesAll ? /^(?![^]*400)/ : /\[DONE\]\n\n\r\n0\r\n\r\nHTTP\/1\.1 400 /;
    assert.match(client.seen.text, pattern);
  });

  it('that was refused is closed even if the client keeps it open', async () => {
    await using gateway = await startTestGateway(null);
    using client = openRawClient(gateway.url, 'nonsense\r\n\r\n');
    await until(() => client.seen.text.includes('malformed_request'), { what: 'the refusal' });
    const both = sockets();
    await until(() => sockets() < both, { what: "the gateway's side to be closed" });
    assert.equal(client.socket.destroyed, false);
  });

  it('without a Host header gets a regular error after the earlier answers', async () => {
    await using upstream = await startUpstream(answerJson());
    await using gateway = await startTestGateway(given(upstream.apiBase));
    const missingHost = post(chatBody('m')).replace('host: x\r\n', '');
    using client = openRawClient(gateway.url, post(chatBody('m')) + missingHost);
    await until(() => client.seen.isClosed, { what: 'the connection to be closed' });
    assert.match(
      client.seen.text,
      /^HTTP\/1\.1 200 OK[^]*HTTP\/1\.1 400 Bad Request\r\n[^]*\r\n\r\n\{/,
    );
    assert.match(client.seen.text, /"message":"host: the Host header is missing"/);
    assert.equal(upstream.seen.length, 1);
    const old = 'GET /healthz HTTP/1.0\r\n\r\n';
    using client10 = openRawClient(gateway.url, old);
    await until(() => client10.seen.isClosed, { what: 'the answer' });
    assert.match(client10.seen.text, /^HTTP\/1\.1 200 /);
  });

  it('with several requests in progress releases all resources when it breaks', async () => {
    await using upstream = await startUpstream(startStream);
    await using gateway = await startTestGateway(given(upstream.apiBase));
    const client = openRawClient(gateway.url, post(stream).repeat(3));
    // Those that the gateway reads itself are served one after another.
    const requests = parsesAll ? 3 : 1;
    await until(() => upstream.seen.length === requests, { what: 'the requests' });
    client.socket.destroy();
    await until(() => upstream.seen.every(({ isAborted }) => isAborted), { what: 'the aborts' });
    await until(() => gateway.events.length === requests, { what: 'the rows' });
    assert.match(await gateway.metrics(), /gw_backend_inflight\{.*\} 0/);
  });

  it('is asked to close by every response once the gateway drains', async () => {
    const started = Promise.withResolvers<void>();
    const ending = Promise.withResolvers<void>();
    await using upstream = await startUpstream((seen, response) => {
      started.resolve();
      void ending.promise.then(() => answerJson()(seen, response));
    });
    const gateway = await startTestGateway(given(upstream.apiBase));
    using client = openRawClient(gateway.url, post(chatBody('m')));
    await started.promise;
    const closed = gateway.gateway.close(5000);
    ending.resolve();
    await closed;
    assert.match(client.seen.text, /200 OK[^]*connection: close/i);
  });
});

describe('the head of an answer', () => {
  it('does not wait for the first byte of the body', async () => {
    await using upstream = await startUpstream((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
    });
    await using gateway = await startTestGateway(given(upstream.apiBase));
    using client = openRawClient(gateway.url, post(stream));
    await until(() => client.seen.text.includes('text/event-stream'), { what: 'the head' });
  });

  it('omits invalid fields, and the response continues', async () => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-disposition: ';
    await using upstream = await startRawUpstream((socket) =>
      socket.end(`${head}attachment; filename="\u65e5"\r\n\r\nok`),
    );
    await using gateway = await startTestGateway(given(upstream.apiBase));
    const response = await gateway.chat(chatBody('m'));
    assert.equal(await response.text(), 'ok');
    assert.equal(response.headers.get('content-disposition'), null);
  });
});

describe('a connection that is kept to an upstream', () => {
  it('and is closed just as a request is sent does not fail the request', async () => {
    await using upstream = await startRawUpstream((socket, turn) => {
      if (turn > 0) socket.destroy();
      else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    });
    await using gateway = await startTestGateway(given(upstream.apiBase));
    for (let request = 0; request < 4; request++) {
      const response = await gateway.chat(chatBody('m'));
      assert.equal(response.status, 200);
      await response.text();
    }
    assert.match(await gateway.metrics(), /gw_backend_errors_total\{.*\} 0/);
    assert.ok(gateway.events.every(({ attempts }) => attempts === 1));
  });

  it('is replaced once only', async () => {
    let requests = 0;
    await using upstream = await startRawUpstream((socket) => {
      if (++requests > 1) socket.destroy();
      else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    });
    await using gateway = await startTestGateway(given(upstream.apiBase));
    assert.equal((await gateway.chat(chatBody('m'))).status, 200);
    assert.equal((await gateway.chat(chatBody('m'))).status, 502);
    assert.equal(requests, 3);
  });
});

describe('a client that', () => {
  it('stops reading is disconnected, without blaming its backend', async () => {
    await using upstream = await startUpstream((_, response) => {
      response.writeHead(200);
      response.end(Buffer.alloc(64 * 1024 * 1024));
    });
    await using gateway = await startTestGateway(given(upstream.apiBase), {
      upstream: { idleConnectionsMax: 8, caBundle: [], slowReaderMs: 200 },
    });
    using client = openRawClient(gateway.url, post(chatBody('m')));
    client.socket.pause();
    await until(() => gateway.events.length === 1, { what: 'the row' });
    const metrics = await gateway.metrics();
    assert.match(metrics, /gw_backend_errors_total\{.*\} 0/);
    assert.match(metrics, /gw_requests_failed_total 0/);
  });

  it('never reads the end of a response is disconnected too', async () => {
    const limits = { slowReaderMs: 200 };
    await using gateway = await startTestGateway({ models: manyModels }, { limits });
    const ask = 'GET /v1/models HTTP/1.1\r\nhost: x\r\n\r\n';
    using client = openRawClient(gateway.url, ask.repeat(400));
    client.socket.pause();
    const isCut = () => {
      client.socket.write(ask);
      return client.seen.isClosed || client.socket.destroyed;
    };
    await until(isCut, { what: 'the connection to be cut' });
  });

  it('disconnects at the end marker of a stream is charged what the stream reported', async () => {
    await using upstream = await startUpstream((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`);
    });
    await using gateway = await startTestGateway(given(upstream.apiBase));
    const client = openRawClient(gateway.url, post(stream));
    await until(() => client.seen.text.includes('[DONE]'), { what: 'the end mark' });
    client.socket.destroy();
    await until(() => gateway.events.length === 1, { what: 'the row' });
    assert.equal(gateway.events[0]?.usage_reported, true);
    assert.equal(gateway.events[0]?.prompt_tokens, 11);
  });

  it('sends its body in pieces of one byte does not multiply its memory use', async () => {
    const bytes = 64 * 1024;
    await using upstream = await startUpstream(() => {});
    await using gateway = await startTestGateway(given(upstream.apiBase), { bodyBytesMax: bytes });
    const body = Buffer.from(JSON.stringify(chatBody('m')).padEnd(bytes));
    const pieces = Buffer.alloc(bytes * 6, '1\r\nx\r\n');
    for (const [index, byte] of body.entries()) pieces[index * 6 + 3] = byte;
    const before = heapInUse();
    const head = post({}).replace(/content-length[^]*/, 'transfer-encoding: chunked\r\n\r\n');
    using client = openRawClient(gateway.url, head);
    client.socket.write(pieces);
    client.socket.write('0\r\n\r\n');
    await until(() => upstream.seen.length === 1, { what: 'the request to arrive' });
    assert.deepEqual(upstream.seen[0]?.body, body);
    assert.ok(heapInUse() - before < 32 * bytes);
  });
});

/** The heap after a garbage collection. */
function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  collect();
  return process.memoryUsage().heapUsed;
}

const manyModels = Object.fromEntries(
  Array.from({ length: 1000 }, (_, index) => [
    `a model with quite a long name, number ${index}`,
    { backends: [{ apiBase: 'http://127.0.0.1:1/v1' }] },
  ]),
);
