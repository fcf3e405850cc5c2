// Creates ULIDs: 48 bits of time and 80 random bits in Crockford's base 32, so that ids sort by time.

import type { Clock } from '../lib/clock.ts';

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** One for each random byte. */
const characters = Uint8Array.from({ length: 256 }, (_, byte) => alphabet.charCodeAt(byte % 32));
const randomCharacters = 16;
/** Random bytes are drawn for this many ids at once. */
const drawnIds = 256;

export function createUlids(
  dependencies: Readonly<{ now: Clock; randomBytes: (size: number) => Uint8Array }>,
): () => string {
  let drawn = '';
  let used = 0;
  let prefixMs = -1;
  let prefix = '';
  return () => {
    const nowMs = dependencies.now();
    if (nowMs !== prefixMs) {
      prefixMs = nowMs;
      prefix = encodeTime(nowMs);
    }
    if (used === drawn.length) {
      const bytes = dependencies.randomBytes(drawnIds * randomCharacters);
      drawn = Buffer.from(bytes.map((byte) => characters[byte] ?? 0)).toString('latin1');
      used = 0;
    }
    used += randomCharacters;
    return prefix + drawn.slice(used - randomCharacters, used);
  };
}

function encodeTime(epochMs: number): string {
  let text = '';
  for (let rest = epochMs; text.length < 10; rest = Math.floor(rest / 32)) {
    text = (alphabet[rest % 32] ?? '') + text;
  }
  return text;
}
