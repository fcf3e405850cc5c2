// Request bodies within their bounds: asked for when they are wanted, refused before they are read,
// given back when they are over.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { chatBody, startTestGateway } from '../../harness/gateway/gateway.ts';
import { openRawClient } from '../../harness/bytes/raw-client.ts';
import type { RawClient } from '../../harness/bytes/raw-client.ts';
import { answerJson, startUpstream } from '../../harness/upstream/upstream.ts';
import { until } from '../../harness/wait.ts';

const given = (apiBase: string) => ({
  models: { m: { backends: [{ apiBase }] } },
  keys: { key: {} },
});
const nowhere = given('http://127.0.0.1:1');
const body = JSON.stringify(chatBody('m'));

type Head = Readonly<{ path?: string; key?: string; fields: readonly string[] }>;

const head = ({ path = '/v1/chat/completions', key = 'key', fields }: Head): string =>
  [`POST ${path} HTTP/1.1`, 'host: x', `authorization: Bearer ${key}`, ...fields, '', ''].join(
    '\r\n',
  );

const answered = ({ seen }: RawClient, pattern: RegExp) =>
  until(() => pattern.test(seen.text), { what: `${pattern} in an answer` });

const waiting = (length: number) => [`content-length: ${length}`, 'expect: 100-continue'];

describe('a client that waits to be asked for its body', () => {
  it('is asked, and answered when it has sent it', async () => {
    await using upstream = await startUpstream(answerJson());
    await using gateway = await startTestGateway(given(upstream.apiBase));
    for (const fields of [
      waiting(body.length),
      ['transfer-encoding: chunked', 'expect: 100-continue'],
    ]) {
      using client = openRawClient(gateway.url, head({ fields }));
      await answered(client, /^HTTP\/1\.1 100 Continue\r\n\r\n$/);
      const isChunked = fields[0] === 'transfer-encoding: chunked';
      client.socket.write(isChunked ? `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n` : body);
      await answered(client, /HTTP\/1\.1 200 OK/);
      assert.equal(upstream.seen.pop()?.body.toString(), body);
    }
  });

  it('is not asked for a body that is not wanted, and is closed', async () => {
    await using gateway = await startTestGateway(nowhere, { bodyBytesMax: 1000 });
    const refusals: readonly (readonly [number, Head])[] = [
      [401, { key: 'no', fields: waiting(10) }],
      [404, { path: '/v1/files', fields: waiting(10) }],
      [413, { fields: waiting(1001) }],
      [415, { fields: [...waiting(10), 'content-type: multipart/form-data; boundary=x'] }],
    ];
    for (const [status, one] of refusals) {
      using client = openRawClient(gateway.url, head(one));
      await answered(client, /\r\n\r\n\{.*\}$/s);
      assert.match(client.seen.text, new RegExp(`^HTTP/1\\.1 ${status} `));
      assert.match(client.seen.text, /connection: close/i);
      await until(() => client.seen.isClosed, { what: 'the connection to be closed' });
    }
  });
});

describe('a body', () => {
  it('is refused with 503 when all in flight fill their room, in chunks too', async () => {
    await using gateway = await startTestGateway(nowhere, { bodiesInFlightBytesMax: 1000 });
    using first = openRawClient(gateway.url, head({ fields: waiting(1000) }));
    await answered(first, /^HTTP\/1\.1 100 /);
    first.socket.write('x'.repeat(900));
    await until(async () => (await gateway.chat(body.padEnd(200))).status === 503, {
      what: 'the room to be held',
    });
    const chunk = `c8\r\n${'x'.repeat(200)}\r\n`;
    const chunked = head({ fields: ['transfer-encoding: chunked'] }) + chunk;
    for (const text of [head({ fields: ['content-length: 200'] }), chunked]) {
      using client = openRawClient(gateway.url, text);
      await answered(client, /^HTTP\/1\.1 503 .*"overloaded"/s);
      assert.match(client.seen.text, /retry-after: 1\r\n/i);
    }
  });

  it('holds no room for what is declared and not sent', async () => {
    await using upstream = await startUpstream(answerJson());
    await using gateway = await startTestGateway(given(upstream.apiBase), {
      bodiesInFlightBytesMax: 1000,
    });
    using idle = new DisposableStack();
    for (let number = 0; number < 8; number++) {
      const client = idle.use(openRawClient(gateway.url, head({ fields: waiting(1000) })));
      await answered(client, /^HTTP\/1\.1 100 /);
    }
    assert.equal((await gateway.chat(body.padEnd(900))).status, 200);
  });

  it('that finds no more room as it comes is refused, and gives back at once what it has', async () => {
    await using upstream = await startUpstream(answerJson());
    await using gateway = await startTestGateway(given(upstream.apiBase), {
      bodiesInFlightBytesMax: 1000,
    });
    using first = openRawClient(gateway.url, head({ fields: waiting(900) }));
    using second = openRawClient(gateway.url, head({ fields: waiting(900) }));
    for (const client of [first, second]) await answered(client, /^HTTP\/1\.1 100 /);
    first.socket.write('x'.repeat(500));
    second.socket.write('x'.repeat(400));
    await until(async () => (await gateway.chat(body.padEnd(200))).status === 503, {
      what: 'the room to be held',
    });
    second.socket.write('x'.repeat(200));
    await answered(second, /HTTP\/1\.1 503 .*"overloaded"/s);
    assert.equal((await gateway.chat(body.padEnd(500))).status, 200);
  });

  it('gives its room back when its client leaves before its end', async () => {
    await using upstream = await startUpstream(answerJson());
    await using gateway = await startTestGateway(given(upstream.apiBase), {
      bodiesInFlightBytesMax: 1000,
    });
    {
      using client = openRawClient(gateway.url, head({ fields: waiting(901) }));
      await answered(client, /^HTTP\/1\.1 100 /);
      client.socket.write('x'.repeat(900));
      await until(async () => (await gateway.chat(body.padEnd(200))).status === 503, {
        what: 'the room to be held',
      });
    }
    await until(async () => (await gateway.chat(body.padEnd(900))).status === 200, {
      what: 'the room to be given back',
    });
  });

  it('that ends before its length reaches no backend', async () => {
    await using upstream = await startUpstream(answerJson());
    await using gateway = await startTestGateway(given(upstream.apiBase));
    using client = openRawClient(
      gateway.url,
      head({ fields: [`content-length: ${body.length + 1}`] }) + body,
    );
    client.socket.end();
    await until(() => client.seen.isClosed, { what: 'the connection to be closed' });
    assert.equal(upstream.seen.length, 0);
  });

  it('or a head that does not come in time is refused with 408, and its connection closed', async () => {
    await using gateway = await startTestGateway(nowhere, {
      limits: { requestMs: 400, headersMs: 300 },
    });
    using slowBody = openRawClient(gateway.url, head({ fields: ['content-length: 900'] }));
    using slowHead = openRawClient(
      gateway.url,
      'POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n',
    );
    for (const client of [slowBody, slowHead]) {
      await answered(client, /^HTTP\/1\.1 408 Request Timeout\r\n.*\{"error":/s);
      await until(() => client.seen.isClosed, { what: 'the connection to be closed' });
    }
  });
});

describe('bodies that are long enough to share memory', () => {
  it('arrive as sent, with their own headers, also after failures and disconnects', async () => {
    await using upstream = await startUpstream(answerJson());
    await using gateway = await startTestGateway(given(upstream.apiBase));
    const sent = new Set<string>();
    const ask = async (text: string): Promise<void> => {
      const one = chatBody('m', { user: text.repeat(2000) });
      sent.add(JSON.stringify(one));
      const answer = await gateway.chat(one);
      assert.equal(answer.status, 200);
      await answer.text();
    };
    const leave = (): void => {
      const lost = openRawClient(gateway.url, head({ fields: [`content-length: ${body.length}`] }));
      lost.socket.write(body, () => lost.socket.destroy());
    };
    const clients = Array.from({ length: 16 }, async (_, client) => {
      for (let round = 0; round < 12; round++) {
        if (round % 4 === 0) leave();
        await ask(`client ${client} round ${round} `);
      }
    });
    await Promise.all(clients);
    const received = upstream.seen.map(({ body: bytes }) => bytes.toString());
    assert.deepEqual(new Set(received.filter((text) => text !== body)), sent);
  });
});
