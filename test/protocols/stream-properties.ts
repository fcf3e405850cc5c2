// Tests properties of every vendor's streams, however they are split or damaged.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import * as fc from 'fast-check';

import type { UsageReport } from '../../src/usage/counts.ts';

type Streamed = Readonly<{
  bytes: Buffer;
  chunks: readonly unknown[];
  isClean: boolean;
  usage: UsageReport | null;
}>;

/** `everything` is a stream with every kind of event. Its lines end with LF. */
export function holdsOfStreams(
  streamed: (pieces: readonly Buffer[], options?: Readonly<{ includesUsage: boolean }>) => Streamed,
  everything: Buffer,
): void {
  const whole = streamed([everything], { includesUsage: true });
  const crlf = Buffer.from(everything.toString().replaceAll('\n', '\r\n'));
  const frames = everything.toString().split(/(?<=\n\n)/);

  it('the cut of the bytes makes no difference, line ends of either kind', () => {
    const places = fc.array(fc.nat({ max: crlf.length }), { maxLength: 60 });
    fc.assert(
      fc.property(fc.constantFrom(everything, crlf), places, (bytes, places) => {
        const again = streamed(cut(bytes, places), { includesUsage: true });
        assert.ok(again.bytes.equals(whole.bytes));
        assert.deepEqual(again.usage, whole.usage);
      }),
      { numRuns: 200 },
    );
  });

  it('byte by byte makes no difference', () => {
    const bytes = Array.from(everything, (_, index) => everything.subarray(index, index + 1));
    assert.ok(streamed(bytes, { includesUsage: true }).bytes.equals(whole.bytes));
  });

  /** Every answer consists of readable chunks and one end marker. */
  function isWellFormed(bytes: Buffer): void {
    const { chunks, isClean, usage } = streamed([bytes]);
    assert.equal(chunks.indexOf('[DONE]'), chunks.length - 1);
    if (!isClean) assert.equal(usage, null);
  }

  it('lost, doubled and shuffled events leave an answer that can be read', () => {
    const events = fc.array(fc.constantFrom(...frames), { maxLength: 40 });
    fc.assert(
      fc.property(events, (events) => isWellFormed(Buffer.from(events.join('')))),
      { numRuns: 300 },
    );
  });

  it('values of another type in an event leave an answer that can be read', () => {
    const value = fc.constantFrom<unknown>(null, 0, -1, '', 'x', [], {}, true, 1e300);
    fc.assert(
      fc.property(fc.nat(), fc.nat(), value, (frame, place, value) => {
        const changed = frames.with(
          frame % frames.length,
          replaceValue(frames[frame % frames.length] ?? '', place, value),
        );
        isWellFormed(Buffer.from(changed.join('')));
      }),
      { numRuns: 500 },
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
}

/** Splits the bytes at the given positions. */
export function cut(bytes: Buffer, places: readonly number[]): readonly Buffer[] {
  const at = [0, ...places.toSorted((a, b) => a - b), bytes.length];
  return at.slice(1).map((stop, index) => bytes.subarray(at[index], stop));
}

/** Counts the values of the frame's JSON, and replaces one. */
export function replaceValue(frame: string, place: number, value: unknown): string {
  const line = /^data: (\{.*\})\s*$/m.exec(frame)?.[1];
  if (line === undefined) return frame;
  let count = 0;
  const change = (chosen: number): unknown =>
    JSON.parse(line, (_, one: unknown) => (count++ === chosen ? value : one));
  change(-1);
  const chosen = place % count;
  count = 0;
  const changed = change(chosen);
  return `data: ${JSON.stringify(changed)}\n\n`;
}
