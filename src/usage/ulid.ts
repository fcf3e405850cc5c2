// Creates ULIDs: 48 bits of time and 80 random bits in Crockford's base 32, so that ids sort by time.

import type { Clock } from '../lib/clock.ts';

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** Two characters per lookup: 16 of them hold 80 bits. */
const pairs = Array.from(alphabet).flatMap((first) => Array.from(alphabet, (next) => first + next));
const randomPairs = 8;
const bytesAnId = randomPairs * 2;
/** Random bytes are drawn for this many ids at once. */
const drawnIds = 256;

export function createUlids(
  dependencies: Readonly<{ now: Clock; randomBytes: (size: number) => Uint8Array }>,
): () => string {
  let bytes = new Uint8Array(0);
  let used = 0;
  let prefixMs = -1;
  let prefix = '';
  return () => {
    const nowMs = dependencies.now();
    if (nowMs !== prefixMs) {
      prefixMs = nowMs;
      prefix = encodeTime(nowMs);
    }
    if (used + bytesAnId > bytes.length) {
      bytes = Uint8Array.from(dependencies.randomBytes(drawnIds * bytesAnId));
      used = 0;
    }
    let id = prefix;
    for (const end = used + bytesAnId; used < end; used += 2) {
      const bits = ((bytes[used] ?? 0) << 8) | (bytes[used + 1] ?? 0);
      id += pairs[bits & 1023] ?? '';
    }
    return id;
  };
}

function encodeTime(epochMs: number): string {
  let text = '';
  for (let rest = epochMs; text.length < 10; rest = Math.floor(rest / 32)) {
    text = (alphabet[rest % 32] ?? '') + text;
  }
  return text;
}
