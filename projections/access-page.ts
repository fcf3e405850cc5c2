// A page of the access review. A row has all keys of its principal, so that the number of rows alone bounds nothing.

import type { AccessRow } from './access-review.ts';

/** With the row that brings it to so many, a page ends. */
export const pageKeysMax = 100_000;

/** Asks for no more rows than it needs. */
export function accessPage<Row extends Pick<AccessRow, 'keys'>>(
  found: Iterable<Row>,
  rowsMax: number,
): Readonly<{ rows: readonly Row[]; hasMore: boolean }> {
  const rows: Row[] = [];
  let keys = 0;
  for (const row of found) {
    if (rows.length === rowsMax || keys >= pageKeysMax) return { rows, hasMore: true };
    rows.push(row);
    keys += row.keys.length;
  }
  return { rows, hasMore: false };
}
