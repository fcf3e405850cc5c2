// The bar above a table: filters, row count, sort order, columns and export.

import { html, nothing } from 'lit';

import { countText } from '../../lib/page/table-view.ts';
import type { TableView } from '../../lib/page/table-view.ts';
import './export.ts';
import type { ExportSource } from './export.ts';
import '../icon.ts';
import '../overlay/menu.ts';

type Order = 'asc' | 'desc';

type Sorts = Readonly<{
  columns: readonly Readonly<{ id: string; label: string }>[];
  view: TableView;
  change: (view: TableView) => void;
}>;

type Bar = Readonly<{
  label: string;
  noun: string;
  found: number;
  all: number;
  /** The server filters and sorts the rows. */
  isPartial: boolean;
  filter: string;
  /** The number of filtered columns; null if columns cannot be filtered. */
  columnFilters: number | null;
  /** Shown where column heads, which sort, are hidden. */
  sorts: Sorts | null;
  /** Null if there is only one order. */
  order: Order | null;
  choices: readonly Readonly<{
    column: Readonly<{ id: string; label: string }>;
    isShown: boolean;
  }>[];
  /** Null if not all rows are available. */
  source: ExportSource | null;
  onFilter: (typed: string) => void;
  onFilters: () => void;
  onOrder: (order: Order) => void;
  onColumn: (id: string) => void;
}>;

const itemOf = ({ column: { id, label }, isShown }: Bar['choices'][number]) => ({
  value: id,
  label,
  checked: isShown,
});

export function tableBar(bar: Bar) {
  return html`<div class="bar">
    ${bar.isPartial ? nothing : filterField(bar)}
    <span class="count" role="status">${countText(bar)}</span>
    <slot name="bar"></slot>
    <div class="end">
      ${bar.columnFilters === null ? nothing : filtersButton(bar.columnFilters, bar.onFilters)}
      ${bar.sorts === null ? nothing : sortField(bar.sorts)}
      ${bar.order === null ? nothing : orderButton(bar.order, bar.onOrder)}
      <gw-menu
        plain
        icon="columns-3"
        label="Columns"
        .items=${bar.choices.map(itemOf)}
        @gw-choose=${({ detail }: CustomEvent<string>) => bar.onColumn(detail)}
      ></gw-menu>
      ${
        bar.source === null
          ? nothing
          : html`<gw-export .source=${bar.source} noun=${bar.noun}></gw-export>`
      }
    </div>
  </div>`;
}

const filterField = ({ label, filter, onFilter }: Bar) =>
  html`<div class="filter">
    <gw-icon name="search"></gw-icon>
    <input
      type="search"
      data-filter
      placeholder="Filter"
      aria-label="Filter ${label}"
      .value=${filter}
      @input=${({ target }: Event) => {
        if (target instanceof HTMLInputElement) onFilter(target.value);
      }}
    />
  </div>`;

const filtersButton = (count: number, onFilters: Bar['onFilters']) =>
  html`<button
    type="button"
    class="plain icon ${count > 0 ? 'on' : ''}"
    aria-label=${count === 0 ? 'Filter by column' : `Filter by column (${count} active)`}
    title="Filter by column"
    @click=${onFilters}
  >
    <gw-icon name="list-filter"></gw-icon>
  </button>`;

function sortField({ columns, view, change }: Sorts) {
  const chosen = view.sort === null ? '' : `${view.sort.descending ? '-' : ''}${view.sort.id}`;
  const onChange = ({ target }: Event): void => {
    if (!(target instanceof HTMLSelectElement)) return;
    const descending = target.value.startsWith('-');
    const id = descending ? target.value.slice(1) : target.value;
    change({ ...view, page: 0, sort: id === '' ? null : { id, descending } });
  };
  const option = (value: string, label: string) =>
    html`<option value=${value} ?selected=${value === chosen}>${label}</option>`;
  return html`<select class="sort" aria-label="Sort by" @change=${onChange}>
    ${option('', 'Default order')}
    ${columns.map(({ id, label }) => [option(id, `${label} ↑`), option(`-${id}`, `${label} ↓`)])}
  </select>`;
}

const orderButton = (order: Order, onOrder: Bar['onOrder']) =>
  html`<button
    type="button"
    class="plain"
    title="Reverse sort order"
    @click=${() => onOrder(order === 'asc' ? 'desc' : 'asc')}
  >
    <gw-icon name=${order === 'asc' ? 'arrow-down' : 'arrow-up'}></gw-icon>${
      order === 'asc' ? 'Oldest first' : 'Newest first'
    }
  </button>`;
