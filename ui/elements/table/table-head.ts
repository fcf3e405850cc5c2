// The head of a column: its name, its sort order and the button that sorts.

import { html, nothing } from 'lit';

import { sortedBy } from '../../lib/page/table-view.ts';
import type { TableView } from '../../lib/page/table-view.ts';
import '../overlay/help.ts';
import '../icon.ts';
import type { Column } from './table-model.ts';

type Place = Readonly<{ isFirst: boolean; /** Null if the width is fixed. */ edge: unknown }>;

const classOf = (
  { end }: Pick<Column<object>, 'end'>,
  { isFirst }: Pick<Place, 'isFirst'>,
): string => `${isFirst ? 'first' : ''} ${end === true ? 'end-cell' : ''}`;

/** Null if the server does not order the column. */
export function fixedHead(
  column: Column<object>,
  { order, ...place }: Place & Readonly<{ order: 'asc' | 'desc' | null }>,
) {
  const word = order === 'asc' ? 'ascending' : 'descending';
  return html`<th
    scope="col"
    aria-sort=${column.ordered === true && order !== null ? word : nothing}
    class="fixed ${classOf(column, place)}"
    data-column=${column.id}
  >
    ${column.label}${helpOf(column)}${place.edge}
  </th>`;
}

const helpOf = ({ label, help }: Column<object>) =>
  help === undefined ? nothing : html`<gw-help term=${label} text=${help}></gw-help>`;

type Ordering = Readonly<{ view: TableView; change: (view: TableView) => void }>;

export function sortHead(column: Column<object>, { view, change, ...place }: Place & Ordering) {
  const { id, label } = column;
  const { sort } = view;
  const order = sort?.id !== id ? 'none' : sort.descending ? 'descending' : 'ascending';
  const icon = order === 'ascending' ? 'arrow-up' : 'arrow-down';
  return html`<th scope="col" class=${classOf(column, place)} aria-sort=${order} data-column=${id}>
    <button type="button" @click=${() => change(sortedBy(view, id))}>
      ${label}${order === 'none' ? nothing : html`<gw-icon name=${icon}></gw-icon>`}</button
    >${helpOf(column)}${place.edge}
  </th>`;
}
