// Matches the model names of a bill with the models of gw. Bills use upstream names, dated versions
// (gpt-4o-2024-08-06), display names (Claude Sonnet 4.5) and descriptions of SKUs.

/** Lower case, with one hyphen between words and numbers. */
const normal = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');

/** The date at the end of a version, such as -20250929 or -2024-08-06. */
const withoutDate = (name: string): string =>
  name.replace(/-(?:20\d{6}|20\d{2}-\d{2}-\d{2}|latest)$/, '');

/** Names, by the name that a comparison shows. */
export type ModelNames = ReadonlyMap<string, readonly string[]>;

/**
 * The name that a comparison shows for a name in a bill: the model with this name, else with the
 * same name apart from a date, else with the longest name that is part of the text. Null if none
 * matches.
 */
export function modelMatcher(models: ModelNames): (billed: string) => string | null {
  const exact = new Map<string, string>();
  const undated = new Map<string, string>();
  for (const [shown, names] of models) {
    for (const name of [shown, ...names].map(normal)) {
      if (!exact.has(name)) exact.set(name, shown);
      const bare = withoutDate(name);
      if (!undated.has(bare)) undated.set(bare, shown);
    }
  }
  const longestFirst = [...undated.keys()].toSorted((one, other) => other.length - one.length);
  return (billed) => {
    const name = normal(billed);
    const found = exact.get(name) ?? undated.get(withoutDate(name));
    if (found !== undefined) return found;
    // A name without blanks is an identifier: a part of it would be another model.
    if (!billed.includes(' ')) return null;
    const part = longestFirst.find((one) => one !== '' && `-${name}-`.includes(`-${one}-`));
    return part === undefined ? null : (undated.get(part) ?? null);
  };
}
