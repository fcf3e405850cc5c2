// The pager below a table: page size, current page and neighbors.

import { html } from 'lit';

import { pageSizes } from '../../lib/page/table-view.ts';
import type { TableView } from '../../lib/page/table-view.ts';
import '../icon.ts';

type Shown = Readonly<{
  view: TableView;
  /** From 0. A page beyond the last shows the last one. */
  page: number;
  pages: number;
  change: (view: TableView) => void;
}>;

export function tablePager({ view, page, pages, change }: Shown) {
  const go = (to: number) => (): void => change({ ...view, page: to });
  const onSize = ({ target }: Event): void => {
    if (!(target instanceof HTMLSelectElement)) return;
    change({ ...view, page: 0, size: Number(target.value) });
  };
  return html`<div class="pages">
    <label
      >Rows
      <select @change=${onSize}>
        ${pageSizes.map(
          (size) =>
            html`<option value=${size} ?selected=${size === view.size}>
              ${size === 0 ? 'all' : size}
            </option>`,
        )}
      </select></label
    >
    <span>Page ${page + 1} of ${pages}</span>
    <button
      type="button"
      class="icon"
      aria-label="Previous page"
      ?disabled=${page === 0}
      @click=${go(page - 1)}
    >
      <gw-icon name="chevron-left"></gw-icon>
    </button>
    <button
      type="button"
      class="icon"
      aria-label="Next page"
      ?disabled=${page >= pages - 1}
      @click=${go(page + 1)}
    >
      <gw-icon name="chevron-right"></gw-icon>
    </button>
  </div>`;
}
