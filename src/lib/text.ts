// What is asked of text in general: that a database can hold it, and that a message is not too long for it.

/** As a database of UTF-8 holds it: well-formed, and without NUL. */
export const isStorable = (text: string): boolean =>
  text.isWellFormed() && !text.includes('\u0000');

const shortMax = 100;

/** For a message: at most 100 characters of it. */
export const shortened = (text: string): string =>
  text.length > shortMax ? `${text.slice(0, shortMax).toWellFormed()}…` : text;

const namedMax = 100;

/** For a message: at most 100 of the names, and how many more there are. */
export const listed = (names: readonly string[]): string =>
  names.length > namedMax
    ? `${names.slice(0, namedMax).join(', ')} and ${names.length - namedMax} more`
    : names.join(', ');

/**
 * Orders texts by their code points, which is the order of their bytes in UTF-8 and that of names in the tables. JavaScript's own goes
 * by halves of surrogate pairs.
 */
export function compareText(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at++) {
    const [a, b] = [one.charCodeAt(at), other.charCodeAt(at)];
    if (a !== b) return rankOf(a) - rankOf(b);
  }
  return one.length - other.length;
}

/** A pair stands for what lies behind all that one unit can be. */
const rankOf = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);
