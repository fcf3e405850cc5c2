// Reads a bill in CSV. Finds the header line, the format and the columns.

import { csvRecords, withoutFormulaGuard } from '../../lib/csv.ts';
import type { CsvRecord } from '../../lib/csv.ts';
import { scaleDecimal } from '../../lib/decimal.ts';
import { shortened } from '../../lib/text.ts';
import { billFields, csvFormats } from './formats.ts';
import type { BillField, CsvFormat, CsvFormatName } from './formats.ts';
import { dayOf, lastDayOf, readAmount, readTime } from './line.ts';
import type { BillLine, BillProblem } from './line.ts';

/** The names of columns that the caller chose, by field. */
export type ChosenColumns = Readonly<Partial<Record<BillField, string | undefined>>>;

export type BillRead = Readonly<{
  format: string;
  lines: readonly BillLine[];
  problems: readonly BillProblem[];
  /** Lines without an amount. */
  skippedLines: number;
}>;

export type CsvOptions = Readonly<{
  /** Null recognises the format by its columns. */
  format: CsvFormatName | null;
  columns: ChosenColumns;
  /** For lines without a currency. */
  currency: string;
}>;

/** Bills of Google begin with some lines about the invoice. */
const linesBeforeHeaderMax = 30;

type Places = Readonly<Record<BillField, number | null>>;
type Header = Readonly<{ format: CsvFormat; places: Places }>;

export function readCsvBill(text: string, options: CsvOptions): BillRead {
  const problems: BillProblem[] = [];
  const records = csvRecords(text, (line) => {
    problems.push({ place: `line ${line}`, message: 'a quoted cell is not closed' });
  });
  const before: CsvRecord[] = [];
  const lines: BillLine[] = [];
  let header: Header | null = null;
  let skippedLines = 0;
  let { currency } = options;
  for (const record of records) {
    if (header === null) {
      header = headerIn(record.cells, options);
      if (header === null && before.push(record) > linesBeforeHeaderMax) break;
      if (header !== null) currency = currencyBefore(before) ?? currency;
      continue;
    }
    const read = readLine(record, header, currency);
    if (read === null) skippedLines += 1;
    else if ('message' in read) problems.push(read);
    else lines.push(read);
  }
  if (header === null) problems.push(noHeader(before, options));
  return { format: header?.format.name ?? 'unknown', lines, problems, skippedLines };
}

function headerIn(cells: readonly string[], { format, columns }: CsvOptions): Header | null {
  // A file whose columns the caller names has no known format.
  const wanted = format ?? (Object.keys(columns).length > 0 ? 'generic' : null);
  const names = cells.map((cell) => withoutFormulaGuard(cell).trim().toLowerCase());
  const placeOf = (patterns: readonly RegExp[]): number | null => {
    for (const pattern of patterns) {
      const place = names.findIndex((name) => pattern.test(name));
      if (place >= 0) return place;
    }
    return null;
  };
  for (const one of csvFormats.filter(({ name }) => wanted === null || name === wanted)) {
    const find = (field: BillField): number | null => {
      const chosen = columns[field];
      if (chosen === undefined) return placeOf(one.columns[field]);
      const place = names.indexOf(chosen.trim().toLowerCase());
      return place < 0 ? null : place;
    };
    const places = {
      date: find('date'),
      end: find('end'),
      model: find('model'),
      amount: find('amount'),
      currency: find('currency'),
      tokens: find('tokens'),
      unit: find('unit'),
    };
    const isMissing = billFields.some(
      (field) => columns[field] !== undefined && places[field] === null,
    );
    const isMarked = one.marks.every((mark) => placeOf([mark]) !== null);
    const isFound = places.date !== null && places.amount !== null && isMarked && !isMissing;
    if (isFound) return { format: one, places };
  }
  return null;
}

/** Google states the currency of the invoice before the table. */
const currencyBefore = (records: readonly CsvRecord[]): string | null =>
  records.find(({ cells }) => cells[0]?.toLowerCase() === 'currency')?.cells[1]?.trim() ?? null;

function noHeader([first]: readonly CsvRecord[], { format }: CsvOptions): BillProblem {
  const found = first === undefined ? 'nothing' : shortened(first.cells.join(', '));
  const wanted = format === null ? 'a known format' : `the format ${format}`;
  const message = `no line has the columns of ${wanted}, found ${found}; name the columns of the date, the model and the amount`;
  return { place: `line ${first?.line ?? 1}`, message };
}

/** Null if the line has no amount. */
function readLine(
  { line, cells }: CsvRecord,
  { format, places }: Header,
  currency: string,
): BillLine | BillProblem | null {
  const cellOf = (field: BillField): string => {
    const place = places[field];
    return place === null ? '' : withoutFormulaGuard(cells[place] ?? '').trim();
  };
  const wrong = (field: BillField, rule: string): BillProblem => ({
    place: `line ${line}`,
    message: `${field} must be ${rule}, was ${JSON.stringify(shortened(cellOf(field)))}`,
  });
  const amount = cellOf('amount');
  if (amount === '' && cells.length > 1) return null;
  const startMs = readTime(cellOf('date'));
  if (startMs === null) return wrong('date', 'a date such as 2026-11-23');
  const endMs = cellOf('end') === '' ? startMs : readTime(cellOf('end'));
  if (endMs === null) return wrong('end', 'a date such as 2026-11-23');
  const picos = readAmount(amount);
  if (picos === null) return wrong('amount', 'a decimal number');
  const named = (cellOf('currency') || currency).toUpperCase();
  if (!/^[A-Z]{3}$/.test(named)) return wrong('currency', 'a code of three letters such as USD');
  const unit = cellOf('unit').toLowerCase();
  const tokens = unit === '' || unit === 'tokens' ? scaleDecimal(cellOf('tokens'), 0) : null;
  const day = dayOf(startMs);
  const lastDay = format.isEndIncluded ? dayOf(endMs) : lastDayOf(startMs, endMs);
  const model = format.modelIn(cellOf('model'));
  return { day, lastDay, model: model === '' ? null : model, currency: named, picos, tokens };
}
