// Computes SHA-256 (FIPS 180-4) synchronously. The asynchronous Web Crypto call costs several times the hash itself for a million short
// texts.

const encoder = new TextEncoder();

export type Sha256 = Readonly<{
  update: (bytes: Uint8Array) => void;
  /** 64 hex digits. Input after this call starts a new hash. */
  hex: () => string;
}>;

const rounds = 64;
const blockBytes = 64;
const lengthBytes = 8;

export function createSha256(): Sha256 {
  const state = Int32Array.from(initial);
  const block = new Uint8Array(blockBytes);
  const words = new Int32Array(rounds);
  let held = 0;
  let total = 0;
  const update = (bytes: Uint8Array): void => {
    total += bytes.length;
    let read = 0;
    while (read < bytes.length) {
      if (held === 0 && bytes.length - read >= blockBytes) {
        compress(state, words, bytes, read);
        read += blockBytes;
        continue;
      }
      const taken = Math.min(blockBytes - held, bytes.length - read);
      block.set(bytes.subarray(read, read + taken), held);
      held += taken;
      read += taken;
      if (held < blockBytes) return;
      compress(state, words, block, 0);
      held = 0;
    }
  };
  const finish = (): void => {
    block[held] = 0x80;
    block.fill(0, held + 1);
    if (held >= blockBytes - lengthBytes) {
      compress(state, words, block, 0);
      block.fill(0);
    }
    new DataView(block.buffer).setBigUint64(blockBytes - lengthBytes, BigInt(total) * 8n);
    compress(state, words, block, 0);
  };
  return {
    update,
    hex: () => {
      finish();
      let digits = '';
      for (const word of state) digits += (word >>> 0).toString(16).padStart(8, '0');
      state.set(initial);
      held = 0;
      total = 0;
      return digits;
    },
  };
}

export type Digest = (data: string | Uint8Array) => string;

/** Hashes one text after another, each as UTF-8, into 64 hex digits. */
export function createDigest(): Digest {
  const hash = createSha256();
  return (data) => {
    hash.update(typeof data === 'string' ? encoder.encode(data) : data);
    return hash.hex();
  };
}

/** The first 32 bits of the fractional part of a root. */
const fraction = (root: number): number => Math.floor((root - Math.floor(root)) * 2 ** 32) | 0;

const primes: readonly number[] = Array.from({ length: 312 }, (_, number) => number).filter(
  (number) =>
    number > 1 &&
    Array.from({ length: number }, (_, by) => by)
      .slice(2)
      .every((by) => number % by),
);
const initial = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const constants = Int32Array.from(primes.slice(0, rounds), (prime) => fraction(Math.cbrt(prime)));

const turned = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

/** All indexes are within bounds. Words and bytes have separate functions, so that the engine optimizes each for one type. */
const at = (words: Int32Array, index: number): number => words[index] ?? 0;
const byteAt = (bytes: Uint8Array, index: number): number => bytes[index] ?? 0;

/** Iterators and lists would make it ten times slower. */
function compress(state: Int32Array, words: Int32Array, bytes: Uint8Array, from: number): void {
  spread(words, bytes, from);
  let a = at(state, 0);
  let b = at(state, 1);
  let c = at(state, 2);
  let d = at(state, 3);
  let e = at(state, 4);
  let f = at(state, 5);
  let g = at(state, 6);
  let h = at(state, 7);
  for (let round = 0; round < rounds; round += 1) {
    const mixed = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const chosen = (e & f) ^ (~e & g);
    const one = (h + mixed + chosen + at(constants, round) + at(words, round)) | 0;
    const other = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + other) | 0;
  }
  state[0] = at(state, 0) + a;
  state[1] = at(state, 1) + b;
  state[2] = at(state, 2) + c;
  state[3] = at(state, 3) + d;
  state[4] = at(state, 4) + e;
  state[5] = at(state, 5) + f;
  state[6] = at(state, 6) + g;
  state[7] = at(state, 7) + h;
}

function spread(words: Int32Array, bytes: Uint8Array, from: number): void {
  for (let word = 0; word < 16; word += 1) {
    const byte = from + word * 4;
    const high = (byteAt(bytes, byte) << 24) | (byteAt(bytes, byte + 1) << 16);
    words[word] = high | (byteAt(bytes, byte + 2) << 8) | byteAt(bytes, byte + 3);
  }
  for (let word = 16; word < rounds; word += 1) {
    const early = at(words, word - 15);
    const late = at(words, word - 2);
    const small = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
    const large = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
    words[word] = at(words, word - 16) + small + at(words, word - 7) + large;
  }
}
