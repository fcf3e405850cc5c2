// The table of all lists: filters, sorting, columns, widths, pages and export. Long pages draw only visible rows; phones show cards. The
// view is a property and its changes are events, so a screen can keep it in the address.

import { html, nothing } from 'lit';

import { element, flag, given, state, text } from '../element.ts';
import { pluralOf } from '../../lib/text/format.ts';
import { isPhone } from '../../state/phone.ts';
import {
  pageOf,
  pageSizes,
  readView,
  shownColumns,
  wholePage,
  withColumnTurned,
} from '../../lib/page/table-view.ts';
import type { Page, TableView } from '../../lib/page/table-view.ts';
import { base, buttons, controls } from '../../styles/base.ts';
import type { ExportSource } from './export.ts';
import { tableBar } from './table-bar.ts';
import { cardsMax, tableBody } from './table-body.ts';
import { tableCardStyles } from './table-card-styles.ts';
import { isFilterable, tableFilters } from './table-filters.ts';
import { besideFirst } from './table-focus.ts';
import { fixedHead, sortHead } from './table-head.ts';
import { FoundRows, recordOf } from './table-model.ts';
import type { Column } from './table-model.ts';
import { tablePager } from './table-pager.ts';
import { tableStyles } from './table-styles.ts';
import { pageTick } from './table-ticks.ts';
import type { Ticks } from './table-ticks.ts';
import { ColumnWidths } from './table-widths.ts';
import { Watch } from '../watch.ts';

export type { Column } from './table-model.ts';

type Key = string | number;
type Row = object;

class GwTable extends element({
  rows: given<readonly Row[]>([]),
  columns: given<readonly Column<Row>[]>([]),
  keyOf: given<(row: Row) => Key>((row) => Number(Reflect.get(row, 'id'))),
  /** Null without a link. */
  hrefOf: given<((row: Row) => string | null) | null>(null),
  /** Rows that need attention. */
  isMarked: given<(row: Row) => boolean>(() => false),
  view: given<TableView>(readView({})),
  /** The key of the open row. */
  chosen: given<Key | null>(null),
  /** Null offers no ticks. */
  ticked: given<ReadonlySet<Key> | null>(null),
  label: text(),
  /** Singular. */
  noun: text('row'),
  /** The data is about to be replaced. */
  stale: flag(),
  /** The rows are the first of more: the server filters and orders them, and this table does not. */
  partial: flag(),
  /** Loads all rows page by page, for the export of a partial list. */
  follow: given<((signal: AbortSignal) => AsyncIterable<readonly Row[]>) | null>(null),
  /** Set if the server offers two orders; `gw-order` asks for the other. */
  order: given<'asc' | 'desc' | null>(null),
  scrolledPx: state(0),
  filtering: state(false),
}) {
  static override styles = [base, buttons, controls, tableStyles, tableCardStyles];
  readonly #found = new FoundRows<Row>();
  readonly #widths = new ColumnWidths(this);
  readonly #phone = new Watch(this, isPhone);

  protected override render() {
    const { rows, columns, view, partial } = this;
    const found = partial ? rows : this.#found.of({ rows, columns, view });
    const page = partial ? wholePage(found) : pageOf(found, view);
    const isCards = this.#phone.value && page.rows.length <= cardsMax;
    const isPaged = !partial && found.length > (pageSizes[0] ?? 0);
    return html`
      ${this.#bar(found, isCards)} ${this.#filters()}
      <div
        class="scroll ${isCards ? 'cards' : 'table'} ${this.stale ? 'stale' : ''}"
        role="region"
        tabindex="0"
        aria-label=${this.label}
        @scroll=${this.#onScroll}
        @keydown=${this.#onKey}
        @focusin=${besideFirst}
      >
        ${this.#table(page, found.length, isCards)} ${found.length === 0 ? this.#none() : nothing}
      </div>
      ${isPaged ? tablePager({ ...page, view, change: (to) => this.#change(to) }) : nothing}
    `;
  }

  #none() {
    return html`<p class="none">
      ${this.rows.length === 0 ? `No ${pluralOf(this.noun)}` : `No ${this.noun} matches the filter`}
    </p>`;
  }

  /** The filters open if the address contains one. */
  #filters() {
    const { rows, view, columns, partial, filtering } = this;
    if (partial || !(filtering || this.#filterCount() > 0)) return nothing;
    const shown = shownColumns(columns, view);
    const change = (to: TableView): void => {
      this.filtering = true;
      this.#change(to);
    };
    return tableFilters({ columns: shown, rows, view, change });
  }

  #filterCount(): number {
    return Object.keys(this.view.filters).length;
  }

  #bar(found: readonly Row[], isCards: boolean) {
    const { label, noun, view, columns, partial, order } = this;
    const shown = shownColumns(columns, view);
    return tableBar({
      label,
      noun,
      order,
      isPartial: partial,
      filter: view.filter,
      columnFilters: partial || !shown.some(isFilterable) ? null : this.#filterCount(),
      sorts:
        isCards && !partial ? { columns: shown, view, change: (to) => this.#change(to) } : null,
      found: found.length,
      all: this.rows.length,
      choices: columns.slice(1).map((column) => ({ column, isShown: shown.includes(column) })),
      source: partial && this.follow === null ? null : this.#exported(found),
      onFilter: (filter) => this.#change({ ...view, page: 0, filter }),
      onFilters: () => {
        this.filtering = !(this.filtering || this.#filterCount() > 0);
        if (!this.filtering) this.#change({ ...view, page: 0, filters: {} });
      },
      onOrder: (detail) => this.dispatchEvent(new CustomEvent('gw-order', { detail })),
      onColumn: (id) => this.#change(withColumnTurned(view, columns, id)),
    });
  }

  #exported(found: readonly Row[]): ExportSource {
    const { columns, follow, partial } = this;
    const cells = (row: Row) => recordOf(row, columns);
    return {
      columns: columns.map(({ id }) => id),
      pages: partial && follow !== null ? follow : () => [found],
      cells,
      // Partial rows have more fields than the columns.
      record: partial || follow !== null ? (row) => ({ ...row }) : cells,
      count: partial ? null : found.length,
      isNewestFirst: partial && this.order !== 'asc',
    };
  }

  #table({ rows, before }: Page<Row>, count: number, isCards: boolean) {
    const { keyOf, isMarked, chosen, scrolledPx } = this;
    const columns = shownColumns(this.columns, this.view);
    const ticks = this.#ticks();
    const hrefOf = (row: Row) => this.hrefOf?.(row) ?? null;
    const last = columns.length - 1;
    const drawn = { rows, before, columns, keyOf, hrefOf, isMarked, chosen, ticks, scrolledPx };
    return html`<table aria-label=${this.label} aria-rowcount=${count + 1}>
      <thead>
        <tr>
          ${ticks === null ? nothing : pageTick(rows.map(keyOf), ticks)}
          ${columns.map((column, index) => this.#head(column, index, isCards || index === last))}
        </tr>
      </thead>
      ${tableBody({ ...drawn, isCards })}
    </table>`;
  }

  #head(column: Column<Row>, index: number, isFixed: boolean) {
    const isFirst = index === 0;
    const edge = isFixed ? nothing : this.#widths.edge(column);
    const { view, order } = this;
    return this.partial
      ? fixedHead(column, { isFirst, edge, order })
      : sortHead(column, { isFirst, edge, view, change: (to) => this.#change(to) });
  }

  #ticks(): Ticks | null {
    const { ticked } = this;
    return ticked === null ? null : { ticked, toggle: (keys) => this.#toggle(keys) };
  }

  #change(detail: TableView): void {
    this.view = detail;
    this.dispatchEvent(new CustomEvent('gw-view', { detail }));
  }

  #toggle(keys: readonly Key[]): void {
    const detail = new Set(this.ticked ?? []).symmetricDifference(new Set(keys));
    this.dispatchEvent(new CustomEvent('gw-tick', { detail }));
  }

  readonly #onScroll = ({ target }: Event): void => {
    if (target instanceof HTMLElement) this.scrolledPx = target.scrollTop;
  };

  readonly #onKey = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const links = [...this.renderRoot.querySelectorAll<HTMLElement>('tbody .first a')];
    const at = links.findIndex((link) => link === this.shadowRoot?.activeElement);
    if (step === 0 || at < 0) return;
    event.preventDefault();
    links[at + step]?.focus();
  };
}

customElements.define('gw-table', GwTable);
