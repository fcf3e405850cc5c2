// Hashes that spread conversations over members: of 32 bits, because a collision costs a warm
// cache and nothing else. No secret is made of them.

/** MurmurHash3 (x86, 32 bits, seed 0) of the bytes from `start` to `end`. */
export function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset + start, end - start);
  const wholeBytes = view.byteLength & ~3;
  let state = 0;
  for (let at = 0; at < wholeBytes; at += 4) {
    state ^= scramble(view.getInt32(at, true));
    // Kept within 32 bits: beyond them it would be counted in floating point, at thrice the time.
    state = (Math.imul((state << 13) | (state >>> 19), 5) + 0xe6546b64) | 0;
  }
  let rest = 0;
  for (let at = view.byteLength - 1; at >= wholeBytes; at--) rest = (rest << 8) | view.getUint8(at);
  return finish(state ^ scramble(rest) ^ view.byteLength);
}

/** Another key for another purpose: equal for equal arguments, unlike for unlike ones. */
export const mixKey = (key: number, salt: number): number =>
  finish(Math.imul(key ^ Math.imul(salt, 0x9e3779b1), 5) + 0xe6546b64);

function scramble(block: number): number {
  const product = Math.imul(block, 0xcc9e2d51);
  return Math.imul((product << 15) | (product >>> 17), 0x1b873593);
}

/** Every bit of the state reaches every bit of the result, which is not negative. */
function finish(state: number): number {
  let mixed = state;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
