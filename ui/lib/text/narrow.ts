// A list of what belongs to one other record alone, as its address asks for it: by id and not by name, which other names begin with.

/** The rows whose owners are asked for; all of them where none is. */
export const narrowed = <Row>(
  rows: readonly Row[],
  asked: string,
  ownersOf: (row: Row) => readonly (string | number | null)[],
): readonly Row[] =>
  asked === '' ? rows : rows.filter((row) => ownersOf(row).some((one) => String(one) === asked));
