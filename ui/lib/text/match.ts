// Searches by typed words: all of them must occur, in any order and case.

export function matches(text: string, typed: string): boolean {
  const low = text.toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => low.includes(word));
}

/** Sorts matches: prefix of the text, then prefix of a word, then the rest. */
export function ranked<Item>(
  items: readonly Item[],
  typed: string,
  textOf: (item: Item) => string,
): readonly Item[] {
  const low = typed.trim().toLowerCase();
  const rank = (item: Item): number => {
    const text = textOf(item).toLowerCase();
    if (text.startsWith(low)) return 0;
    return text.includes(` ${low}`) ? 1 : 2;
  };
  return items.filter((item) => matches(textOf(item), low)).toSorted((a, b) => rank(a) - rank(b));
}
