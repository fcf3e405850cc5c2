// Reads pages of the access review. A row contains all keys of its principal, so a page is bounded
// by rows and by keys.

import type { AccessRow } from './access-review.ts';

/** A page ends with the row that reaches this number of keys. */
export const pageKeysMax = 100_000;

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
