// The order of a table's rows, by TanStack Table. No other file knows it.

import {
  TableController,
  createSortedRowModel,
  rowSortingFeature,
  tableFeatures,
} from '@tanstack/lit-table';
import type { ColumnDef } from '@tanstack/lit-table';
import type { ReactiveControllerHost } from 'lit';

import { compareCells } from '../lib/table-view.ts';
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

export class SortedRows<Row extends object> {
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
