// Tables and lines of Markdown.

/** In a cell a bar would end it. */
const cell = (text: string): string => text.replaceAll('|', '\\|');

/** With its columns aligned, as the formatter of the tree has them. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows].map((cells) => cells.map(cell));
  const widths = head.map((_, column) =>
    Math.max(3, ...lines.map((cells) => (cells[column] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`;
  const [first = [], ...others] = lines;
  return [line(first), line(widths.map((width) => '-'.repeat(width))), ...others.map(line)].join(
    '\n',
  );
}

export const code = (text: string): string => `\`${text}\``;

/** Says at the head of a page where it comes from. */
export const generated =
  '<!-- Made by `node scripts/generate-reference.ts` from tables of the program: change those. -->';

/** Paragraphs, tables and headings with an empty line between them. */
export const page = (parts: readonly string[]): string => `${parts.join('\n\n')}\n`;
