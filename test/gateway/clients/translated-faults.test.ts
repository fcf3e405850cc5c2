// Tests faults of backends with another protocol: the client gets them in the chat format, and the request moves on
// while nothing was relayed (Gateway rules 2 and 14).

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { answerBytesMax, errorBytesMax } from '../../../src/gateway/outbound/translated-answer.ts';
import { chatBody } from '../../harness/gateway/gateway.ts';
import {
  capped,
  errorOf,
  rowOf,
  sentRequest,
  startTranslated,
  streamed,
} from '../../harness/gateway/translated.ts';
import { answerJson } from '../../harness/upstream/upstream.ts';
import {
  answerEvents,
  answerFailed,
  breakEvents,
  startEvents,
  vendors,
} from '../../harness/upstream/vendors.ts';
import { until } from '../../harness/wait.ts';

/** The values of the chunks that a stream ends with; the mark of the end is one. */
function chunksOf(text: string): readonly unknown[] {
  const frames = text.split('\n\n');
  assert.equal(frames.pop(), '');
  return frames.map((frame) => {
    const data = frame.replace(/^data: /, '');
    return data === '[DONE]' ? data : JSON.parse(data);
  });
}

for (const vendor of vendors) {
  const { protocol, begun, ended } = vendor;

  describe(`an error of a backend of protocol ${protocol}`, () => {
    it('keeps its status and message in the envelope of a chat', async () => {
      await using session = await startTranslated(vendor, answerFailed(vendor, 401));
      const response = await session.gateway.chat(chatBody('m', capped), {
        authorization: 'Bearer key',
        'x-request-id': 'mine',
      });
      assert.equal(response.status, 401);
      assert.equal(response.headers.get('content-type'), 'application/json');
      const { message, request_id } = await errorOf(response);
      assert.deepEqual([message, request_id], ['the vendor says 401', 'mine']);
      const row = await rowOf(session.gateway);
      assert.deepEqual([row.status, row.usage_reported], [401, false]);
    });

    it('of 429 returns Retry-After if no candidate is left', async () => {
      const told = { 'retry-after': '7', 'retry-after-ms': '6500', 'x-should-retry': 'true' };
      await using session = await startTranslated(vendor, answerFailed(vendor, 429, told));
      const response = await session.gateway.chat(chatBody('m', streamed));
      assert.equal(response.status, 429);
      for (const [name, value] of Object.entries(told)) {
        assert.equal(response.headers.get(name), value);
      }
      assert.equal((await errorOf(response)).message, 'the vendor says 429');
    });

    for (const status of [429, 529]) {
      it(`of ${status} moves the request to the next candidate`, async () => {
        await using session = await startTranslated(vendor, answerFailed(vendor, status));
        const response = await session.gateway.chat(chatBody('both', capped));
        assert.equal(response.headers.get('x-gw-served-model'), 'other');
        assert.match(await response.text(), /Hello there/);
        assert.match(sentRequest(session.other).body.toString(), /"messages"/);
        assert.equal((await rowOf(session.gateway)).attempts, 2);
      });
    }

    it('moves on before the body of the error arrives', async () => {
      await using session = await startTranslated(vendor, (_, response) => {
        response.writeHead(529, { 'content-type': 'application/json' });
        response.flushHeaders();
      });
      const response = await session.gateway.chat(chatBody('both', capped));
      assert.equal(response.headers.get('x-gw-served-model'), 'other');
    });

    it('that is a page of an intermediary is reported without the page', async () => {
      await using session = await startTranslated(vendor, (_, response) => {
        response.writeHead(502, { 'content-type': 'text/html' });
        response.end('<html>'.padEnd(errorBytesMax + 1, 'x'));
      });
      const response = await session.gateway.chat(chatBody('m', capped));
      assert.equal(response.status, 502);
      assert.equal((await errorOf(response)).message, 'the upstream answered 502');
    });

    it('as the first event of a stream moves the request on', async () => {
      await using session = await startTranslated(vendor, startEvents(vendor.failure));
      const response = await session.gateway.chat(chatBody('both', streamed));
      assert.equal(response.headers.get('x-gw-served-model'), 'other');
      await until(() => session.upstream.seen[0]?.isAborted, { what: 'the stream to be left' });
    });

    it('as the first event becomes the response status if no candidate is left', async () => {
      await using session = await startTranslated(vendor, startEvents(vendor.failure));
      const response = await session.gateway.chat(chatBody('m', streamed));
      assert.equal(response.status, vendor.failedStatus);
      assert.equal(response.headers.get('content-type'), 'application/json');
      assert.equal((await errorOf(response)).message, vendor.failedMessage);
      const row = await rowOf(session.gateway);
      assert.deepEqual([row.status, row.usage_reported], [vendor.failedStatus, false]);
    });

    it('that arrives with the first text moves the request on because nothing was relayed', async () => {
      await using session = await startTranslated(
        vendor,
        startEvents(Buffer.concat([begun, vendor.failure])),
      );
      const response = await session.gateway.chat(chatBody('both', streamed));
      assert.equal(response.headers.get('x-gw-served-model'), 'other');
    });

    it('within a stream is its last event, and nothing is counted', async () => {
      const failing = Promise.withResolvers<void>();
      await using session = await startTranslated(vendor, (seen, response) => {
        startEvents(begun)(seen, response);
        void failing.promise.then(() => response.write(vendor.failure));
      });
      const response = await session.gateway.chat(chatBody('both', streamed));
      failing.resolve();
      assert.equal(response.status, 200);
      const [error, mark] = chunksOf(await response.text()).slice(-2);
      assert.match(JSON.stringify(error), new RegExp(vendor.failedMessage));
      assert.equal(mark, '[DONE]');
      const row = await rowOf(session.gateway);
      assert.deepEqual([row.status, row.usage_reported, row.model], [200, false, 'm']);
      assert.equal(session.other.seen.length, 0);
      assert.ok(
        session.gateway.logLines.some(({ message }) => message === 'an answer was cut off'),
      );
      await until(() => session.upstream.seen[0]?.isAborted, { what: 'the stream to be left' });
      assert.match(await session.gateway.metrics(), /gw_requests_failed_total 1\n/);
    });
  });

  describe(`an answer of protocol ${protocol} that breaks off`, () => {
    for (const [how, script] of [
      ['by its end', answerEvents(begun)],
      ['with its connection', breakEvents(begun)],
    ] as const) {
      it(`as a stream ${how} reports an error, and is not counted`, async () => {
        await using session = await startTranslated(vendor, script);
        const response = await session.gateway.chat(chatBody('m', streamed));
        const chunks = chunksOf(await response.text());
        assert.match(JSON.stringify(chunks.at(-2)), /"code":"truncated"/);
        assert.equal(chunks.at(-1), '[DONE]');
        assert.equal((await rowOf(session.gateway)).usage_reported, false);
      });
    }

    it('after its own end marker is complete', async () => {
      await using session = await startTranslated(vendor, breakEvents(begun, ended));
      const text = await (await session.gateway.chat(chatBody('m', streamed))).text();
      assert.doesNotMatch(text, /"error"/);
      assert.equal((await rowOf(session.gateway)).prompt_tokens, 11);
    });

    for (const [what, script] of [
      ['before its first event', answerEvents()],
      ['with its connection before that', breakEvents()],
    ] as const) {
      it(`${what} moves the request on`, async () => {
        await using session = await startTranslated(vendor, script);
        const response = await session.gateway.chat(chatBody('both', streamed));
        assert.equal(response.headers.get('x-gw-served-model'), 'other');
      });
    }

    it('as a body moves the request on because nothing was relayed', async () => {
      await using session = await startTranslated(vendor, (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '999' });
        response.write('{"id":', () => response.destroy());
      });
      const response = await session.gateway.chat(chatBody('both', capped));
      assert.equal(response.headers.get('x-gw-served-model'), 'other');
    });

    it('or does not follow the protocol gets 502', async () => {
      await using session = await startTranslated(vendor, answerJson({ hello: 'world' }));
      const response = await session.gateway.chat(chatBody('m', capped));
      assert.equal(response.status, 502);
      assert.equal((await errorOf(response)).code, 'unreadable_answer');
    });

    it('or is too large is aborted', async () => {
      await using session = await startTranslated(vendor, (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write(`{"x":"${'y'.repeat(answerBytesMax)}"`);
      });
      const response = await session.gateway.chat(chatBody('m', capped));
      assert.equal(response.status, 502);
      assert.equal((await errorOf(response)).code, 'no_backend');
      await until(() => session.upstream.seen[0]?.isAborted, { what: 'the upstream to be left' });
    });
  });
}
