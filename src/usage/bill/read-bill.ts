// Reads a provider's bill in any known format. A bill with an invalid line is refused whole,
// because its sums would be wrong.

import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { ComparisonPeriod } from './compare.ts';
import type { BillLine, BillProblem } from './line.ts';
import { readCsvBill } from './read-csv.ts';
import type { BillRead, CsvOptions } from './read-csv.ts';
import { readJsonBill } from './read-json.ts';

/** In UTF-16 units. */
export const billLengthMax = 8 * 1024 * 1024;
const linesMax = 200_000;
const problemsShown = 10;

export type Bill = Readonly<{
  format: string;
  lines: readonly BillLine[];
  skippedLines: number;
}>;

export function readBill(
  text: string,
  options: CsvOptions & Readonly<{ by: ComparisonPeriod }>,
): Bill | Refusal {
  const { format, lines, problems, skippedLines } = read(text, options);
  const wide = lines.find((line) => isWider(line, options.by));
  if (problems.length > 0) return refuse('invalid', problemsText(problems), { param: 'content' });
  if (lines.length === 0) return refuse('invalid', 'content: has no charge', { param: 'content' });
  if (lines.length > linesMax) {
    const message = `content: has ${lines.length} lines; the maximum is ${linesMax}`;
    return refuse('invalid', message, { param: 'content' });
  }
  if (wide !== undefined) {
    const message = `content: a line covers ${wide.day} to ${wide.lastDay}; export the bill by day, or compare by month`;
    return refuse('invalid', message, { param: 'by' });
  }
  return { format, lines, skippedLines };
}

function read(text: string, options: CsvOptions): BillRead {
  if (!/^\uFEFF?\s*[{[]/.test(text)) return readCsvBill(text, options);
  try {
    return readJsonBill(JSON.parse(text.replace(/^\uFEFF/, '')));
  } catch {
    const problem = { place: 'file', message: 'the file is not valid JSON' };
    return { format: 'unknown', lines: [], problems: [problem], skippedLines: 0 };
  }
}

const isWider = ({ day, lastDay }: BillLine, by: ComparisonPeriod): boolean =>
  by === 'day' ? day !== lastDay : day.slice(0, 7) !== lastDay.slice(0, 7);

function problemsText(problems: readonly BillProblem[]): string {
  const shown = problems
    .slice(0, problemsShown)
    .map(({ place, message }) => `${place}: ${message}`);
  const rest = problems.length - shown.length;
  return `content: ${shown.join('; ')}${rest === 0 ? '' : `; and ${rest} more`}`;
}
