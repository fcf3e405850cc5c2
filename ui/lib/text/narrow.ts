// Filters a list to the records of another record, by id, because names can share prefixes.

/** All rows without an owner. */
export const narrowed = <Row>(
  rows: readonly Row[],
  asked: string,
  ownersOf: (row: Row) => readonly (string | number | null)[],
): readonly Row[] =>
  asked === '' ? rows : rows.filter((row) => ownersOf(row).some((one) => String(one) === asked));
