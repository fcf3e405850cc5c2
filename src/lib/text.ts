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
