// Finds things by what a person types: every word of it must be in the text, in any order and case.

export function matches(text: string, typed: string): boolean {
  const low = text.toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => low.includes(word));
}

/** Better first: what begins with it, then what has a word that does, then the rest. */
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
