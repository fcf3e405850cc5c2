// What stands above a table: its filter, how many rows fit it, the order of the server's, which columns are shown, and the file of all.

import { html, nothing } from 'lit';

import { countText } from '../lib/table-view.ts';
import './export.ts';
import type { ExportSource } from './export.ts';
import './icon.ts';
import './menu.ts';

type Order = 'asc' | 'desc';

type Bar = Readonly<{
  /** Of the table. */
  label: string;
  noun: string;
  found: number;
  all: number;
  /** The server filters and orders the rows. */
  isPartial: boolean;
  filter: string;
  /** Null where there is but one. */
  order: Order | null;
  choices: readonly Readonly<{
    column: Readonly<{ id: string; label: string }>;
    isShown: boolean;
  }>[];
  /** Null where not all of them can be had. */
  source: ExportSource | null;
  onFilter: (typed: string) => void;
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

const orderButton = (order: Order, onOrder: Bar['onOrder']) =>
  html`<button
    type="button"
    class="plain"
    title="Turn the order round"
    @click=${() => onOrder(order === 'asc' ? 'desc' : 'asc')}
  >
    <gw-icon name=${order === 'asc' ? 'arrow-down' : 'arrow-up'}></gw-icon>${
      order === 'asc' ? 'Oldest first' : 'Newest first'
    }
  </button>`;
