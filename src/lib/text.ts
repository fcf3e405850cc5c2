// Validates and shortens text for databases and messages.

/** A UTF-8 database stores only well-formed text without NUL. */
export const isStorable = (text: string): boolean =>
  text.isWellFormed() && !text.includes('\u0000');

/** JSON that a database can store: unpaired surrogates are replaced, and NULs removed. */
export const storableJson = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'string' ? member.toWellFormed().replaceAll('\u0000', '') : member,
  );

/** `1 row`, `2 rows`. */
export const counted = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;

const shortMax = 100;

/** 100 characters, for a message. */
export const shortened = (text: string): string =>
  text.length > shortMax ? `${text.slice(0, shortMax).toWellFormed()}…` : text;

const namedMax = 100;

/** At most 100 names, and the number of the others. */
export const listed = (names: readonly string[]): string =>
  names.length > namedMax
    ? `${names.slice(0, namedMax).join(', ')} and ${names.length - namedMax} more`
    : names.join(', ');

/**
 * Code points are the order of UTF-8 bytes and of names in the tables. JavaScript compares UTF-16
 * units, which differs for surrogate pairs.
 */
export function compareText(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at++) {
    const [a, b] = [one.charCodeAt(at), other.charCodeAt(at)];
    if (a !== b) return rankOf(a) - rankOf(b);
  }
  return one.length - other.length;
}

/** Surrogate pairs sort after all single units. */
const rankOf = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);
