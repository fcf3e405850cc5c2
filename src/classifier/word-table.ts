// Reads and writes the table of word vectors of the built-in encoder. A word is its hash, a dimension is four bits, and
// words are sorted from common to rare, so that rare words can weigh more. The format:
//
//   8 bytes "gwwords1", u32 words, u32 dimensions (even), words x i32 hash, words x dimensions / 2 bytes; little endian

import { dot, normalise } from './vector.ts';

const magic = 'gwwords1';
const headerBytes = 16;
const wordsMax = 1_000_000;
const dimensionsMax = 1_024;
/** A nibble holds an integer between minus and plus this value. */
const scale = 7;

export type WordTable = Readonly<{
  dimensions: number;
  /**
   * Adds a word's vector, weighted by its rarity, to the start of `sum`. Returns false for stop
   * words.
   */
  addTo: (sum: Float32Array, hash: number) => boolean;
  /** The component common to all words, weighted by frequency; of length 1. */
  common: Float32Array;
}>;

/**
 * Throws if the bytes are not such a table. It ships with the program, so this is an internal
 * error.
 */
export function readWordTable(bytes: Uint8Array): WordTable {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const name = String.fromCharCode(...bytes.subarray(0, magic.length));
  if (name !== magic) throw new Error('the word table has another file signature');
  const words = view.getUint32(8, true);
  const dimensions = view.getUint32(12, true);
  if (words > wordsMax || dimensions > dimensionsMax || dimensions % 2 !== 0) {
    throw new Error(`the word table has ${words} words of ${dimensions} dimensions`);
  }
  const vectorsAt = headerBytes + words * 4;
  if (bytes.length !== vectorsAt + (words * dimensions) / 2) {
    throw new Error(`the word table has ${bytes.length} bytes for ${words} words`);
  }
  const ranks = rankWords(view, words);
  const cells = unpack(bytes.subarray(vectorsAt));
  const weights = weighWords(cells, words, dimensions);
  const addWord = (sum: Float32Array, rank: number, times: number): void => {
    const from = rank * dimensions;
    const weight = (weights[rank] ?? 0) * times;
    for (let index = 0; index < dimensions; index++) {
      sum[index] = (sum[index] ?? 0) + weight * (cells[from + index] ?? 0);
    }
  };
  const common = new Float32Array(dimensions);
  for (let rank = 0; rank < words; rank++) addWord(common, rank, frequencyAt(rank));
  normalise(common);
  return {
    dimensions,
    common,
    addTo: (sum, hash) => {
      const rank = ranks(hash);
      if (rank === -1) return true;
      if (rank < commonWords) return false;
      addWord(sum, rank, 1);
      return true;
    },
  };
}

/** Stop words: about half of all words of a text. */
const commonWords = 100;

/** Zipf's law: the share of a text's words that have this rank. */
const frequencyAt = (rank: number): number => 1 / ((rank + 2) * 12.1);

/**
 * Arora, Liang and Ma, "A simple but tough-to-beat baseline for sentence embeddings": frequent
 * words weigh less.
 */
const rareFrom = 1e-4;

/** The weight of each word's cells, which scales the vector to length 1 and then by rarity. */
function weighWords(cells: Int8Array, words: number, dimensions: number): Float32Array {
  const weights = new Float32Array(words);
  for (let rank = 0; rank < words; rank++) {
    const own = cells.subarray(rank * dimensions, (rank + 1) * dimensions);
    const length = Math.sqrt(dot(own, own)) || 1;
    weights[rank] = rareFrom / (rareFrom + frequencyAt(rank)) / length;
  }
  return weights;
}

/** Finds the rank of a hash, or -1. Open addressing, at most half full. */
function rankWords(view: DataView, words: number): (hash: number) => number {
  let size = 16;
  while (size < words * 2) size *= 2;
  const mask = size - 1;
  const hashes = new Int32Array(words);
  const slots = new Int32Array(size).fill(-1);
  for (let rank = 0; rank < words; rank++) {
    const hash = view.getInt32(headerBytes + rank * 4, true);
    hashes[rank] = hash;
    let slot = hash & mask;
    while (slots[slot] !== -1) slot = (slot + 1) & mask;
    slots[slot] = rank;
  }
  return (hash) => {
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const rank = slots[slot] ?? -1;
      if (rank === -1 || hashes[rank] === hash) return rank;
    }
  };
}

function unpack(packed: Uint8Array): Int8Array {
  const cells = new Int8Array(packed.length * 2);
  for (let at = 0; at < packed.length; at++) {
    const byte = packed[at] ?? 0;
    cells[at * 2] = (byte & 0xf) - scale - 1;
    cells[at * 2 + 1] = (byte >> 4) - scale - 1;
  }
  return cells;
}

/** `words` is sorted from the most common to the rarest, each hash once. */
export function writeWordTable(
  words: readonly Readonly<{ hash: number; vector: readonly number[] }>[],
): Uint8Array {
  const dimensions = words[0]?.vector.length ?? 0;
  const vectorsAt = headerBytes + words.length * 4;
  const bytes = new Uint8Array(vectorsAt + (words.length * dimensions) / 2);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < magic.length; at++) bytes[at] = magic.charCodeAt(at);
  view.setUint32(8, words.length, true);
  view.setUint32(12, dimensions, true);
  for (const [rank, { hash, vector }] of words.entries()) {
    view.setInt32(headerBytes + rank * 4, hash, true);
    const greatest = Math.max(...vector.map(Math.abs)) || 1;
    const nibbles = vector.map((value) => Math.round((value / greatest) * scale) + scale + 1);
    for (let index = 0; index < dimensions; index += 2) {
      const at = vectorsAt + (rank * dimensions + index) / 2;
      bytes[at] = (nibbles[index] ?? 0) | ((nibbles[index + 1] ?? 0) << 4);
    }
  }
  return bytes;
}
