// The rows of a table that fit its filter, in its order, by TanStack Table. No other file knows it.

import {
  TableController,
  createSortedRowModel,
  rowSortingFeature,
  tableFeatures,
} from '@tanstack/lit-table';
import type { ColumnDef } from '@tanstack/lit-table';
import type { ReactiveControllerHost } from 'lit';

import { compareCells, createFilter } from '../lib/table-view.ts';
import type { Cell, TableView } from '../lib/table-view.ts';

export type Column<Row> = Readonly<{
  id: string;
  label: string;
  /** What is sorted, filtered and exported by. Null is not known. */
  value: (row: Row) => Cell;
  /** What is drawn; the value as text when absent. */
  cell?: (row: Row) => unknown;
  /** Numbers stand at the end. */
  end?: boolean;
  /** Not among the columns at first. */
  spare?: boolean;
  /** Explains the column, behind a question mark in its head. */
  help?: string;
  /** What the server orders the rows by, where they are partial. */
  ordered?: boolean;
}>;

/** What is exported of a row: the value of each column by its id. */
export const recordOf = <Row>(row: Row, columns: readonly Column<Row>[]) =>
  Object.fromEntries(columns.map(({ id, value }) => [id, value(row)]));

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
});

type Wanted<Row> = Readonly<{
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  view: TableView;
}>;

/** What is counted, paged and exported; not looked for anew while nothing of it is another. */
export class FoundRows<Row extends object> {
  readonly #sorted: SortedRows<Row>;
  #filter = createFilter<Row>(() => '');
  #columns: readonly Column<Row>[] | null = null;
  #known: Readonly<{ by: readonly unknown[]; rows: readonly Row[] }> | null = null;

  constructor(host: ReactiveControllerHost) {
    this.#sorted = new SortedRows(host);
  }

  of(wanted: Wanted<Row>): readonly Row[] {
    const { rows, columns, view } = wanted;
    const by = [rows, columns, view.filter, view.sort?.id, view.sort?.descending];
    if (this.#known === null || by.some((part, at) => part !== this.#known?.by[at])) {
      this.#known = { by, rows: this.#find(wanted) };
    }
    return this.#known.rows;
  }

  #find({ rows, columns, view }: Wanted<Row>): readonly Row[] {
    if (columns !== this.#columns) {
      this.#columns = columns;
      this.#filter = createFilter((row) => textOf(row, columns));
    }
    const sorted = this.#sorted.of(rows, columns, view.sort);
    return view.filter === '' ? sorted : sorted.filter((row) => this.#filter(row, view.filter));
  }
}

const textOf = <Row>(row: Row, columns: readonly Column<Row>[]): string =>
  columns.map(({ value }) => String(value(row) ?? '')).join(' ');

class SortedRows<Row extends object> {
  readonly #controller: TableController<typeof features, Row>;
  #given: readonly Column<Row>[] | null = null;
  #columns: ColumnDef<typeof features, Row>[] = [];

  constructor(host: ReactiveControllerHost) {
    this.#controller = new TableController<typeof features, Row>(host);
  }

  /** Sorted once for the same rows, columns and sort. */
  of(rows: readonly Row[], columns: readonly Column<Row>[], sort: TableView['sort']): Row[] {
    if (columns !== this.#given) {
      this.#given = columns;
      this.#columns = columns.map((column) => definition(column));
    }
    const known = columns.some(({ id }) => id === sort?.id);
    const table = this.#controller.table({
      features,
      columns: this.#columns,
      data: rows,
      state: { sorting: sort === null || !known ? [] : [{ id: sort.id, desc: sort.descending }] },
    });
    return table.getSortedRowModel().rows.map(({ original }) => original);
  }
}

const definition = <Row extends object>({
  id,
  value,
}: Column<Row>): ColumnDef<typeof features, Row> => ({
  id,
  accessorFn: (row: Row) => value(row) ?? undefined,
  sortUndefined: 'last',
  sortFn: (a, b, column) =>
    compareCells(a.getValue<Cell | undefined>(column), b.getValue<Cell | undefined>(column)),
});
