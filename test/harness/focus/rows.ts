// Reads the rows of a FOCUS file.

import assert from 'node:assert/strict';

import { csvRecords, withoutFormulaGuard } from '../../../src/lib/csv.ts';

export type FocusRow = Readonly<Record<string, string>>;

const fail = (line: number): never => assert.fail(`line ${line} is not CSV`);

export function focusRows(text: string): FocusRow[] {
  const [head, ...rows] = [...csvRecords(text, fail)];
  return rows.map(({ cells }) =>
    Object.fromEntries(
      (head?.cells ?? []).map((name, at) => [name, withoutFormulaGuard(cells[at] ?? '')]),
    ),
  );
}

/** The sum of a decimal column in millionths; empty cells are skipped. */
export const sumOf = (rows: readonly FocusRow[], column: string): number =>
  rows.reduce((sum, row) => sum + Math.round(Number(row[column] ?? 0) * 1_000_000), 0);
