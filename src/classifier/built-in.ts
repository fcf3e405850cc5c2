// Embeds texts for the fast tier with the built-in encoder. One part of the vector is the mean of
// the word vectors from the table, minus the component common to all texts. The other hashes the
// words and parts of words, so that examples can teach names and languages that the table does not
// know. bench/RESULTS.md lists its accuracy.

import { textMax } from './encoder.ts';
import type { Encoder, Vector } from './encoder.ts';
import { hashEnd, hashNext, hashStart, isWordUnit, spelled } from './tokens.ts';
import { dot, normalise } from './vector.ts';
import type { WordTable } from './word-table.ts';

/** Must be a power of two. */
const spellingDimensions = 512;
/** Relative to the length of the part from the table. */
const spellingWeight = 0.5;
const wholeWeight = 1;
const partWeight = 0.3;
const partUnits = 4;
/**
 * From this code unit on, scripts have no blanks between words, and two or three characters count
 * as a word.
 */
const denseFrom = 0x2e80;
const densePartUnits = 2;
/** Marks the ends of a word, so that its beginning differs from parts in its middle. */
const edge = 0x20;

/** `identity` names the table, because another table makes other vectors. */
export function createBuiltInEncoder(table: WordTable, identity: string): Encoder {
  const dimensions = table.dimensions + spellingDimensions;
  // Reused for each text. Normalising a text may make it longer.
  const units = new Uint16Array(textMax * 4 + 2);
  return {
    identity,
    dimensions,
    embed: (text) => {
      const vector = new Float32Array(dimensions);
      const meaning = vector.subarray(0, table.dimensions);
      const spelling = vector.subarray(table.dimensions);
      const end = readUnits(spelled(text.slice(0, textMax)), units);
      const parts = { meaning, spelling };
      // If a text has only common words, use those.
      if (!addWords(units, end, table, parts)) addWords(units, end, everyWord, parts);
      return finish(vector, meaning, spelling, table.common);
    },
  };
}

type Parts = Readonly<{ meaning: Float32Array; spelling: Float32Array }>;

/**
 * Replaces everything between words by an edge, and adds one before the first word and one after
 * the last.
 */
function readUnits(text: string, units: Uint16Array): number {
  const length = Math.min(text.length, units.length - 2);
  let hasWords = false;
  units[0] = edge;
  for (let at = 0; at < length; at++) {
    const unit = text.charCodeAt(at);
    const isWord = isWordUnit(unit);
    units[at + 1] = isWord ? unit : edge;
    hasWords ||= isWord;
  }
  // Without any words, treat signs and pictures as words.
  if (!hasWords) for (let at = 0; at < length; at++) units[at + 1] = text.charCodeAt(at);
  units[length + 1] = edge;
  return length + 1;
}

const everyWord: Pick<WordTable, 'addTo'> = { addTo: () => true };

/** Returns true if any word was not a stop word. */
function addWords(
  units: Uint16Array,
  end: number,
  table: Pick<WordTable, 'addTo'>,
  parts: Parts,
): boolean {
  let hasWords = false;
  for (let at = 1; at < end;) {
    if ((units[at] ?? 0) <= edge) {
      at++;
      continue;
    }
    const start = at;
    let hash = hashStart;
    for (; (units[at] ?? 0) > edge; at++) hash = hashNext(hash, units[at] ?? 0);
    const whole = hashEnd(hash);
    if (!table.addTo(parts.meaning, whole)) continue;
    hasWords = true;
    addFeature(parts.spelling, whole, wholeWeight);
    addParts(units, start - 1, at + 1, parts.spelling);
  }
  return hasWords;
}

/** Adds the parts of a word, including its ends: those of `count` units and of one more. */
function addParts(units: Uint16Array, start: number, end: number, spelling: Float32Array): void {
  const count = (units[start + 1] ?? 0) < denseFrom ? partUnits : densePartUnits;
  for (let from = start; from + count <= end; from++) {
    let hash = hashStart;
    for (let at = from; at < from + count; at++) hash = hashNext(hash, units[at] ?? 0);
    addFeature(spelling, hashEnd(hash), partWeight);
    if (from + count < end) {
      addFeature(spelling, hashEnd(hashNext(hash, units[from + count] ?? 0)), partWeight);
    }
  }
}

/** Colliding features have independent signs, so that they do not always add up. */
function addFeature(spelling: Float32Array, hash: number, weight: number): void {
  const at = hash & (spellingDimensions - 1);
  spelling[at] = (spelling[at] ?? 0) + (hash < 0 ? weight : -weight);
}

function finish(
  vector: Float32Array,
  meaning: Float32Array,
  spelling: Float32Array,
  common: Float32Array,
): Vector | null {
  const share = dot(meaning, common);
  for (let index = 0; index < meaning.length; index++) {
    meaning[index] = (meaning[index] ?? 0) - share * (common[index] ?? 0);
  }
  normalise(meaning);
  // Dampens repetition: ten occurrences must not count ten times.
  for (let index = 0; index < spelling.length; index++) {
    const value = spelling[index] ?? 0;
    spelling[index] = Math.sign(value) * Math.sqrt(Math.abs(value));
  }
  if (normalise(spelling)) {
    for (let index = 0; index < spelling.length; index++) {
      spelling[index] = (spelling[index] ?? 0) * spellingWeight;
    }
  }
  return normalise(vector) ? vector : null;
}
