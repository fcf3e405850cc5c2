// Builds a screen of records from data: its list, record, forms and changes.

import { css, html, nothing } from 'lit';
import type { CSSResult } from 'lit';

import { allNouns } from '../../events/nouns.ts';
import type { Noun } from '../../events/nouns.ts';
import '../elements/empty.ts';
import { loaded, failureNotice } from '../elements/loaded.ts';
import '../elements/page.ts';
import { Resource } from '../elements/resource.ts';
import type { Column } from '../elements/table/table.ts';
import { adminCurl } from '../lib/saves/copy-as.ts';
import type { Save } from '../lib/saves/save.ts';
import { formatCount } from '../lib/text/format.ts';
import { screenNamed } from '../screens.ts';
import { isReadOnly } from '../state/as-of.ts';
import { base, buttons } from '../styles/base.ts';
import { record } from '../styles/record.ts';
import { historyOf } from './entity-history.ts';
import type { DrawForm } from './form-as-data.ts';
import { RecordScreen } from './record-screen.ts';

/** The calls of one change set. */
const bulkMax = 100;

type Entity = Readonly<{ id: number; name: string; version: number }>;

type Rows<Row> = Readonly<{ rows: readonly Row[] }>;

type Listed<Row> = Readonly<{
  rows: readonly Row[];
  /** Shown next to the filter. */
  bar?: unknown;
}>;

export type Bulk<Row> = Readonly<{
  /** On the button, before the number of records. */
  verb: string;
  /** Other records can be ticked, and are left out. */
  applies: (row: Row) => boolean;
  save: (rows: readonly Row[]) => Save;
}>;

export type ResourceKind<Row extends Entity, Loaded extends Rows<Row>> = Readonly<{
  screen: string;
  about: string;
  /** For example "role". */
  noun: string;
  /** The button that opens the form of a new record, and the heading of that form. */
  add: string;
  adding: string;
  empty: Readonly<{
    heading: string;
    about: string;
    /** The body of a sample call that creates a record, or another command. */
    body?: Readonly<Record<string, unknown>>;
    command?: string;
  }>;
  load: (signal: AbortSignal) => Promise<Loaded>;
  pollMs: number;
  /** Columns named by `spareFor` are hidden at first. */
  columns: readonly Column<Row>[];
  spareFor?: (rows: readonly Row[]) => ReadonlySet<string>;
  /** Other records can still be opened. */
  isListed?: (row: Row) => boolean;
  /** Filters the rows by the address; all rows when absent. */
  list?: (rows: readonly Row[], at: RecordScreen) => Listed<Row>;
  /** Changes several records at once. Null if the user cannot. */
  bulk?: () => Bulk<Row> | null;
  /** `config:write` when absent. */
  mayWrite?: () => boolean;
  /** Null if records cannot be edited. */
  form: (row: Row | null, at: RecordScreen, given: Loaded) => DrawForm | null;
  /** By segment in the address. The heading names the part. */
  aspects?: Readonly<Record<string, Aspect<Row>>>;
  record: (row: Row, at: RecordScreen, given: Loaded) => unknown;
  /** In the head of the drawer; "Copy as", "Edit" and "Delete" when absent. */
  actions?: (row: Row, at: RecordScreen, given: Loaded) => unknown;
  deletion?: (row: Row) => Save | Promise<Save>;
  /** Explains a save and what depends on the record. */
  words?: (save: Save, row: Row | null) => unknown;
  after?: (at: RecordScreen) => unknown;
  /** The kind in the log, if it differs from that of the screen. */
  logged?: Noun;
  styles?: CSSResult;
}>;

type Aspect<Row> = Readonly<{ prefix: string; form: (row: Row) => DrawForm }>;

export function resourceScreen<Row extends Entity, Loaded extends Rows<Row>>(
  kind: ResourceKind<Row, Loaded>,
): void {
  class Screen extends ResourceScreen<Row, Loaded> {
    static override styles = [base, buttons, record, bulkStyles, kind.styles ?? []].flat();

    constructor() {
      super(kind);
    }
  }
  customElements.define(`gw-screen-${kind.screen}`, Screen);
}

class ResourceScreen<Row extends Entity, Loaded extends Rows<Row>> extends RecordScreen {
  readonly #kind: ResourceKind<Row, Loaded>;
  readonly #loaded: Resource<Loaded>;
  #ticked: ReadonlySet<number> = new Set();
  #columns: Readonly<{ key: string; shown: readonly Column<Row>[] }> | null = null;

  constructor(kind: ResourceKind<Row, Loaded>) {
    super();
    this.#kind = kind;
    this.#loaded = new Resource(this, kind.load, { pollMs: kind.pollMs });
  }

  protected override get screen(): string {
    return this.#kind.screen;
  }

  get #heading(): string {
    return screenNamed(this.#kind.screen)?.title ?? '';
  }

  override isWritable(): boolean {
    return this.#kind.mayWrite === undefined
      ? super.isWritable()
      : this.#kind.mayWrite() && !isReadOnly();
  }

  /** After a save. */
  protected override reload(): Promise<void> {
    this.#ticked = new Set();
    return this.#loaded.reload();
  }

  protected override hasForm(): boolean {
    return this.isNew() || this.aspect() === 'edit' || this.#aspect() !== undefined;
  }

  #aspect(): Aspect<Row> | undefined {
    return this.#kind.aspects?.[this.aspect() ?? ''];
  }

  protected override render() {
    const { value: given } = this.#loaded;
    const opened = this.openedIn(given?.rows);
    return html`<gw-page heading=${this.#heading} about=${this.#kind.about}>
        ${this.adder(this.#kind.add, { inHead: true })} ${failureNotice(this.#loaded)}
        ${loaded(this.#loaded, ({ rows }) => this.#rows(rows))}
      </gw-page>
      ${this.#drawer(opened, given)} ${this.asking(this.#words(opened))}
      ${this.#kind.after?.(this) ?? nothing}`;
  }

  #words(row: Row | null) {
    const { save } = this;
    return save === null ? nothing : (this.#kind.words?.(save, row) ?? save.breaks);
  }

  #rows(all: readonly Row[]) {
    const rows = all.filter(this.#kind.isListed ?? (() => true));
    return rows.length === 0 ? this.#empty() : this.#list(rows);
  }

  #empty() {
    const { heading, about, body, command } = this.#kind.empty;
    return html`<gw-empty
      heading=${heading}
      icon=${screenNamed(this.#kind.screen)?.icon ?? 'circle-dashed'}
      command=${command ?? this.#creation(body)}
    >
      <span slot="about">${about}</span>
      ${this.adder(this.#kind.add, { inHead: false })}
    </gw-empty>`;
  }

  #creation(body: Readonly<Record<string, unknown>> = {}): string {
    return adminCurl({ origin: globalThis.location.origin, path: pathOf(this.#kind.screen), body });
  }

  #list(all: readonly Row[]) {
    const { rows, bar } = this.#kind.list?.(all, this) ?? { rows: all, bar: nothing };
    const bulk = isReadOnly() ? null : (this.#kind.bulk?.() ?? null);
    const table = this.table({
      label: this.#heading,
      noun: this.#kind.noun,
      columns: this.#columnsFor(all),
      rows,
      isStale: this.#loaded.failure !== null,
      bar,
      ticked: bulk === null ? null : this.#ticked,
      onTick: (ticked) => {
        this.#ticked = ticked;
        this.requestUpdate();
      },
    });
    return bulk === null ? table : html`${table} ${this.#bulk(rows, bulk)}`;
  }

  #bulk(rows: readonly Row[], { verb, applies, save }: Bulk<Row>) {
    const chosen = rows.filter((row) => this.#ticked.has(row.id) && applies(row));
    if (chosen.length === 0) return nothing;
    const isTooMany = chosen.length > bulkMax;
    return html`<div class="bulk">
      <button
        type="button"
        class="danger"
        ?disabled=${isTooMany}
        @click=${() => this.ask(save(chosen))}
      >
        ${verb} ${formatCount(chosen.length, this.#kind.noun)}
      </button>
      ${isTooMany ? html`<span class="quiet">At most ${bulkMax} at once</span>` : nothing}
    </div>`;
  }

  /** New columns would reset the table, so they change only if other columns become spare. */
  #columnsFor(rows: readonly Row[]): readonly Column<Row>[] {
    const { columns, spareFor } = this.#kind;
    const spare = spareFor?.(rows);
    const key = [...(spare ?? [])].join(' ');
    if (this.#columns?.key !== key) {
      const shown = columns.map((one) =>
        spare?.has(one.id) === true ? Object.assign({}, one, { spare: true }) : one,
      );
      this.#columns = { key, shown };
    }
    return this.#columns.shown;
  }

  /** Opens once the records are loaded, so that its name gets the focus. */
  #drawer(row: Row | null, given: Loaded | undefined) {
    if (given === undefined) return this.drawer({ heading: '', content: null });
    const prefix = this.#aspect()?.prefix ?? '';
    const form = this.#form(row, given);
    return this.drawer({
      heading: this.isNew() ? this.#kind.adding : `${prefix}${row?.name ?? ''}`,
      actions: row === null || form !== null ? nothing : this.#actions(row, given),
      content: form ?? (row === null ? null : this.#record(row, given)),
    });
  }

  #form(row: Row | null, given: Loaded): unknown {
    const aspect = this.#aspect();
    if (row !== null && aspect !== undefined) return aspect.form(row)(this.failure);
    const isOpen = this.isNew() || (row !== null && this.aspect() === 'edit');
    return isOpen ? (this.#kind.form(row, this, given)?.(this.failure) ?? null) : null;
  }

  #record(row: Row, given: Loaded) {
    return html`${this.#kind.record(row, this, given)}
    ${historyOf(this.#kind.logged ?? nounOf(this.#kind.screen), row)}`;
  }

  #actions(row: Row, given: Loaded) {
    if (this.#kind.actions !== undefined) return this.#kind.actions(row, this, given);
    const { deletion } = this.#kind;
    return deletion === undefined ? nothing : this.actionsFor(row, () => deletion(row));
  }
}

const bulkStyles = css`
  .bulk {
    position: sticky;
    bottom: 0;
    display: flex;
    align-items: center;
    gap: var(--space-3);
    padding: var(--space-3) 0;
    background: var(--ground);
  }
`;

const factsOf = (screen: string) =>
  allNouns.find((one) => one.screen?.name === screen && one.screen.part === null);

const nounOf = (screen: string): string => factsOf(screen)?.noun ?? '';

const pathOf = (screen: string): string => `/admin/${factsOf(screen)?.paths[0] ?? ''}`;
