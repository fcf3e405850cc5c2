// The built-in encoder of the fast tier. Its vector has two parts: the mean of the words' vectors from the table, less what
// every text has in common, and beside it the text's own words and parts of words, hashed, by which examples teach it names
// and languages that the table does not know. How it does on labelled prompts: bench/RESULTS.md.

import { textMax } from './encoder.ts';
import type { Encoder, Vector } from './encoder.ts';
import { hashEnd, hashNext, hashStart, isWordUnit, spelled } from './tokens.ts';
import { dot, normalise } from './vector.ts';
import type { WordTable } from './word-table.ts';

/** A power of two. */
const spellingDimensions = 512;
/** Of the length of the part that the table makes. */
const spellingWeight = 0.5;
const wholeWeight = 1;
const partWeight = 0.3;
const partUnits = 4;
/** Where no blanks stand between words, two or three characters are a word. */
const denseFrom = 0x2e80;
const densePartUnits = 2;
/** Between the ends of a word, so that its beginning is not any part of it. */
const edge = 0x20;

/** `identity` names the table: another one makes other vectors. */
export function createBuiltInEncoder(table: WordTable, identity: string): Encoder {
  const dimensions = table.dimensions + spellingDimensions;
  // Of one text at a time, written anew for each. Spelling a text differently may make it longer.
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
      // Of a text of common words alone, those are all there is.
      if (!addWords(units, end, table, parts)) addWords(units, end, everyWord, parts);
      return finish(vector, meaning, spelling, table.common);
    },
  };
}

type Parts = Readonly<{ meaning: Float32Array; spelling: Float32Array }>;

/** Everything between words becomes an edge; there is one before the first word and one behind the last. */
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
  // Signs and pictures are words when the text has no others.
  if (!hasWords) for (let at = 0; at < length; at++) units[at + 1] = text.charCodeAt(at);
  units[length + 1] = edge;
  return length + 1;
}

const everyWord: Pick<WordTable, 'addTo'> = { addTo: () => true };

/** Whether there was any that says something. */
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

/** The parts of a word with the edges at its ends: those of so many units, and those of one more. */
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

/** Features that meet in one place have signs of their own, so that they do not always add up. */
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
  // What is said ten times does not count ten times.
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
