// How a list of the command line says that it goes on: by the command that prints the next page, on standard error, because standard output
// is the list alone.

/** A flag and what was given for it. */
export type GivenFlag = readonly [flag: string, value: string | undefined];

/** At most `limit` of the rows, of which one more was asked for; `next` are the words of the command behind them. */
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

/** For people, as a shell reads it. With --json one line of JSON, the words in a list: `{"next":["gw","history","events",…,"--json"]}`. */
export const nextLine = (words: readonly string[], isJson: boolean): string =>
  isJson
    ? `${JSON.stringify({ next: [...words, '--json'] })}\n`
    : `there are more: ${words.map(shellWord).join(' ')}\n`;

/** POSIX shell, 2.2.2: nothing is read in single quotes but their end. */
const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
