// Chat completions over a backend of another protocol, through real sockets: what is sent, what the
// client gets, and what is counted, is as with any other backend (Gateway rule 14).

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { chatBody } from '../../harness/gateway/gateway.ts';
import { openRawClient } from '../../harness/bytes/raw-client.ts';
import {
  capped,
  rowOf,
  sentRequest,
  startTranslated,
  streamed,
} from '../../harness/gateway/translated.ts';
import { answerJson } from '../../harness/upstream/upstream.ts';
import { answerEvents, startEvents, vendors } from '../../harness/upstream/vendors.ts';
import type { Vendor } from '../../harness/upstream/vendors.ts';
import { until } from '../../harness/wait.ts';
import * as anthropic from '../../protocols/anthropic/events.ts';
import * as gemini from '../../protocols/gemini/events.ts';

const word = 'x'.repeat(64 * 1024);
const longWord = ({ protocol }: Vendor): Buffer =>
  protocol === 'anthropic'
    ? anthropic.bytesOf(anthropic.delta(0, 'text_delta', { text: word }))
    : gemini.bytesOf(gemini.answer([gemini.textPart(word)]));

const saidIn = (text: string): string =>
  [...text.matchAll(/"delta":\{"content":"(\w+)"\}/g)].map(([, said]) => said).join('');

for (const vendor of vendors) {
  const { protocol, begun, ended } = vendor;

  describe(`a chat over a backend of protocol ${protocol}`, () => {
    it('is sent to its route with only its own credential and headers', async () => {
      await using session = await startTranslated(vendor, answerJson(vendor.message));
      const response = await session.gateway.chat(chatBody('m', capped), {
        authorization: 'Bearer key',
        accept: 'application/vnd.client+json',
        'openai-organization': 'org-1',
        'anthropic-beta': 'context-1',
        'x-request-id': 'mine',
        'user-agent': 'client/1',
      });
      assert.equal(response.status, 200);
      const { path, headers, body } = sentRequest(session.upstream);
      assert.equal(path, vendor.path);
      assert.equal(headers[vendor.credentialHeader], 'secret');
      assert.equal(headers.authorization, undefined);
      assert.equal(headers['openai-organization'], undefined);
      const isOwn = protocol === 'anthropic';
      assert.equal(headers['anthropic-beta'], isOwn ? 'context-1' : undefined);
      assert.equal(headers['anthropic-version'], isOwn ? '2023-06-01' : undefined);
      assert.equal(headers.accept, 'application/json');
      assert.equal(headers['content-type'], 'application/json');
      assert.equal(headers['accept-encoding'], 'identity');
      assert.equal(headers['x-request-id'], 'mine');
      assert.equal(headers['user-agent'], 'client/1');
      assert.ok(body.includes(isOwn ? '"max_tokens":64' : '"maxOutputTokens":64'));
    });

    it('is answered like any chat, and counted with its cached tokens', async () => {
      await using session = await startTranslated(vendor, answerJson(vendor.message));
      const response = await session.gateway.chat(chatBody('m', capped));
      assert.equal(response.headers.get('content-type'), 'application/json');
      assert.equal(response.headers.get('x-gw-served-model'), 'm');
      assert.equal(response.headers.get('x-gw-route'), 'concrete');
      const text = await response.text();
      assert.equal(response.headers.get('content-length'), String(Buffer.byteLength(text)));
      const { choices, usage, object } = JSON.parse(text);
      assert.equal(object, 'chat.completion');
      assert.equal(choices[0].message.content, 'Hello');
      assert.deepEqual([usage.prompt_tokens, usage.completion_tokens], [11, 7]);
      const row = await rowOf(session.gateway);
      assert.deepEqual([row.prompt_tokens, row.completion_tokens], [11, 7]);
      assert.deepEqual([row.usage_reported, row.status, row.model], [true, 200, 'm']);
    });

    it('is streamed event by event, and counted by its last event', async () => {
      await using session = await startTranslated(vendor, answerEvents(begun, ended));
      const response = await session.gateway.chat(chatBody('m', streamed));
      assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
      const text = await response.text();
      assert.equal(saidIn(text), 'Hello');
      assert.match(text, /"finish_reason":"stop"[^]*data: \[DONE\]\n\n$/);
      assert.doesNotMatch(text, /prompt_tokens/);
      assert.equal(sentRequest(session.upstream).path, vendor.streamPath);
      assert.equal(sentRequest(session.upstream).headers.accept, 'text/event-stream');
      const row = await rowOf(session.gateway);
      assert.deepEqual([row.prompt_tokens, row.completion_tokens], [11, 7]);
      assert.ok(row.usage_reported && row.stream && row.ttft_ms !== null);
    });

    it('adds the counts to a stream if requested', async () => {
      await using session = await startTranslated(vendor, answerEvents(begun, ended));
      const asked = { ...streamed, stream_options: { include_usage: true } };
      const text = await (await session.gateway.chat(chatBody('m', asked))).text();
      assert.match(text, /"choices":\[\],"usage":\{"prompt_tokens":11,"completion_tokens":7/);
    });

    it('is relayed as it arrives', async () => {
      const ending = Promise.withResolvers<void>();
      await using session = await startTranslated(vendor, (seen, response) => {
        startEvents(begun)(seen, response);
        void ending.promise.then(() => response.end(ended));
      });
      const response = await session.gateway.chat(chatBody('m', streamed));
      const reader = response.body?.getReader() ?? assert.fail();
      let text = '';
      const read = async (): Promise<boolean> => {
        const { value, done } = await reader.read();
        text += Buffer.from(value ?? []).toString();
        return !done;
      };
      while (saidIn(text) !== 'Hello') assert.ok(await read());
      ending.resolve();
      while (await read());
      assert.match(text, /\[DONE\]/);
    });

    it('works if every byte arrives separately', async () => {
      const bytes = Buffer.concat([begun, ended]);
      await using session = await startTranslated(vendor, (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.socket?.setNoDelay(true);
        for (const byte of bytes) response.write(Buffer.from([byte]));
        response.end();
      });
      const text = await (await session.gateway.chat(chatBody('m', streamed))).text();
      assert.equal(saidIn(text), 'Hello');
    });

    it('is answered from the response cache the second time', async () => {
      const caching = { cacheTtlSeconds: 60 };
      await using session = await startTranslated(vendor, answerJson(vendor.message), caching);
      const first = await session.gateway.chat(chatBody('m', capped));
      assert.equal(first.headers.get('x-gw-cache'), 'miss');
      const again = await session.gateway.chat(chatBody('m', capped));
      assert.equal(again.headers.get('x-gw-cache'), 'hit');
      assert.equal(await again.text(), await first.text());
      assert.equal(session.upstream.seen.length, 1);
      await until(() => session.gateway.events.length === 2, { what: 'two rows' });
      const [, hit] = session.gateway.events;
      assert.deepEqual([hit?.cached, hit?.prompt_tokens, hit?.completion_tokens], [true, 11, 7]);
    });

    it('that requests a stream but gets a body returns the complete answer', async () => {
      await using session = await startTranslated(vendor, answerJson(vendor.message));
      const response = await session.gateway.chat(chatBody('m', streamed));
      assert.equal(response.headers.get('content-type'), 'application/json');
      assert.match(await response.text(), /"content":"Hello"/);
    });
  });

  describe(`a client over a backend of protocol ${protocol}`, () => {
    it('that leaves a stream aborts the upstream, and is not counted', async () => {
      await using session = await startTranslated(vendor, startEvents(begun));
      const response = await session.gateway.chat(chatBody('m', streamed));
      await response.body?.cancel();
      await until(() => session.upstream.seen[0]?.isAborted, { what: 'the upstream to be left' });
      assert.equal((await rowOf(session.gateway)).usage_reported, false);
    });

    it('that reads slowly pauses the upstream, and gets every word', async () => {
      const words = 512;
      let sent = 0;
      await using session = await startTranslated(vendor, (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const more = (): void => {
          while (sent < words) {
            sent++;
            if (!response.write(longWord(vendor))) return void response.once('drain', more);
          }
          response.end(ended);
        };
        more();
      });
      const body = JSON.stringify(chatBody('m', streamed));
      const head = 'POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer key\r\n';
      const text = `${head}content-length: ${body.length}\r\n\r\n${body}`;
      using client = openRawClient(session.gateway.url, text);
      client.socket.pause();
      let before = 0;
      let unchanged = 0;
      const isPaused = (): boolean => {
        unchanged = sent === before ? unchanged + 1 : 0;
        before = sent;
        return sent > 0 && unchanged >= 10;
      };
      await until(isPaused, { what: 'the upstream to be paused' });
      assert.ok(sent < words, `${sent} words were taken`);
      client.socket.resume();
      await until(() => client.seen.text.includes('[DONE]'), { what: 'the whole answer' });
      const runs = client.seen.text.match(/x+/g) ?? [];
      assert.ok(runs.reduce((sum, { length }) => sum + length, 0) >= words * word.length);
      assert.equal((await rowOf(session.gateway)).usage_reported, true);
    });

    it('that leaves before a complete answer aborts the upstream', async () => {
      await using session = await startTranslated(vendor, (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{');
      });
      const leaving = new AbortController();
      const asked = fetch(`${session.gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: 'Bearer key' },
        body: JSON.stringify(chatBody('m', capped)),
        signal: leaving.signal,
      });
      await until(() => session.upstream.seen.length === 1, { what: 'the request' });
      leaving.abort();
      await assert.rejects(asked);
      await until(() => session.upstream.seen[0]?.isAborted, { what: 'the upstream to be left' });
      assert.equal((await rowOf(session.gateway)).status, null);
    });
  });
}
