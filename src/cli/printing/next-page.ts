// Prints the command for the next page of a list, on standard error because standard output holds only the list.

export type GivenFlag = readonly [flag: string, value: string | undefined];

/** At most `limit` rows; `found` may have one more. `next` is the command for the next page. */
export function pageOf<Row>(
  found: readonly Row[],
  limit: number,
  next: (last: Row) => readonly string[],
): Readonly<{ rows: readonly Row[]; next: readonly string[] | null }> {
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  return { rows, next: last === undefined ? null : next(last) };
}

export const commandWords = (path: readonly string[], flags: readonly GivenFlag[]): string[] => [
  'gw',
  ...path,
  ...flags.flatMap(([flag, value]) => (value === undefined ? [] : [flag, value])),
];

/** Shell syntax, or with --json a list: `{"next":["gw","history","events",…,"--json"]}`. */
export const nextLine = (words: readonly string[], isJson: boolean): string =>
  isJson
    ? `${JSON.stringify({ next: [...words, '--json'] })}\n`
    : `there are more: ${words.map(shellWord).join(' ')}\n`;

/** Single quotes preserve every character (POSIX Shell 2.2.2). */
const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
