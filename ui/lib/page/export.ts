// Writes the rows of a table to files page by page, so that a long list is not in memory twice.

export type Exported = Readonly<Record<string, unknown>>;

export type FileFormat = 'csv' | 'json' | 'ndjson';

/** For browsers and spreadsheets. */
const fileRowsMax = 100_000;

type Asked = Readonly<{
  format: FileFormat;
  /** For CSV. */
  columns: readonly string[];
  /** Rows arrive newest first, but lines are written in order of time. */
  isNewestFirst?: boolean;
  /** Called with the number of rows so far. */
  onRows?: (rows: number) => void;
  max?: number;
}>;

/** `isCut`: there are more rows than one file takes. The parts form one text. */
export type Written = Readonly<{ parts: readonly string[]; rows: number; isCut: boolean }>;

export async function writeRows(
  pages: AsyncIterable<readonly Exported[]> | Iterable<readonly Exported[]>,
  { format, columns, isNewestFirst = false, onRows = () => {}, max = fileRowsMax }: Asked,
): Promise<Written> {
  const writer = writers[format](columns);
  const parts: string[] = [];
  let rows = 0;
  let isCut = false;
  for await (const page of pages) {
    if (rows === max && page.length > 0) {
      isCut = true;
      break;
    }
    const taken = page.slice(0, max - rows);
    if (taken.length > 0) parts.push(writer.rows(taken, rows === 0));
    rows += taken.length;
    onRows(rows);
    isCut = taken.length < page.length;
    if (isCut) break;
  }
  const isTurned = format === 'ndjson' && isNewestFirst;
  const body = isTurned ? parts.toReversed().map(turned) : parts;
  return { parts: [writer.head, ...body, writer.tail], rows, isCut };
}

const turned = (text: string): string => `${text.trimEnd().split('\n').toReversed().join('\n')}\n`;

type Writer = Readonly<{
  head: string;
  rows: (rows: readonly Exported[], isFirst: boolean) => string;
  tail: string;
}>;

const writers: Readonly<Record<FileFormat, (columns: readonly string[]) => Writer>> = {
  csv: (columns) => ({
    head: csvLine(columns),
    rows: (rows) => rows.map((row) => csvLine(columns.map((name) => csvText(row[name])))).join(''),
    tail: '',
  }),
  json: () => ({
    head: '[',
    rows: (rows, isFirst) =>
      `${isFirst ? '\n' : ',\n'}${rows.map((row) => JSON.stringify(row)).join(',\n')}`,
    tail: '\n]\n',
  }),
  ndjson: () => ({
    head: '',
    rows: (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
    tail: '',
  }),
};

/** RFC 4180. Cells that a spreadsheet would run as formulas are written as text. */
const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`;

const csvText = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return JSON.stringify(value);
};

const csvCell = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
