// Writes and reads CSV (RFC 4180). Cells that a spreadsheet would read as a formula become text
// (OWASP, "CSV Injection").

export type CsvCell = string | number | null;

/** A decimal number cannot be a formula, even with a minus sign. */
const number = /^-?\d+(?:\.\d+)?$/;
const formula = /^[=+\-@\t\r\n]/;

/** Null is an empty cell. */
export function csvCell(value: CsvCell): string {
  const text = value === null ? '' : String(value);
  const safe = formula.test(text) && !number.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const csvLine = (cells: readonly CsvCell[]): string => `${cells.map(csvCell).join(',')}\r\n`;

/** The text that `csvCell` was given: the apostrophe before a formula is removed. */
export const withoutFormulaGuard = (cell: string): string =>
  cell.startsWith("'") && formula.test(cell.slice(1)) ? cell.slice(1) : cell;

/** The cells of a record, and the line where it starts. The first line is 1. */
export type CsvRecord = Readonly<{ line: number; cells: readonly string[] }>;

/** A quoted or a plain cell with the separator, line break or end of text that follows it. */
const cellPattern = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n][^,\r\n]*|))(,|\r\n|\r|\n|$)/y;

/**
 * The records of a text; empty lines are skipped. `malformed` is called with the line of a quoted
 * cell that does not end, or that is followed by other text; reading stops there.
 */
export function* csvRecords(
  text: string,
  malformed: (line: number) => void,
): Generator<CsvRecord, void, undefined> {
  const pattern = new RegExp(cellPattern);
  // A byte order mark is not part of the first cell.
  pattern.lastIndex = text.startsWith('\uFEFF') ? 1 : 0;
  let line = 1;
  let start = 1;
  let cells: string[] = [];
  while (pattern.lastIndex < text.length || cells.length > 0) {
    const found = pattern.exec(text);
    if (found === null) {
      malformed(line);
      return;
    }
    const [, quoted, plain = '', end = ''] = found;
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    line += breaksIn(quoted ?? '') + (end === ',' || end === '' ? 0 : 1);
    if (end === ',') continue;
    if (cells.length > 1 || cells[0] !== '') yield { line: start, cells };
    cells = [];
    start = line;
  }
}

const breaksIn = (text: string): number => text.match(/\r\n|\r|\n/g)?.length ?? 0;
