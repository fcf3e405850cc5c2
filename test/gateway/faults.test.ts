// Faults of upstreams and clients end as documented: nothing hangs, nothing is tried twice after
// the first byte, and a cut answer never looks whole.

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';

import { chatBody, startTestGateway } from '../harness/gateway/gateway.ts';
import { answerJson, answerStream, delta, startUpstream } from '../harness/upstream/upstream.ts';
import type { Script } from '../harness/upstream/upstream.ts';
import { until } from '../harness/wait.ts';

const given = (apiBase: string) => ({
  models: { m: { backends: [{ apiBase }] } },
  keys: { key: {} },
});
const stream = chatBody('m', { stream: true });

const startStream: Script = (_, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(delta('a'));
};
describe('an upstream that', () => {
  it("cuts a stream breaks the client's transfer, and is not asked again", async () => {
    await using upstream = await startUpstream((seen, response) => {
      startStream(seen, response);
      setImmediate(() => response.socket?.resetAndDestroy());
    });
    await using gateway = await startTestGateway(given(upstream.apiBase));
    const response = await gateway.chat(stream);
    assert.equal(response.status, 200);
    await assert.rejects(response.text());
    assert.equal(upstream.seen.length, 1);
    await until(() => gateway.events.length === 1, { what: 'a usage row' });
    assert.equal(gateway.events[0]?.usage_reported, false);
    assert.equal(gateway.events[0]?.status, 200);
  });

  it("stops sending in a stream is given up, and the client's transfer is cut off", async () => {
    await using upstream = await startUpstream(startStream);
    await using gateway = await startTestGateway(given(upstream.apiBase), {
      upstream: { idleConnectionsMax: 8, caBundle: [], stallMs: 200 },
    });
    const response = await gateway.chat(stream);
    await assert.rejects(response.text());
    await until(() => upstream.seen[0]?.isAborted, { what: 'the upstream to be left' });
  });

  it('sends no first byte in time is aborted, and the client gets 502', async () => {
    await using upstream = await startUpstream(() => {});
    await using gateway = await startTestGateway(given(upstream.apiBase), { firstByteMs: 100 });
    assert.equal((await gateway.chat(stream)).status, 502);
    await until(() => upstream.seen[0]?.isAborted, { what: 'the upstream to be left' });
  });

  it('redirects is not followed', async () => {
    await using upstream = await startUpstream((_, response) => {
      response.writeHead(302, { location: 'http://127.0.0.1:1/' });
      response.end();
    });
    await using gateway = await startTestGateway(given(upstream.apiBase));
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      redirect: 'manual',
      headers: { authorization: 'Bearer key' },
      body: JSON.stringify(chatBody('m')),
    });
    assert.equal(response.status, 302);
    assert.equal(response.headers.get('location'), null);
    assert.equal(upstream.seen.length, 1);
  });
});

const one = (key: string) => {
  const body = JSON.stringify(stream);
  return (
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n` +
    `content-length: ${body.length}\r\n\r\n${body}`
  );
};

describe('a client that', () => {
  it('disconnects during a stream has its upstream aborted, and a row without counts', async () => {
    await using upstream = await startUpstream(startStream);
    await using gateway = await startTestGateway(given(upstream.apiBase));
    const abort = new AbortController();
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer key' },
      body: JSON.stringify(stream),
      signal: abort.signal,
    });
    await response.body?.getReader().read();
    abort.abort();
    await until(() => upstream.seen[0]?.isAborted, { what: 'the upstream to be aborted' });
    await until(() => gateway.events.length === 1, { what: 'a usage row' });
    assert.equal(gateway.events[0]?.usage_reported, false);
    assert.equal(gateway.events[0]?.status, 200);
    assert.match(await gateway.metrics(), /gw_backend_inflight\{.*\} 0/);
  });

  it('disconnects before the first byte has its upstream aborted, and a row without a status', async () => {
    await using upstream = await startUpstream(() => {});
    await using gateway = await startTestGateway(given(upstream.apiBase));
    const abort = new AbortController();
    const request = fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer key' },
      body: JSON.stringify(stream),
      signal: abort.signal,
    });
    await until(() => upstream.seen.length === 1, { what: 'the request to arrive' });
    abort.abort();
    await assert.rejects(request);
    await until(() => upstream.seen[0]?.isAborted, { what: 'the upstream to be aborted' });
    await until(() => gateway.events.length === 1, { what: 'a usage row' });
    assert.equal(gateway.events[0]?.status, null);
  });

  it('reads slowly pauses its upstream instead of filling memory, and gets every byte', async () => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const chunks = 512;
    let sent = 0;
    await using upstream = await startUpstream((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const more = (): void => {
        while (sent < chunks) {
          sent++;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
        response.end();
      };
      more();
    });
    await using gateway = await startTestGateway(given(upstream.apiBase));
    const socket = await openChat(gateway.url, chatBody('m'));
    socket.pause();
    let before = 0;
    let unchanged = 0;
    await until(
      () => {
        unchanged = sent === before ? unchanged + 1 : 0;
        before = sent;
        return sent > 0 && unchanged >= 10;
      },
      { what: 'the upstream to be paused' },
    );
    assert.ok(sent < chunks, `${sent} chunks were taken`);
    let received = 0;
    socket.on('data', (bytes: Buffer) => (received += bytes.length));
    socket.resume();
    await until(() => received > chunks * chunk.length, { what: 'the whole answer' });
    socket.destroy();
  });

  it('never reads is disconnected', async () => {
    await using upstream = await startUpstream((_, response) => {
      response.writeHead(200);
      response.end(Buffer.alloc(64 * 1024 * 1024));
    });
    await using gateway = await startTestGateway(given(upstream.apiBase), {
      upstream: { idleConnectionsMax: 8, caBundle: [], slowReaderMs: 200 },
    });
    const socket = await openChat(gateway.url, chatBody('m'));
    socket.pause();
    await until(() => upstream.seen[0]?.isAborted, { what: 'the upstream to be left' });
    socket.destroy();
  });

  it('declares too long a body gets 413 before sending it', async () => {
    await using gateway = await startTestGateway(given('http://127.0.0.1:1'), {
      bodyBytesMax: 1000,
    });
    const { text } = await rawRequest(gateway.url, 'content-length: 1000000\r\n\r\n{"model"');
    assert.match(text, /^HTTP\/1\.1 413 /);
    assert.match(text, /"the body is longer than the limit of 1000 bytes"[^]*"payload_too_large"/);
  });

  it('sends too long a body in chunks gets 413 before its end', async () => {
    await using gateway = await startTestGateway(given('http://127.0.0.1:1'), {
      bodyBytesMax: 1000,
    });
    const chunk = `800\r\n${'x'.repeat(0x800)}\r\n`;
    const { text } = await rawRequest(gateway.url, `transfer-encoding: chunked\r\n\r\n${chunk}`);
    assert.match(text, /^HTTP\/1\.1 413 /);
  });

  it('sends a body beyond the shared memory limit gets 503 and can retry', async () => {
    await using upstream = await startUpstream(() => {});
    await using gateway = await startTestGateway(given(upstream.apiBase), {
      bodiesInFlightBytesMax: 200,
    });
    const body = JSON.stringify(chatBody('m')).padEnd(150);
    const first = new AbortController();
    const held = fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer key' },
      body,
      signal: first.signal,
    });
    held.catch(() => {});
    await until(() => upstream.seen.length === 1, { what: 'the first to be in flight' });
    const second = await gateway.chat(body);
    assert.equal(second.status, 503);
    assert.equal(second.headers.get('retry-after'), '1');
    first.abort();
    await until(() => upstream.seen[0]?.isAborted, { what: 'the first to be over' });
    upstream.play(answerJson());
    assert.equal((await gateway.chat(body)).status, 200);
  });

  it('sends an ambiguous head gets 400', async () => {
    await using gateway = await startTestGateway(given('http://127.0.0.1:1'));
    for (const head of ['host: b\r\n', 'authorization: Bearer b\r\n', 'content-type: b\r\n']) {
      const { text } = await rawRequest(gateway.url, `${head}content-length: 0\r\n\r\n`);
      assert.match(text, /^HTTP\/1\.1 400 /, head);
    }
    const { text } = await rawText(gateway.url, 'GET nonsense\r\n\r\n');
    assert.match(text, /^HTTP\/1\.1 400 .*"malformed_request"/s);
  });

  it('pipelines requests gets its answers in order', async () => {
    await using upstream = await startUpstream(answerStream(['a']));
    await using gateway = await startTestGateway(given(upstream.apiBase));
    const { text } = await rawText(gateway.url, `${one('key')}${one('no')}${one('key')}`, 3);
    assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), [
      'HTTP/1.1 200',
      'HTTP/1.1 401',
      'HTTP/1.1 200',
    ]);
  });
});

async function openChat(url: string, body: unknown) {
  const text = JSON.stringify(body);
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer key\r\n` +
      `content-length: ${text.length}\r\n\r\n${text}`,
  );
  return socket;
}

const rawRequest = (url: string, rest: string) =>
  rawText(
    url,
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer key\r\n` +
      `content-type: application/json\r\n${rest}`,
  );

/** Reads until this number of answers has begun and nothing more arrives. */
async function rawText(url: string, text: string, answers = 1) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  let received = '';
  socket.on('data', (bytes: Buffer) => (received += bytes.toString()));
  socket.write(text);
  const isWhole = () =>
    (received.match(/HTTP\/1\.1 \d+/g)?.length ?? 0) >= answers && /(\}|\r\n)$/.test(received);
  await until(isWhole, { what: 'an answer' });
  socket.destroy();
  return { text: received };
}
