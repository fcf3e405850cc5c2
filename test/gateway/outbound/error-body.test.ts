// A 200 whose JSON body is an error is that error: for failover, for the counts and for the client.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import {
  EarlyBody,
  errorBodyBytesMax,
  mayBeError,
} from '../../../src/gateway/outbound/error-body.ts';
import { chatBody, startTestGateway } from '../../harness/gateway/gateway.ts';
import { answerJson, completion, startUpstream } from '../../harness/upstream/upstream.ts';
import type { Script } from '../../harness/upstream/upstream.ts';

const statusOf = (text: string): number | null => {
  const body = new EarlyBody();
  if (text !== '') body.push(Buffer.from(text));
  return body.status(true);
};

describe('a body', () => {
  for (const [text, status] of [
    ['{"error":{"message":"busy","code":429}}', 429],
    ['{"error":{"message":"busy","code":"503"}}', 503],
    ['{"error":{"message":"busy","code":"rate_limited","status":429}}', 429],
    ['{"error":{"message":"busy"}}', 502],
    ['{"error":"busy"}', 502],
    [' \n{ "error" : {"code":400} }', 400],
    ['{"error":{"code":200}}', 502],
    ['{"error":{"code":4.5}}', 502],
    ['{"error":null,"choices":[]}', 200],
    ['{"error":"","choices":[]}', 200],
    ['{"error":false}', 200],
    ['{"err or":{}}', 200],
    ['{"errors":{}}', 200],
    ['{"id":"c-1","error":{"code":500}}', 200],
    ['{"error":{"code":500}', 200],
    ['["error"]', 200],
    ['{"', 200],
    ['', 200],
  ] as const) {
    it(`is taken for ${status}: ${text}`, () => assert.equal(statusOf(text), status));
  }

  it('is known for none by its first bytes, and for an error at its end', () => {
    const served = new EarlyBody();
    served.push(Buffer.from('{"id'));
    assert.equal(served.status(false), 200);
    const failed = new EarlyBody();
    failed.push(Buffer.from('{"error":{"code":500'));
    assert.equal(failed.status(false), null);
    failed.push(Buffer.from('}}'));
    assert.equal(failed.status(true), 500);
  });

  it('that is too long is taken for what its status says', () => {
    const body = new EarlyBody();
    body.push(Buffer.from(`{"error":{"message":"${'x'.repeat(errorBodyBytesMax)}`));
    assert.equal(body.status(false), 200);
  });

  it('means the same however it is cut', () => {
    const texts = fc.constantFrom(
      '{"error":{"code":429}}',
      ' {\n"error" :"x"}',
      JSON.stringify(completion),
    );
    fc.assert(
      fc.property(texts, fc.array(fc.nat(30), { maxLength: 5 }), (text, cuts) => {
        const body = new EarlyBody();
        const inside = cuts.filter((cut) => cut > 0 && cut < text.length);
        const ends = [...new Set([0, ...inside, text.length])].toSorted((a, b) => a - b);
        for (const [index, end] of ends.entries()) {
          if (index > 0) body.push(Buffer.from(text.slice(ends[index - 1], end)));
        }
        assert.equal(body.status(true), statusOf(text));
      }),
    );
  });
});

describe('an answer', () => {
  for (const [status, headers, is] of [
    [200, ['content-type', 'application/json'], true],
    [200, ['content-type', 'Application/JSON; charset=utf-8'], true],
    [200, ['content-type', 'text/event-stream'], false],
    [200, ['content-type', 'application/jsonl'], false],
    [200, ['content-type', 'application/json', 'content-encoding', 'gzip'], false],
    [201, ['content-type', 'application/json'], false],
    [200, [], false],
  ] as const) {
    it(`${is ? 'may' : 'cannot'} be an error with ${status} ${headers.join(' ')}`, () => {
      assert.equal(mayBeError(status, headers), is);
    });
  }
});

const failing = { error: { message: 'no GPU left', code: 503 } };
const backends = (...apiBases: readonly string[]) => ({
  models: { m: { backends: apiBases.map((apiBase) => ({ apiBase })) } },
  keys: { key: {} },
});

describe('a 200 that holds an error', () => {
  it('moves on to the next backend, and counts as the error that it is', async () => {
    await using bad = await startUpstream(answerJson(failing));
    await using good = await startUpstream(answerJson());
    await using gateway = await startTestGateway(backends(bad.apiBase, good.apiBase));
    const response = await gateway.chat(chatBody('m'));
    assert.deepEqual(await response.json(), completion);
    const metrics = await gateway.metrics();
    assert.match(metrics, /gw_upstream_status_total\{class="server_error"\} 1\n/);
    assert.match(metrics, /gw_backend_errors_total\{.*\} 1\n/);
    assert.match(metrics, /gw_retries_total 1\n/);
  });

  it('reaches the client with the status that it names and its own bytes when nothing is left', async () => {
    await using bad = await startUpstream(answerJson(failing));
    await using gateway = await startTestGateway(backends(bad.apiBase));
    const response = await gateway.chat(chatBody('m'));
    assert.equal(response.status, 503);
    assert.deepEqual(await response.json(), failing);
    assert.equal(gateway.events[0]?.status, 503);
  });

  it('is not looked for in a stream', async () => {
    await using bad = await startUpstream((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`data: ${JSON.stringify(failing)}\n\n`);
    });
    await using gateway = await startTestGateway(backends(bad.apiBase));
    assert.equal((await gateway.chat(chatBody('m', { stream: true }))).status, 200);
  });
});

const breakOff =
  (text: string): Script =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.flushHeaders();
    if (text !== '') response.write(text);
    setImmediate(() => response.socket?.destroy());
  };

describe('a JSON answer that breaks off', () => {
  it('moves on while nothing of it has reached the client', async () => {
    await using bad = await startUpstream(breakOff(''));
    await using good = await startUpstream(answerJson());
    await using gateway = await startTestGateway(backends(bad.apiBase, good.apiBase));
    assert.equal((await gateway.chat(chatBody('m'))).status, 200);
    assert.equal(good.seen.length, 1);
  });

  it('breaks the connection of the client once something has', async () => {
    await using bad = await startUpstream(breakOff('{"id":"c'));
    await using good = await startUpstream(answerJson());
    await using gateway = await startTestGateway(backends(bad.apiBase, good.apiBase));
    await assert.rejects(gateway.chat(chatBody('m')).then((response) => response.text()));
    assert.equal(good.seen.length, 0);
  });
});
