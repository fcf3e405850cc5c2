// Tests that the reader of an event stream sets its pace, and that a stalled reader is
// disconnected.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { it } from 'node:test';

import { eventStream } from '../../../src/admin/http/event-stream.ts';
import { until } from '../../harness/wait.ts';

function counting() {
  const asked = { count: 0, isClosed: false };
  async function* frames(): AsyncGenerator<string, void, undefined> {
    try {
      for (;;) {
        asked.count += 1;
        yield `: ${asked.count}\n\n`;
      }
    } finally {
      asked.isClosed = true;
    }
  }
  return { asked, frames: frames() };
}

const open = new AbortController().signal;

it('frames are made as they are taken', async (t) => {
  const { asked, frames } = counting();
  const stream = eventStream(frames, { stallMs: 60_000, signal: open });
  t.after(() => stream.destroy());
  let taken = 0;
  for await (const _frame of stream) {
    taken += 1;
    assert.ok(asked.count <= taken + 2, `${asked.count} were made when ${taken} were taken`);
    if (taken === 100) break;
  }
});

it('a reader that takes nothing is cut off, and nothing more is made', async () => {
  const { asked, frames } = counting();
  const stream = eventStream(frames, { stallMs: 20, signal: open });
  const closed = once(stream, 'close');
  stream.read(0);
  await closed;
  await until(() => asked.isClosed, { what: 'the end of the frames' });
  assert.ok(asked.count <= 2);
});

it('a stream that must end ends between two frames', async () => {
  const { asked, frames } = counting();
  const ending = new AbortController();
  const taken: unknown[] = [];
  for await (const frame of eventStream(frames, { stallMs: 60_000, signal: ending.signal })) {
    taken.push(frame);
    if (taken.length === 3) ending.abort();
  }
  assert.ok(taken.length <= 5);
  assert.equal(asked.isClosed, true);
});
