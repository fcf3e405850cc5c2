// The one table: filter, sort, columns and pages over the whole set, by keyboard too, and its export. Long pages draw only the rows in
// sight. The view is a property and a change of it an event, so that a screen can keep it in the address.

import { LitElement, html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';

import { formatCount, pluralOf } from '../lib/format.ts';
import { createFilter, pageOf, pageSizes, readView } from '../lib/table-view.ts';
import type { TableView } from '../lib/table-view.ts';
import { windowOf } from '../lib/window.ts';
import { base, buttons, controls } from '../styles/base.ts';
import './export.ts';
import type { ExportSource } from './export.ts';
import './icon.ts';
import './menu.ts';
import { fixedHead, sortHead } from './table-head.ts';
import { SortedRows, recordOf } from './table-model.ts';
import type { Column } from './table-model.ts';
import { tablePager } from './table-pager.ts';
import { tableStyles } from './table-styles.ts';
import { pageTick, rowTick } from './table-ticks.ts';

export type { Column } from './table-model.ts';

type Key = string | number;
type Row = object;

const rowPx = 36;
/** Shorter pages are drawn whole. */
const drawnWholeMax = 120;

export class GwTable extends LitElement {
  static override properties = {
    rows: { attribute: false },
    columns: { attribute: false },
    keyOf: { attribute: false },
    hrefOf: { attribute: false },
    isMarked: { attribute: false },
    view: { attribute: false },
    chosen: { attribute: false },
    ticked: { attribute: false },
    label: { type: String },
    noun: { type: String },
    stale: { type: Boolean },
    partial: { type: Boolean },
    follow: { attribute: false },
    order: { attribute: false },
    scrolledPx: { state: true },
  };
  static override styles = [base, buttons, controls, tableStyles];
  declare rows: readonly Row[];
  declare columns: readonly Column<Row>[];
  declare keyOf: (row: Row) => Key;
  /** What a row opens; null opens nothing. */
  declare hrefOf: ((row: Row) => string | null) | null;
  /** The rows that somebody should look at. */
  declare isMarked: (row: Row) => boolean;
  declare view: TableView;
  /** The key of the row that is open. */
  declare chosen: Key | null;
  /** The keys that are ticked; null offers no ticks. */
  declare ticked: ReadonlySet<Key> | null;
  declare label: string;
  /** What a row is, in the singular. */
  declare noun: string;
  /** What is shown is about to be replaced. */
  declare stale: boolean;
  /** The rows are the first of more: the server filters and orders them, and this table does not. */
  declare partial: boolean;
  /** All of them, page by page, where they are partial: for a file. */
  declare follow: ((signal: AbortSignal) => AsyncIterable<readonly Row[]>) | null;
  /** That of the server, where it has two; told by `gw-order` when the other one is wanted. */
  declare order: 'asc' | 'desc' | null;
  declare scrolledPx: number;
  readonly #sorted = new SortedRows<Row>(this);
  #filter = createFilter((row: Row) => this.#textOf(row));
  #filtered: readonly Column<Row>[] | null = null;
  #known: Readonly<{ of: readonly unknown[]; rows: readonly Row[] }> | null = null;

  constructor() {
    super();
    this.rows = [];
    this.columns = [];
    this.keyOf = (row) => Number(Reflect.get(row, 'id'));
    this.hrefOf = null;
    this.isMarked = () => false;
    this.view = readView({});
    this.chosen = null;
    this.ticked = null;
    this.noun = 'row';
    this.stale = false;
    this.partial = false;
    this.follow = null;
    this.order = null;
    this.scrolledPx = 0;
  }

  #textOf(row: Row): string {
    return this.columns.map(({ value }) => String(value(row) ?? '')).join(' ');
  }

  /** All rows that fit the filter, in order: what is counted, paged and exported. Not looked for anew while one scrolls. */
  #found(): readonly Row[] {
    const { rows, columns, view, partial } = this;
    if (partial) return rows;
    const of = [rows, columns, view.filter, view.sort?.id, view.sort?.descending];
    if (this.#known === null || of.some((part, at) => part !== this.#known?.of[at])) {
      this.#known = { of, rows: this.#find() };
    }
    return this.#known.rows;
  }

  #find(): readonly Row[] {
    const { rows, columns, view } = this;
    if (columns !== this.#filtered) {
      this.#filtered = columns;
      this.#filter = createFilter((row) => this.#textOf(row));
    }
    const sorted = this.#sorted.of(rows, columns, view.sort);
    return view.filter === '' ? sorted : sorted.filter((row) => this.#filter(row, view.filter));
  }

  #shown(): readonly Column<Row>[] {
    const { columns } = this.view;
    return this.columns.filter(({ id, spare }, index) =>
      index === 0 ? true : columns === null ? spare !== true : columns.includes(id),
    );
  }

  protected override render() {
    const found = this.#found();
    const page = this.partial ? { rows: found, page: 0, pages: 1 } : pageOf(found, this.view);
    const isPaged = !this.partial && found.length > (pageSizes[0] ?? 0);
    return html`
      ${this.#bar(found)}
      <div
        class="scroll ${this.stale ? 'stale' : ''}"
        role="region"
        tabindex="0"
        aria-label=${this.label}
        @scroll=${this.#onScroll}
        @keydown=${this.#onKey}
      >
        ${this.#table(page.rows, found.length)}
        ${
          found.length === 0
            ? html`<p class="none">
                ${this.rows.length === 0 ? `No ${pluralOf(this.noun)}` : `No ${this.noun} fits the filter`}
              </p>`
            : nothing
        }
      </div>
      ${
        isPaged
          ? tablePager({ ...page, view: this.view, change: (view) => this.#change(view) })
          : nothing
      }
    `;
  }

  #bar(found: readonly Row[]) {
    const all = this.rows.length;
    const count =
      found.length === all
        ? `${formatCount(all, this.noun)}${this.partial ? ' shown' : ''}`
        : `${found.length} of ${formatCount(all, this.noun)}`;
    return html`<div class="bar">
      ${this.partial ? nothing : this.#filterField()}
      <span class="count" role="status">${count}</span>
      <slot name="bar"></slot>
      <div class="end">
        ${this.order === null ? nothing : this.#orderButton(this.order)}
        <gw-menu
          plain
          icon="columns-3"
          label="Columns"
          .items=${this.columns.slice(1).map(({ id, label }) => ({
            value: id,
            label,
            checked: this.#shown().some((column) => column.id === id),
          }))}
          @gw-choose=${this.#onColumn}
        ></gw-menu>
        ${
          this.partial && this.follow === null
            ? nothing
            : html`<gw-export .source=${this.#exported(found)} noun=${this.noun}></gw-export>`
        }
      </div>
    </div>`;
  }

  #orderButton(order: 'asc' | 'desc') {
    const detail = order === 'asc' ? 'desc' : 'asc';
    return html`<button
      type="button"
      class="plain"
      title="Turn the order round"
      @click=${() => this.dispatchEvent(new CustomEvent('gw-order', { detail }))}
    >
      <gw-icon name=${order === 'asc' ? 'arrow-down' : 'arrow-up'}></gw-icon>${
        order === 'asc' ? 'Oldest first' : 'Newest first'
      }
    </button>`;
  }

  #exported(found: readonly Row[]): ExportSource {
    const { columns, follow, partial } = this;
    const cells = (row: Row) => recordOf(row, columns);
    return {
      columns: columns.map(({ id }) => id),
      pages: partial && follow !== null ? follow : () => [found],
      cells,
      // A row that the server has is more than its columns.
      record: partial ? (row) => ({ ...row }) : cells,
      count: partial ? null : found.length,
      isNewestFirst: partial && this.order !== 'asc',
    };
  }

  #filterField() {
    return html`<div class="filter">
      <gw-icon name="search"></gw-icon>
      <input
        type="search"
        data-filter
        placeholder="Filter"
        aria-label="Filter ${this.label}"
        .value=${this.view.filter}
        @input=${this.#onFilter}
      />
    </div>`;
  }

  #table(rows: readonly Row[], count: number) {
    const columns = this.#shown();
    const ticks = this.ticked === null ? null : this.#ticks(this.ticked);
    const whole = rows.length <= drawnWholeMax;
    const part = whole
      ? { from: 0, to: rows.length, above: 0, below: 0 }
      : windowOf({ count: rows.length, rowPx, topPx: this.scrolledPx, heightPx: innerHeight });
    const span = columns.length + (this.ticked === null ? 0 : 1);
    const spacer = (height: number): TemplateResult | typeof nothing =>
      height === 0
        ? nothing
        : html`<tr class="spacer" aria-hidden="true">
            <td colspan=${span} height=${height}></td>
          </tr>`;
    return html`<table aria-rowcount=${count + 1}>
      <thead>
        <tr>
          ${ticks === null ? nothing : pageTick(rows.map(this.keyOf), ticks)}
          ${columns.map((column, index) => this.#head(column, index))}
        </tr>
      </thead>
      <tbody>
        ${spacer(part.above)}
        ${this.#rows(rows.slice(part.from, part.to), columns, whole ? null : part.from)}
        ${spacer(part.below)}
      </tbody>
    </table>`;
  }

  #head(column: Column<Row>, index: number) {
    const isFirst = index === 0;
    const { view, order } = this;
    return this.partial
      ? fixedHead(column, { isFirst, order })
      : sortHead(column, { isFirst, view, change: (to) => this.#change(to) });
  }

  /** Of a long page the rows that leave the sight are those that come into it, with other content. */
  #rows(rows: readonly Row[], columns: readonly Column<Row>[], from: number | null) {
    return from === null
      ? repeat(rows, this.keyOf, (row, at) => this.#row(row, columns, at))
      : rows.map((row, at) => this.#row(row, columns, from + at));
  }

  #row(row: Row, columns: readonly Column<Row>[], index: number) {
    const key = this.keyOf(row);
    const href = this.hrefOf?.(row) ?? null;
    const state = `${key === this.chosen ? 'chosen' : ''} ${href === null ? '' : 'linked'} ${this.isMarked(row) ? 'marked' : ''}`;
    return html`<tr class=${state} aria-rowindex=${index + 2} @click=${this.#onRow}>
      ${
        this.ticked === null
          ? nothing
          : rowTick({ key, name: this.columns[0]?.value(row) }, this.#ticks(this.ticked))
      }
      ${columns.map(({ cell, value, end }, at) => {
        const drawn = cell?.(row) ?? String(value(row) ?? '');
        if (at > 0) return html`<td class=${end === true ? 'end-cell' : ''}>${drawn}</td>`;
        return html`<th scope="row" class="first">
          ${href === null ? drawn : html`<a href=${href}>${drawn}</a>`}
        </th>`;
      })}
    </tr>`;
  }

  #ticks(ticked: ReadonlySet<Key>) {
    return { ticked, toggle: (keys: readonly Key[]) => this.#toggle(keys) };
  }

  #change(detail: TableView): void {
    this.view = detail;
    this.dispatchEvent(new CustomEvent('gw-view', { detail }));
  }

  #toggle(keys: readonly Key[]): void {
    const detail = new Set(this.ticked ?? []).symmetricDifference(new Set(keys));
    this.dispatchEvent(new CustomEvent('gw-tick', { detail }));
  }

  readonly #onFilter = ({ target }: Event): void => {
    if (!(target instanceof HTMLInputElement)) return;
    this.#change({ ...this.view, page: 0, filter: target.value });
  };

  readonly #onColumn = ({ detail }: CustomEvent<string>): void => {
    const shown = new Set(this.#shown().map(({ id }) => id));
    const columns = [...shown.symmetricDifference(new Set([detail]))];
    this.#change({ ...this.view, columns });
  };

  readonly #onScroll = ({ target }: Event): void => {
    if (target instanceof HTMLElement) this.scrolledPx = target.scrollTop;
  };

  /** A row is its link, wherever it is clicked; a text that is being marked is not. */
  readonly #onRow = (event: MouseEvent): void => {
    const row = event.currentTarget;
    const isOwn = event.composedPath().some((one) => one instanceof HTMLElement && isControl(one));
    if (isOwn || !(row instanceof HTMLElement) || String(getSelection()) !== '') return;
    row.querySelector('a')?.click();
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

const isControl = ({ localName }: HTMLElement): boolean =>
  ['a', 'button', 'input', 'gw-copy', 'gw-menu'].includes(localName);

customElements.define('gw-table', GwTable);

declare global {
  interface HTMLElementTagNameMap {
    'gw-table': GwTable;
  }
}
