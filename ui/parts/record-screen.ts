// Base class of record screens: a list, the record that the address names (`/7`, `/7/edit`, `/new`), and the dialog of a save. Refusals go
// back to the form.

import { LitElement, html, nothing } from 'lit';
import type { PropertyDeclarations } from 'lit';
import { keyed } from 'lit/directives/keyed.js';

import type { Answered } from '../api/http/call.ts';
import { asFailure } from '../api/http/failure.ts';
import type { ApiFailure } from '../api/http/failure.ts';
import '../elements/overlay/drawer.ts';
import '../elements/icon.ts';
import '../elements/table/table.ts';
import type { Column } from '../elements/table/table.ts';
import { Watch } from '../elements/watch.ts';
import { streamOfPlace } from '../lib/history/history.ts';
import { asOf, isReadOnly } from '../state/as-of.ts';
import { linkTo, openRest, place } from '../state/location.ts';
import { may } from '../state/session.ts';
import { notify } from '../state/toasts.ts';
import { keepView, tableView } from '../state/table-view.ts';
import { base, buttons } from '../styles/base.ts';
import { copyRecord } from './copy-record.ts';
import './gone-record.ts';
import './save.ts';
import type { Save } from '../lib/saves/save.ts';

type Identified = Readonly<{ id: number; name?: string }>;

type List<Row> = Readonly<{
  label: string;
  noun: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  isStale: boolean;
  /** Shown next to the filter. */
  bar?: unknown;
  /** Null offers no ticks. */
  ticked?: ReadonlySet<number> | null;
  onTick?: (ticked: ReadonlySet<number>) => void;
}>;

type Drawer = Readonly<{
  heading: string;
  /** Buttons in the head, each with `slot="actions"`. */
  actions?: unknown;
  /** Null means closed. */
  content: unknown;
}>;

export abstract class RecordScreen extends LitElement {
  static override properties: PropertyDeclarations = {
    save: { state: true },
    failure: { state: true },
  };
  static override styles = [base, buttons];
  /** Null without a dialog. */
  declare save: Save | null;
  /** For the `failure` of the form. */
  declare failure: ApiFailure | null;
  /** Its segment in the address. */
  protected abstract readonly screen: string;
  protected abstract reload(): Promise<void>;
  readonly #place = new Watch(this, place);

  constructor() {
    super();
    this.save = null;
    this.failure = null;
  }

  get rest(): readonly string[] {
    return this.#place.value.rest;
  }

  get query(): Readonly<Record<string, string>> {
    return this.#place.value.query;
  }

  isWritable(): boolean {
    return may('config:write') && !isReadOnly();
  }

  /** Keeps the view. */
  link(...rest: readonly (string | number)[]): string {
    return linkTo({ screen: this.screen, rest, query: this.query });
  }

  /** Changes the view. */
  viewLink(change: Readonly<Record<string, string>>): string {
    const { page: _, ...query } = { ...this.query, ...change };
    const given = Object.entries(query).filter(([, value]) => value !== '');
    return linkTo({ screen: this.screen, query: Object.fromEntries(given) });
  }

  /** By id or by name, because the log names some records. */
  protected openedIn<Row extends Identified>(
    rows: readonly Row[] | undefined,
    asked = this.rest[0],
  ): Row | null {
    const byId = rows?.find(({ id }) => String(id) === asked);
    const found = byId ?? rows?.find(({ name }) => name !== undefined && name === asked) ?? null;
    this.#isGone = rows !== undefined && found === null;
    return found;
  }

  /** All records are loaded, and none matches the address. */
  #isGone = false;

  isNew(): boolean {
    return this.rest[0] === 'new' && this.isWritable();
  }

  /** For example `edit`; null if the user cannot edit. */
  aspect(): string | null {
    return this.isWritable() ? (this.rest[1] ?? null) : null;
  }

  /** In the head of the page or in the empty list. */
  protected adder(label: string, { inHead }: Readonly<{ inHead: boolean }>) {
    if (!this.isWritable()) return nothing;
    return html`<a slot=${inHead ? 'actions' : ''} class="button primary" href=${this.link('new')}
      >${inHead ? html`<gw-icon name="plus"></gw-icon>` : nothing}${label}</a
    >`;
  }

  protected table<Row extends Identified>(given: List<Row>) {
    return html`<gw-table
      label=${given.label}
      noun=${given.noun}
      .columns=${given.columns}
      .rows=${given.rows}
      .view=${tableView()}
      .hrefOf=${(one: Row) => this.link(one.id)}
      .chosen=${Number(this.rest[0])}
      ?stale=${given.isStale}
      .ticked=${given.ticked ?? null}
      @gw-tick=${({ detail }: CustomEvent<ReadonlySet<number>>) => given.onTick?.(detail)}
      @gw-view=${keepView}
      >${given.bar ?? nothing}</gw-table
    >`;
  }

  /** Each address has its own form. Forms dispatch `gw-review` and `gw-cancel`. */
  protected drawer({ heading, actions = nothing, content: given }: Drawer) {
    const gone = given === null ? this.#gone() : null;
    const content = given ?? gone;
    return html`<gw-drawer
      heading=${gone === null ? heading : 'Not found'}
      ?open=${content !== null}
      @gw-close=${this.close}
      @gw-review=${this.#onReview}
      @gw-cancel=${this.cancel}
    >
      ${actions} ${keyed(this.rest.join('/'), content === null ? nothing : content)}
    </gw-drawer>`;
  }

  /** Null unless the address has the id of a record that does not exist. */
  #gone() {
    const stream = streamOfPlace(this.screen, this.rest);
    return stream === null || !this.#isGone || asOf() !== null
      ? null
      : html`<gw-gone-record stream=${stream}></gw-gone-record>`;
  }

  /** "Copy as", "Edit" and "Delete" in the head of a drawer. */
  protected actionsFor(one: Identified, deletion: () => Save | Promise<Save>) {
    const copy = copyRecord(this.screen, one);
    if (!this.isWritable()) return copy;
    return html`${copy} ${this.changeLink(one.id)}
      <button
        slot="actions"
        type="button"
        class="plain danger"
        @click=${() => this.#askDeletion(deletion)}
      >
        <gw-icon name="trash-2"></gw-icon>Delete
      </button>`;
  }

  changeLink(id: number) {
    if (!this.isWritable()) return nothing;
    return html`<a slot="actions" class="button" href=${this.link(id, 'edit')}
      ><gw-icon name="pencil"></gw-icon>Edit</a
    >`;
  }

  /** Render this once per page. `words` explain the save and what depends on the record. */
  protected asking(words: unknown = this.save?.breaks ?? nothing) {
    return html`<gw-save
      .save=${this.save}
      @gw-close=${this.#closeSave}
      @gw-saved=${this.#onSaved}
      @gw-refused=${this.#onRefused}
      >${words}</gw-save
    >`;
  }

  ask(save: Save): void {
    this.failure = null;
    this.save = save;
  }

  /** May have to load what depends on the record first. */
  async #askDeletion(deletion: () => Save | Promise<Save>): Promise<void> {
    try {
      this.ask(await deletion());
    } catch (error) {
      const { message, requestId } = asFailure(error);
      const detail = requestId === null ? '' : `request ${requestId}`;
      notify({ tone: 'bad', text: `Couldn't determine what depends on this: ${message}`, detail });
    }
  }

  /** Goes back to the list. */
  protected readonly close = (): void => openRest([]);

  /** Goes back to the record, or to the list if there is none. */
  protected readonly cancel = (): void => openRest(this.#record());

  /** The address of the open record without its part. */
  #record(): readonly string[] {
    const [first = ''] = this.rest;
    return /^\d+$/.test(first) ? [first] : [];
  }

  /** True if the open page has fields that a refusal can name. */
  protected hasForm(): boolean {
    return this.isNew() || this.aspect() !== null;
  }

  protected override willUpdate(): void {
    if (!this.hasForm()) this.failure = null;
  }

  readonly #onReview = ({ detail }: CustomEvent<Save>): void => this.ask(detail);

  readonly #closeSave = (): void => {
    this.save = null;
  };

  readonly #onSaved = async ({ detail }: CustomEvent<Answered<unknown>>): Promise<void> => {
    const { save } = this;
    const record = this.#record();
    this.save = null;
    await this.reload();
    const opened = save?.opens?.(detail.body);
    if (opened !== undefined) openRest(opened);
    else if (!this.isNew()) openRest(record);
  };

  readonly #onRefused = ({ detail }: CustomEvent<ApiFailure>): void => {
    if (!this.hasForm()) return;
    this.save = null;
    this.failure = detail;
  };
}
