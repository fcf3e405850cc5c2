// Writes what a table shows as files for other programs.

export type Exported = Readonly<Record<string, unknown>>;

/** RFC 4180. A cell that a spreadsheet would run as a formula is written as text. */
export function toCsv(columns: readonly string[], rows: readonly Exported[]): string {
  const lines = [columns, ...rows.map((row) => columns.map((name) => csvText(row[name])))];
  return lines.map((cells) => cells.map(csvCell).join(',')).join('\r\n') + '\r\n';
}

export const toJson = (rows: readonly Exported[]): string => `${JSON.stringify(rows, null, 2)}\n`;

const csvText = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return JSON.stringify(value);
};

const csvCell = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
