// Tests that the memory of a request body is used again only after it was given back.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { createBodyMemory } from '../../../src/gateway/transport/body-memory.ts';
import type { Exchange } from '../../../src/gateway/transport/boundary.ts';
import { openRawClient } from '../../harness/bytes/raw-client.ts';
import { startListener } from '../../harness/gateway/listener.ts';
import { until } from '../../harness/wait.ts';

it('returns memory of the requested length', () => {
  const memory = createBodyMemory();
  for (const length of [0, 1, 4095, 4096, 65_536, 65_537]) {
    assert.equal(memory.take(length).length, length);
  }
});

it('uses memory again after it was given back, and not before', () => {
  const memory = createBodyMemory();
  const first = memory.take(5000);
  const second = memory.take(5000);
  assert.notEqual(second.buffer, first.buffer);
  memory.giveBack(first);
  assert.equal(memory.take(60_000).buffer, first.buffer);
  assert.notEqual(memory.take(5000).buffer, first.buffer);
});

it('does not keep memory of other sizes, which others may share', () => {
  const memory = createBodyMemory();
  for (const length of [100, 100_000]) {
    const bytes = memory.take(length);
    memory.giveBack(bytes);
    assert.notEqual(memory.take(5000).buffer, bytes.buffer);
  }
});

it('keeps a bounded amount', () => {
  const memory = createBodyMemory();
  const taken = Array.from({ length: 100 }, () => memory.take(5000));
  for (const bytes of taken) memory.giveBack(bytes);
  const again = new Set(Array.from({ length: 100 }, () => memory.take(5000).buffer));
  assert.equal(taken.filter(({ buffer }) => again.has(buffer)).length, 64);
});

it('takes only as much as a body needs once all of the kept memory is in use', () => {
  const memory = createBodyMemory();
  const taken = Array.from({ length: 100 }, () => memory.take(5000));
  const bytes = taken.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
  assert.equal(bytes, 64 * 65_536 + 36 * 5000);
});

it('replaces memory that is not given back', () => {
  const memory = createBodyMemory();
  const lost = Array.from({ length: 64 }, () => memory.take(5000));
  for (const one of lost) memory.forget(one);
  const next = memory.take(5000);
  assert.equal(next.buffer.byteLength, 65_536);
  assert.ok(lost.every(({ buffer }) => buffer !== next.buffer));
});

/** `first` is the number of bytes of the body that arrive with the head. */
for (const [how, first] of [
  ['with their heads', 10_000],
  ['after their heads', 0],
  ['in pieces', 2000],
] as const) {
  it(`is the same for bodies that arrive ${how}, one after another`, async () => {
    const bodies: Buffer[] = [];
    const texts: string[] = [];
    let begun = 0;
    const answer = async (exchange: Exchange): Promise<void> => {
      begun++;
      const body = await exchange.readBody();
      assert.ok(body.kind === 'bytes');
      bodies.push(body.bytes);
      texts.push(body.bytes.toString());
      exchange.answer(200, [], 'ok');
      exchange.releaseRequest();
    };
    await using listener = await startListener((exchange) => void answer(exchange));
    using client = openRawClient(listener.server.url, '');
    const sent = ['a'.repeat(5000), 'b'.repeat(6000), 'c'.repeat(5000)];
    for (const [index, text] of sent.entries()) {
      const head = `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${text.length}\r\n\r\n`;
      client.socket.write(head + text.slice(0, first));
      await until(() => begun > index, { what: 'the request' });
      client.socket.write(text.slice(first));
      await until(() => bodies.length > index, { what: 'the body' });
    }
    assert.deepEqual(texts, sent);
    assert.equal(new Set(bodies.map(({ buffer }) => buffer)).size, 1);
  });
}
