// Makes the word table of the built-in encoder of word vectors in GloVe's text format (a word and its numbers a line, the most
// common first): node scripts/build-word-table.ts glove.6B.50d.txt 100000. The one in the tree is of the 50-dimensional vectors
// of Pennington, Socher and Manning trained on Wikipedia 2014 and Gigaword 5, which are in the public domain (PDDL 1.0).

import { createReadStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv } from 'node:process';
import { createInterface } from 'node:readline';

import { hashOf, isWordUnit, spelled } from '../src/classifier/tokens.ts';
import { writeWordTable } from '../src/classifier/word-table.ts';

const tablePath = join(import.meta.dirname, '../src/classifier/english.words');

const [, , source, count = '100000'] = argv;
if (source === undefined)
  throw new Error('usage: build-word-table.ts <file of word vectors> <number of words>');
const words = new Map<number, { hash: number; vector: number[] }>();
for await (const line of createInterface({ input: createReadStream(source) })) {
  const [word = '', ...numbers] = line.split(' ');
  const isWord = Array.from({ length: word.length }).every((_, at) =>
    isWordUnit(word.charCodeAt(at)),
  );
  const hash = hashOf(word);
  // Omits words that tokenization never yields. Of two words with the same hash, the more common one is kept.
  if (!isWord || word === '' || word !== spelled(word) || words.has(hash)) continue;
  words.set(hash, { hash, vector: numbers.map(Number) });
  if (words.size === Number(count)) break;
}
writeFileSync(tablePath, writeWordTable([...words.values()]));
