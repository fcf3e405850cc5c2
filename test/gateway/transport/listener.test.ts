// Connections that say too little, too slowly or too much are answered and closed in time, and those that behave are not.

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';

import { chatBody, startTestGateway } from '../../harness/gateway/gateway.ts';
import { answerJson, delta, startUpstream } from '../../harness/upstream/upstream.ts';
import { until } from '../../harness/wait.ts';

const given = (apiBase: string) => ({
  models: { m: { backends: [{ apiBase }] } },
  keys: { key: {} },
});
/** The listener looks at its connections once a second. */
const limits = { headersMs: 500, requestMs: 1500 };

function open(url: string, text: string) {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' });
  const seen = { text: '', isClosed: false };
  socket.on('error', () => {});
  socket.on('data', (bytes: Buffer) => (seen.text += bytes.toString('latin1')));
  socket.on('close', () => (seen.isClosed = true));
  if (text !== '') socket.write(text);
  return { socket, seen, [Symbol.dispose]: () => void socket.destroy() };
}

const head = 'POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer key\r\n';

describe('the listener', () => {
  for (const [what, text] of [
    ['says nothing', ''],
    ['does not end its head', 'POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n'],
    ['does not send its body', `${head}content-length: 100\r\n\r\n{"model"`],
    ['does not end a body in chunks', `${head}transfer-encoding: chunked\r\n\r\n5\r\n{"mod\r\n`],
  ] as const) {
    it(`gives up a client that ${what}`, async () => {
      await using gateway = await startTestGateway(given('http://127.0.0.1:1/v1'), { limits });
      using client = open(gateway.url, text);
      await until(() => client.seen.isClosed, { what: 'the connection to be closed' });
      assert.match(client.seen.text, /^(HTTP\/1\.1 408 [^]*|)$/);
    });
  }

  it('does not abort a response that takes longer than the request limit', async () => {
    const finish = Promise.withResolvers<void>();
    await using upstream = await startUpstream((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(delta('a'));
      void finish.promise.then(() => response.end('data: [DONE]\n\n'));
    });
    await using gateway = await startTestGateway(given(upstream.apiBase), { limits });
    const response = await gateway.chat(chatBody('m', { stream: true }));
    using slow = open(gateway.url, 'POST / HTTP/1.1\r\n');
    await until(() => slow.seen.isClosed, { what: 'one that is too slow to be closed' });
    using slower = open(gateway.url, `${head}content-length: 100\r\n\r\n{`);
    await until(() => slower.seen.isClosed, { what: 'another to be closed' });
    finish.resolve();
    assert.match(await response.text(), /\[DONE\]/);
  });

  it('answers 431 to a head that is too large', async () => {
    await using gateway = await startTestGateway(given('http://127.0.0.1:1/v1'));
    using client = open(gateway.url, `${head}x: ${'y'.repeat(64 * 1024)}\r\n\r\n`);
    await until(() => client.seen.isClosed, { what: 'the connection to be closed' });
    assert.match(client.seen.text, /^HTTP\/1\.1 431 [^]*"the headers are too long"/);
  });

  for (const [what, status, text] of [
    ['bytes that are not a request', 400, 'hello\r\n\r\n'],
    ['a request without a host', 400, 'GET /healthz HTTP/1.1\r\n\r\n'],
    ['two lengths of one body', 400, `${head}content-length: 1\r\ncontent-length: 1\r\n\r\n`],
    ['an expectation that cannot be met', 417, `${head}expect: 200-ok\r\n\r\n`],
    ['a tunnel', 501, 'CONNECT x:1 HTTP/1.1\r\nhost: x:1\r\n\r\n'],
    ['HTTP/2.0 in the form of HTTP/1.1', 505, 'GET /healthz HTTP/2.0\r\nhost: x\r\n\r\n'],
    ['HTTP/2', 505, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['HTTP/1.2', 505, 'GET /healthz HTTP/1.2\r\nhost: x\r\n\r\n'],
    ['HTTP/0.9', 505, 'GET /healthz\r\n\r\n'],
  ] as const) {
    it(`answers ${status} to ${what}, as all errors are answered, and closes`, async () => {
      await using gateway = await startTestGateway(given('http://127.0.0.1:1/v1'));
      using client = open(gateway.url, text);
      await until(() => client.seen.isClosed, { what: 'the connection to be closed' });
      const [answerHead = '', body = ''] = client.seen.text.split('\r\n\r\n');
      assert.match(answerHead, new RegExp(`^HTTP/1\\.1 ${status} `));
      const [, id] = /^x-request-id: (\w+)$/im.exec(answerHead) ?? [];
      const { error } = JSON.parse(body);
      assert.equal(error.request_id, id);
      assert.deepEqual([error.type, error.code], ['invalid_request_error', 'malformed_request']);
    });
  }

  it('answers the last request of a connection, and nothing that follows it', async () => {
    await using upstream = await startUpstream(answerJson());
    await using gateway = await startTestGateway(given(upstream.apiBase));
    const body = JSON.stringify(chatBody('m'));
    const chunked = `transfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const whole = `content-length: ${body.length}\r\n\r\n${body}`;
    for (const framing of [chunked, whole]) {
      const next = 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n';
      using client = open(gateway.url, `${head}connection: close\r\n${framing}${next}`);
      await until(() => client.seen.isClosed, { what: 'the connection to be closed' });
      assert.deepEqual(client.seen.text.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200']);
    }
    assert.equal(upstream.seen.length, 2);
  });

  it('reads every field of a head that fits, however many', async () => {
    await using upstream = await startUpstream(answerJson());
    await using gateway = await startTestGateway(given(upstream.apiBase));
    const body = JSON.stringify(chatBody('m'));
    const many = Array.from({ length: 2500 }, () => 'a:\r\n').join('');
    const own = `authorization: Bearer key\r\ncontent-length: ${body.length}\r\n`;
    using client = open(
      gateway.url,
      `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n${many}${own}\r\n${body}`,
    );
    await until(() => client.seen.text.startsWith('HTTP'), { what: 'an answer' });
    assert.match(client.seen.text, /^HTTP\/1\.1 200 /);
  });

  it('refuses connections beyond its limit, logs that, and serves the existing ones', async () => {
    await using upstream = await startUpstream(answerJson());
    await using gateway = await startTestGateway(given(upstream.apiBase), {
      limits: { connectionsMax: 2, connectionsPerAddress: 0 },
    });
    const ask = 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n';
    using first = open(gateway.url, ask);
    using second = open(gateway.url, ask);
    await until(() => first.seen.text !== '' && second.seen.text !== '', { what: 'two answers' });
    using third = open(gateway.url, ask);
    await until(() => third.seen.isClosed, { what: 'the third to be closed' });
    assert.equal(third.seen.text, '');
    assert.ok(gateway.logLines.some(({ message }) => message === 'connections were refused'));
    first.seen.text = '';
    first.socket.write(ask);
    await until(() => first.seen.text.includes('200 OK'), { what: 'the first to be served' });
  });
});
