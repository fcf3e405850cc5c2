// Finds the end of a JSON string in WebAssembly, 16 bytes at a time. In text with many escapes, such as source code, a loop
// in JavaScript takes several times as long.

import { compileFinder } from './string-end-module.ts';

/** Bytes are searched in a copy. The first copy is small, because most strings are short. */
const firstBytes = 1024;
const nextBytes = 64 * 1024;

const memory = new WebAssembly.Memory({ initial: nextBytes / (64 * 1024) + 1 });
const window = Buffer.from(memory.buffer);
const find = compileFinder(memory);

/**
 * `from` is an offset inside the string, and not that of an escaped character. Returns the offset after the closing quote,
 * or -1.
 */
export function endOfString(bytes: Buffer, from: number): number {
  let isEscaped = 0;
  for (let at = from, copied = firstBytes; at < bytes.length; at += copied, copied = nextBytes) {
    const length = bytes.copy(window, 0, at, at + copied);
    const found = find(length, isEscaped);
    // After the last byte, the window has bytes of earlier strings.
    if (found >= 0) return found < length ? at + found + 1 : -1;
    isEscaped = -1 - found;
  }
  return -1;
}
