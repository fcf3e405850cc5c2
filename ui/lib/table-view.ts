// How a table is looked at: what it is filtered by, its order, page and columns. It stands in the address, as few words as may be.

import { matches } from './match.ts';

export type Cell = string | number | boolean | null;

export type TableView = Readonly<{
  filter: string;
  /** Null is the order in which the rows came. */
  sort: Readonly<{ id: string; descending: boolean }> | null;
  /** From 0. */
  page: number;
  /** 0 is all rows. */
  size: number;
  /** Null is as the table has them at first. */
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
    sort: sort === '' ? null : { id: descending ? sort.slice(1) : sort, descending },
    page: Number.isSafeInteger(page) && page > 0 ? page - 1 : 0,
    size: pageSizes.includes(size) ? size : sizeStandard,
    columns: query['cols']?.split(',') ?? null,
  };
}

/** What stands for the view as it is at first is left out. */
export function writeView(view: TableView): Readonly<Record<string, string | null>> {
  const { filter, sort, page, size, columns } = view;
  return {
    q: filter === '' ? null : filter,
    sort: sort === null ? null : `${sort.descending ? '-' : ''}${sort.id}`,
    page: page === 0 ? null : String(page + 1),
    rows: size === sizeStandard ? null : String(size),
    cols: columns?.join(',') ?? null,
  };
}

/** First up, then down, then as the rows came. */
export function sortedBy(view: TableView, id: string): TableView {
  const { sort } = view;
  if (sort?.id !== id) return { ...view, page: 0, sort: { id, descending: false } };
  return { ...view, page: 0, sort: sort.descending ? null : { id, descending: true } };
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Numbers by size, the rest as text with the numbers in it by size. What is not known comes last either way. */
export function compareCells(a: Cell | undefined, b: Cell | undefined): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return collator.compare(String(a ?? ''), String(b ?? ''));
}

/** A text a row, made once: of ten thousand rows each typed letter asks for all. */
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

/** The rows of the page, and the page that is shown when there are fewer than the address says. */
export function pageOf<Row>(
  rows: readonly Row[],
  { page, size }: Pick<TableView, 'page' | 'size'>,
): Readonly<{ rows: readonly Row[]; page: number; pages: number }> {
  if (size === 0) return { rows, page: 0, pages: 1 };
  const pages = Math.max(1, Math.ceil(rows.length / size));
  const shown = Math.min(page, pages - 1);
  return { rows: rows.slice(shown * size, (shown + 1) * size), page: shown, pages };
}
