// The columns of a table, and the rows that match the filters in the chosen order.

import { compareCells, createFilter, fitsColumn } from '../../lib/page/table-view.ts';
import type { Cell, TableView } from '../../lib/page/table-view.ts';

export type Column<Row> = Readonly<{
  id: string;
  label: string;
  /** For sort, filter and export. Null is unknown. */
  value: (row: Row) => Cell;
  /** The value as text when absent. */
  cell?: (row: Row) => unknown;
  /** Aligns numbers at the end. */
  end?: boolean;
  /** Hidden at first. */
  spare?: boolean;
  /** Shown by a question mark in the head. */
  help?: string;
  /** True if the server sorts partial rows by this column. */
  ordered?: boolean;
}>;

/** By column id. */
export const recordOf = <Row>(row: Row, columns: readonly Column<Row>[]) =>
  Object.fromEntries(columns.map(({ id, value }) => [id, value(row)]));

type Wanted<Row> = Readonly<{
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  view: TableView;
}>;

/** Computed again only when rows, columns, filters or order change. */
export class FoundRows<Row extends object> {
  #filter = createFilter<Row>(() => '');
  #columns: readonly Column<Row>[] | null = null;
  #known: Readonly<{ by: readonly unknown[]; rows: readonly Row[] }> | null = null;

  of(wanted: Wanted<Row>): readonly Row[] {
    const { rows, columns, view } = wanted;
    const filters = JSON.stringify(view.filters);
    const by = [rows, columns, view.filter, filters, view.sort?.id, view.sort?.descending];
    if (this.#known === null || by.some((part, at) => part !== this.#known?.by[at])) {
      this.#known = { by, rows: this.#find(wanted) };
    }
    return this.#known.rows;
  }

  #find({ rows, columns, view: { filter, filters, sort } }: Wanted<Row>): readonly Row[] {
    if (columns !== this.#columns) {
      this.#columns = columns;
      this.#filter = createFilter((row) => textOf(row, columns));
    }
    const asked = columns.filter(({ id }) => filters[id] !== undefined);
    const found = rows.filter(
      (row) =>
        asked.every(({ id, value }) => fitsColumn(value(row), filters[id] ?? '')) &&
        (filter === '' || this.#filter(row, filter)),
    );
    const column = columns.find(({ id }) => id === sort?.id);
    return column === undefined ? found : sorted(found, column, sort?.descending === true);
  }
}

const textOf = <Row>(row: Row, columns: readonly Column<Row>[]): string =>
  columns.map(({ value }) => String(value(row) ?? '')).join(' ');

/** Rows without a value are last in both directions; equal rows keep their order. */
function sorted<Row>(
  rows: readonly Row[],
  { value }: Column<Row>,
  descending: boolean,
): readonly Row[] {
  const sign = descending ? -1 : 1;
  return rows
    .map((row) => ({ row, cell: value(row) }))
    .toSorted((a, b) =>
      a.cell === null || b.cell === null
        ? Number(a.cell === null) - Number(b.cell === null)
        : sign * compareCells(a.cell, b.cell),
    )
    .map(({ row }) => row);
}
