// Tests properties of every stream, however it is split or damaged.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import * as fc from 'fast-check';

import { cut, replaceValue } from '../stream-properties.ts';
import { everything } from './everything.ts';
import { gathered, streamed } from './given.ts';

const whole = streamed([everything]);
const frames = everything.toString().split(/(?<=\n\n)/);

it('one of everything adds up', () =>
  assert.deepEqual(gathered(whole.events).blocks, [
    { type: 'thinking', thinking: 'Größe 考える😀', signature: '' },
    { type: 'text', text: 'Let me see…\n' },
    { type: 'tool_use', id: 'call_1', name: 'weather', input: '{"city":"Zürich 🏔"}' },
    { type: 'tool_use', id: 'call_2', name: 'time', input: '{}' },
  ]));

it('the cut of the bytes makes no difference, line ends of either kind', () => {
  const crlf = Buffer.from(everything.toString().replaceAll('\n', '\r\n'));
  const places = fc.array(fc.nat({ max: everything.length }), { maxLength: 60 });
  fc.assert(
    fc.property(fc.constantFrom(everything, crlf), places, (bytes, places) => {
      const again = streamed(cut(bytes, places));
      assert.ok(again.bytes.equals(whole.bytes));
      assert.deepEqual(again.usage, whole.usage);
    }),
    { numRuns: 200 },
  );
});

it('byte by byte makes no difference', () => {
  const bytes = Array.from(everything, (_, index) => everything.subarray(index, index + 1));
  assert.ok(streamed(bytes).bytes.equals(whole.bytes));
});

/** Every answer is a valid sequence of events that ends in success or an error. */
function isWellFormed(bytes: Buffer): void {
  const { events, isClean, usage } = streamed([bytes]);
  gathered(events);
  assert.equal(events.at(-1)?.['type'], isClean ? 'message_stop' : 'error');
  if (!isClean) assert.equal(usage, null);
}

it('lost, doubled and shuffled chunks leave an answer that can be read', () => {
  const chunks = fc.array(fc.constantFrom(...frames), { maxLength: 40 });
  fc.assert(
    fc.property(chunks, (chunks) => isWellFormed(Buffer.from(chunks.join('')))),
    { numRuns: 500 },
  );
});

it('values of another type in a chunk leave an answer that can be read', () => {
  const value = fc.constantFrom<unknown>(null, 0, -1, '', 'x', [], {}, true, 1e300, [[]], [null]);
  fc.assert(
    fc.property(fc.nat(), fc.nat(), value, (frame, place, value) => {
      const at = frame % frames.length;
      const changed = frames.with(at, replaceValue(frames[at] ?? '', place, value));
      isWellFormed(Buffer.from(changed.join('')));
    }),
    { numRuns: 1000 },
  );
});

it('bytes that were changed leave an answer that can be read', () => {
  const change = fc.tuple(fc.nat({ max: everything.length - 1 }), fc.nat({ max: 255 }));
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), (changes) => {
      const bytes = Buffer.from(everything);
      for (const [at, byte] of changes) bytes[at] = byte;
      isWellFormed(bytes);
    }),
    { numRuns: 300 },
  );
});
