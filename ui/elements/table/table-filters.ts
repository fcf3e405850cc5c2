// Filters by column: a choice for columns with few values, otherwise a text.

import { html } from 'lit';

import { choicesOf, withFilter } from '../../lib/page/table-view.ts';
import type { TableView } from '../../lib/page/table-view.ts';
import type { Column } from './table-model.ts';

type Filters<Row> = Readonly<{
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  view: TableView;
  change: (view: TableView) => void;
}>;

/** Columns of numbers have no text filter. */
export const isFilterable = <Row>({ end }: Column<Row>): boolean => end !== true;

export function tableFilters<Row>({ columns, rows, view, change }: Filters<Row>) {
  return html`<div class="filters" role="group" aria-label="Column filters">
    ${columns.filter(isFilterable).map(({ id, label, value }) => {
      const wanted = view.filters[id] ?? '';
      const isTyped = wanted !== '' && !wanted.startsWith('=');
      const choices = isTyped ? null : choicesOf(rows.map(value));
      const onInput = ({ target }: Event): void => {
        if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement) {
          change(withFilter(view, id, target.value));
        }
      };
      return html`<label>
        ${label}
        ${
          choices === null
            ? html`<input type="search" .value=${wanted} @input=${onInput} />`
            : html`<select @change=${onInput}>
                <option value="">Any</option>
                ${[...new Set([...choices, ...(wanted === '' ? [] : [wanted.slice(1)])])].map(
                  (choice) =>
                    html`<option value="=${choice}" ?selected=${wanted === `=${choice}`}>
                      ${choice === '' ? 'none' : choice}
                    </option>`,
                )}
              </select>`
        }
      </label>`;
    })}
    <button type="button" class="plain" @click=${() => change({ ...view, page: 0, filters: {} })}>
      Clear filters
    </button>
  </div>`;
}
