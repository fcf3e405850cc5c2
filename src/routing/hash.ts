// Hashes that distribute conversations over members. 32 bits are enough, because a collision only costs a warm cache. Not
// for secrets.

/** MurmurHash3 (x86, 32 bits, seed 0) of the bytes from `start` to `end`. */
export function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset + start, end - start);
  const wholeBytes = view.byteLength & ~3;
  let state = 0;
  for (let at = 0; at < wholeBytes; at += 4) {
    state ^= scramble(view.getInt32(at, true));
    // Stays within 32 bits, because floating-point arithmetic takes three times as long.
    state = (Math.imul((state << 13) | (state >>> 19), 5) + 0xe6546b64) | 0;
  }
  let rest = 0;
  for (let at = view.byteLength - 1; at >= wholeBytes; at--) rest = (rest << 8) | view.getUint8(at);
  return finish(state ^ scramble(rest) ^ view.byteLength);
}

/** Derives a key for another purpose. Equal arguments give equal keys. */
export const mixKey = (key: number, salt: number): number =>
  finish(Math.imul(key ^ Math.imul(salt, 0x9e3779b1), 5) + 0xe6546b64);

function scramble(block: number): number {
  const product = Math.imul(block, 0xcc9e2d51);
  return Math.imul((product << 15) | (product >>> 17), 0x1b873593);
}

/** Every bit of the state affects every bit of the result, which is not negative. */
function finish(state: number): number {
  let mixed = state;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
