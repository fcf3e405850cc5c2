// Reads and writes the view of a table: filters, order, page and columns. The address omits default values.

import { formatCount, formatNumber } from '../text/format.ts';
import { matches } from '../text/match.ts';

export type Cell = string | number | boolean | null;

export type TableView = Readonly<{
  filter: string;
  /** By column id: a text that the value contains, or `=` and the whole value. */
  filters: Readonly<Record<string, string>>;
  /** Null keeps the order of the rows. */
  sort: Readonly<{ id: string; descending: boolean }> | null;
  /** From 0. */
  page: number;
  /** 0 shows all rows. */
  size: number;
  /** Null shows the default columns. */
  columns: readonly string[] | null;
}>;

export const pageSizes: readonly number[] = [25, 50, 100, 500, 0];
const sizeStandard = 50;

type Query = Readonly<Record<string, string>>;

export function readView(query: Query): TableView {
  const sort = query['sort'] ?? '';
  const size = Number(query['rows'] ?? sizeStandard);
  const page = Number(query['page'] ?? 1);
  const descending = sort.startsWith('-');
  return {
    filter: query['q'] ?? '',
    filters: Object.fromEntries(new URLSearchParams(query['where'] ?? '')),
    sort: sort === '' ? null : { id: descending ? sort.slice(1) : sort, descending },
    page: Number.isSafeInteger(page) && page > 0 ? page - 1 : 0,
    size: pageSizes.includes(size) ? size : sizeStandard,
    columns: query['cols']?.split(',') ?? null,
  };
}

export function writeView(view: TableView): Readonly<Record<string, string | null>> {
  const { filter, filters, sort, page, size, columns } = view;
  const where = new URLSearchParams(filters).toString();
  return {
    q: filter === '' ? null : filter,
    where: where === '' ? null : where,
    sort: sort === null ? null : `${sort.descending ? '-' : ''}${sort.id}`,
    page: page === 0 ? null : String(page + 1),
    rows: size === sizeStandard ? null : String(size),
    cols: columns?.join(',') ?? null,
  };
}

/** Ascending, then descending, then unsorted. */
export function sortedBy(view: TableView, id: string): TableView {
  const { sort } = view;
  if (sort?.id !== id) return { ...view, page: 0, sort: { id, descending: false } };
  return { ...view, page: 0, sort: sort.descending ? null : { id, descending: true } };
}

/** An empty text removes the filter. */
export function withFilter(view: TableView, id: string, text: string): TableView {
  const { [id]: _before, ...others } = view.filters;
  return { ...view, page: 0, filters: text === '' ? others : { ...others, [id]: text } };
}

export function fitsColumn(value: Cell, wanted: string): boolean {
  const text = String(value ?? '');
  return wanted.startsWith('=') ? text === wanted.slice(1) : matches(text, wanted);
}

const choicesMax = 24;

/** Sorted; null if there are too many, so that a text is typed. */
export function choicesOf(values: readonly Cell[]): readonly string[] | null {
  const choices = new Set<string>();
  for (const value of values) {
    choices.add(String(value ?? ''));
    if (choices.size > choicesMax) return null;
  }
  return [...choices].toSorted(compareCells);
}

type Offered = Readonly<{ id: string; spare?: boolean }>;

/** The first column identifies the row and is always shown. */
export const shownColumns = <Column extends Offered>(
  columns: readonly Column[],
  { columns: chosen }: TableView,
): readonly Column[] =>
  columns.filter(({ id, spare }, index) =>
    index === 0 ? true : chosen === null ? spare !== true : chosen.includes(id),
  );

export function withColumnTurned(
  view: TableView,
  columns: readonly Offered[],
  id: string,
): TableView {
  const shown = new Set(shownColumns(columns, view).map((column) => column.id));
  return { ...view, columns: [...shown.symmetricDifference(new Set([id]))] };
}

/** `isPartial`: more rows can be loaded. */
export function countText({
  found,
  all,
  noun,
  isPartial,
}: Readonly<{ found: number; all: number; noun: string; isPartial: boolean }>): string {
  if (found !== all) return `${formatNumber(found)} of ${formatCount(all, noun)}`;
  return `${formatCount(all, noun)}${isPartial ? ' shown' : ''}`;
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Numbers by size and text naturally. Unknown values are last in both directions. */
export function compareCells(a: Cell | undefined, b: Cell | undefined): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return collator.compare(String(a ?? ''), String(b ?? ''));
}

/** The text is cached because each typed letter searches all rows. */
export function createFilter<Row extends object>(
  textOf: (row: Row) => string,
): (row: Row, typed: string) => boolean {
  const texts = new WeakMap<Row, string>();
  return (row, typed) => {
    const known = texts.get(row) ?? textOf(row).toLowerCase();
    texts.set(row, known);
    return matches(known, typed);
  };
}

export type Page<Row> = Readonly<{
  rows: readonly Row[];
  /** From 0. */
  page: number;
  pages: number;
  before: number;
}>;

export const wholePage = <Row>(rows: readonly Row[]): Page<Row> => ({
  rows,
  page: 0,
  pages: 1,
  before: 0,
});

/** Also returns the shown page, if there are fewer pages than the address says. */
export function pageOf<Row>(
  rows: readonly Row[],
  { page, size }: Pick<TableView, 'page' | 'size'>,
): Page<Row> {
  if (size === 0) return wholePage(rows);
  const pages = Math.max(1, Math.ceil(rows.length / size));
  const shown = Math.min(page, pages - 1);
  const before = shown * size;
  return { rows: rows.slice(before, before + size), page: shown, pages, before };
}
