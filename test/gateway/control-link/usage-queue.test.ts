// The queue of usage rows gives them on in their order, as bodies that the control plane reads.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { usageBody, UsageQueue } from '../../../src/gateway/control-link/usage-queue.ts';
import { usageBatch, usageBatchMax } from '../../../src/usage/usage-event.ts';

const row = (number: number): string => JSON.stringify({ number, text: 'x'.repeat(number % 90) });
const rows = (from: number, to: number): readonly unknown[] =>
  Array.from({ length: to - from }, (_value, index): unknown => JSON.parse(row(from + index)));

function queueOf(count: number): UsageQueue {
  const queue = new UsageQueue('réplica "1"');
  for (let number = 0; number < count; number++) queue.push(row(number));
  return queue;
}

const read = (body: Buffer) => usageBatch.parse(JSON.parse(body.toString()));

describe('the queue of usage rows', () => {
  it('is sent in bodies of a limited number of rows, the oldest first', () => {
    const queue = queueOf(usageBatchMax + 3);
    for (const [from, to] of [
      [0, usageBatchMax],
      [usageBatchMax, usageBatchMax + 3],
    ] as const) {
      const batch = queue.oldest();
      assert.ok(batch !== null);
      assert.deepEqual(read(batch.body()), { replica: 'réplica "1"', events: rows(from, to) });
      assert.equal(queue.remove(batch), to - from);
    }
    assert.equal(queue.count, 0);
    assert.equal(queue.oldest(), null);
  });

  it('uses the memory of a batch again only when nothing reads the batch any more', () => {
    const queue = queueOf(usageBatchMax * 2 + 1);
    const first = queue.oldest();
    assert.ok(first !== null);
    const { buffer } = first.body();
    queue.recycle(first);
    for (let number = 0; number < usageBatchMax; number++) queue.push(row(number));
    const second = queue.oldest();
    assert.ok(second !== null);
    assert.deepEqual(read(second.body()).events, rows(usageBatchMax, usageBatchMax * 2));
    assert.notEqual(second.body().buffer, buffer);
    queue.remove(second);
    queue.remove(queue.oldest() ?? assert.fail());
    assert.equal(queue.oldest()?.body().buffer, buffer);
    assert.deepEqual(
      read(queue.oldest()?.body() ?? Buffer.alloc(0)).events,
      rows(usageBatchMax - 1, usageBatchMax),
    );
  });

  it('keeps rows added during a delivery for the next one', () => {
    const queue = queueOf(2);
    const batch = queue.oldest();
    queue.push(row(2));
    assert.ok(batch !== null);
    assert.deepEqual(read(batch.body()).events, rows(0, 2));
    assert.equal(queue.oldest(), batch);
    assert.equal(queue.remove(batch), 2);
    assert.deepEqual(read(queue.oldest()?.body() ?? Buffer.alloc(0)).events, rows(2, 3));
  });

  it('removes no row twice if it was taken during a delivery', () => {
    const queue = queueOf(2);
    const batch = queue.oldest();
    assert.ok(batch !== null);
    assert.deepEqual(
      queue.takeAll().map(({ bytes }): unknown => JSON.parse(bytes.toString())),
      rows(0, 2),
    );
    queue.push(row(2));
    assert.equal(queue.remove(batch), 0);
    assert.equal(queue.count, 1);
  });
});

it('a body of rows that were read from disk is as one from the queue', () => {
  const batch = queueOf(3).oldest();
  assert.deepEqual(batch?.body(), usageBody('réplica "1"', [0, 1, 2].map(row)));
});
