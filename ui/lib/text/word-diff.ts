// Finds the words that differ between two texts: everything between their common start and end.

export type Piece = Readonly<{ text: string; isOther: boolean }>;

export type WordDiff = Readonly<{ before: readonly Piece[]; after: readonly Piece[] }>;

/** If the texts share neither start nor end, nothing is marked. */
export function wordDiff(before: string, after: string): WordDiff {
  const [old, now] = [wordsOf(before), wordsOf(after)];
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < most - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  return { before: piecesOf(old, start, end), after: piecesOf(now, start, end) };
}

const wordsOf = (text: string): readonly string[] => text.split(/(\s+)/);

function piecesOf(words: readonly string[], start: number, end: number): readonly Piece[] {
  const isMarked = start + end > 0;
  const to = words.length - end;
  return [
    { text: words.slice(0, start).join(''), isOther: false },
    { text: words.slice(start, to).join(''), isOther: isMarked },
    { text: words.slice(to).join(''), isOther: false },
  ].filter(({ text }) => text !== '');
}
