// The screens of API keys and of admin tokens: the list by state, the record that is open next to it, a new one that is shown once, and
// its revocation.

import { html, nothing } from 'lit';
import type { PropertyDeclarations } from 'lit';

import { list } from '../api/http/call.ts';
import type { Principal, Role } from '../api/records.ts';
import '../elements/badge.ts';
import '../elements/empty.ts';
import { loaded, troubleOf } from '../elements/loaded.ts';
import '../elements/page.ts';
import { Resource } from '../elements/resource.ts';
import '../elements/segments.ts';
import type { Column } from '../elements/table/table.ts';
import '../elements/time.ts';
import { bearerStates, isRevoked, shownState } from '../lib/access/bearer.ts';
import type { Bearer } from '../lib/access/bearer.ts';
import { adminCurl } from '../lib/saves/copy-as.ts';
import { narrowed } from '../lib/text/narrow.ts';
import type { Save } from '../lib/saves/save.ts';
import { isReadOnly } from '../state/as-of.ts';
import { openRest } from '../state/location.ts';
import './bearer-record.ts';
import { copyRecord } from './copy-record.ts';
import { historyOf } from './entity-history.ts';
import './made-bearer.ts';
import type { MadeBearer } from './made-bearer.ts';
import { narrowedBy } from './narrowed.ts';
import { RecordScreen } from './record-screen.ts';

const moment = (at: string | null, none: string) =>
  at === null ? html`<span class="quiet">${none}</span>` : html`<gw-time at=${at}></gw-time>`;

const before: readonly Column<Bearer>[] = [
  { id: 'name', label: 'Name', value: ({ name }) => name },
  {
    id: 'prefix',
    label: 'Prefix',
    value: ({ prefix }) => prefix,
    cell: ({ prefix }) => html`<code>${prefix}…</code>`,
  },
  { id: 'principal', label: 'Principal', value: ({ principal }) => principal },
];

const after: readonly Column<Bearer>[] = [
  {
    id: 'state',
    label: 'State',
    value: (one) => shownState(one)?.label ?? '',
    cell: (one) =>
      html`<gw-badge tone=${shownState(one)?.tone ?? 'plain'}>${shownState(one)?.label}</gw-badge>`,
  },
  {
    id: 'expires_at',
    label: 'Expires',
    value: ({ expires_at }) => expires_at,
    cell: ({ expires_at }) => moment(expires_at, 'never'),
  },
  {
    id: 'last_used_at',
    label: 'Last used',
    value: ({ last_used_at }) => last_used_at,
    cell: ({ last_used_at }) => moment(last_used_at, isReadOnly() ? 'not known' : 'never'),
  },
  {
    id: 'created_at',
    label: 'Created',
    value: ({ created_at }) => created_at,
    cell: ({ created_at }) => moment(created_at, ''),
  },
  { id: 'id', label: 'Id', spare: true, end: true, value: ({ id }) => id },
];

/** The columns of all of them, and their own after the principal. */
export const bearerColumns = <Row extends Bearer>(
  own: readonly Column<Row>[] = [],
): readonly Column<Row>[] => [...before, ...own, ...after];

type Words = Readonly<{
  heading: string;
  about: string;
  /** "key" or "token". */
  noun: string;
  /** What a revocation does. */
  revoked: string;
  empty: Readonly<{ about: string; body: Readonly<Record<string, unknown>> }>;
}>;

export type People = Readonly<{ principals: readonly Principal[]; roles: readonly Role[] }>;

export abstract class BearerScreen<Row extends Bearer, Made> extends RecordScreen {
  static override properties: PropertyDeclarations = { made: { state: true } };
  /** What is shown this once. */
  declare made: MadeBearer | null;
  /** As the log names them, such as `api_key`. */
  protected abstract readonly kind: string;
  protected abstract readonly words: Words;
  protected abstract readonly icon: string;
  protected abstract readonly columns: readonly Column<Row>[];
  protected abstract readonly rows: Resource<readonly Row[]>;
  protected abstract mayRevoke(): boolean;
  protected abstract revocation(row: Row): Save;
  /** The form of a new one. */
  protected abstract form(people: People): unknown;
  protected abstract shownOnce(made: Made): Promise<MadeBearer>;
  readonly #people = new Resource<People>(this, async (signal) => {
    const [principals, roles] = await Promise.all([
      list('/admin/principals', { signal }),
      list('/admin/roles', { signal }),
    ]);
    return { principals, roles };
  });

  constructor() {
    super();
    this.made = null;
  }

  protected override reload(): Promise<void> {
    return this.rows.reload();
  }

  protected override render() {
    const { heading, about, noun, revoked } = this.words;
    return html`<gw-page heading=${heading} about=${about}>
        ${this.adder(`Create ${noun}`, { inHead: true })} ${troubleOf(this.rows)}
        ${loaded(this.rows, (all) => this.#list(all), { empty: () => this.#empty() })}
      </gw-page>
      ${this.#opened(this.openedIn(this.rows.value))}
      ${this.asking(this.save?.danger === true ? html`<p>${revoked}</p>` : nothing)}
      <gw-made-bearer
        noun=${noun}
        .made=${this.made}
        @gw-close=${this.#closeMade}
      ></gw-made-bearer>`;
  }

  #empty() {
    const { noun, empty } = this.words;
    const { origin } = globalThis.location;
    const command = adminCurl({ origin, path: `/admin/${this.screen}`, body: empty.body });
    return html`<gw-empty heading="No ${noun}s yet" icon=${this.icon} command=${command}>
      <span slot="about">${empty.about}</span>
      ${this.adder(`Create ${noun}`, { inHead: false })}
    </gw-empty>`;
  }

  /** All of them, or those of one principal. */
  #list(all: readonly Row[]) {
    const { state: chosen = '', principal = '' } = this.query;
    const rows = narrowed(all, principal, ({ principal_id }) => [principal_id]);
    const whose = rows[0]?.principal ?? `principal ${principal}`;
    const { heading, noun } = this.words;
    return this.table({
      label: heading,
      noun,
      columns: this.columns,
      rows: chosen === '' ? rows : rows.filter((one) => shownState(one)?.value === chosen),
      isStale: this.rows.failure !== null,
      bar: html`${narrowedBy({
          asked: principal,
          words: `Of ${whose}`,
          href: this.viewLink({ principal: '' }),
        })}<gw-segments
          slot="bar"
          label="${heading} by state"
          .segments=${this.#segments(rows)}
          chosen=${chosen}
        ></gw-segments>`,
    });
  }

  #segments(rows: readonly Row[]) {
    const counts = Map.groupBy(rows, (one) => shownState(one)?.value);
    return [
      { value: '', label: 'all', count: rows.length, href: this.viewLink({ state: '' }) },
      ...bearerStates.map(({ value, label }) => ({
        value,
        label,
        count: counts.get(value)?.length ?? 0,
        href: this.viewLink({ state: value }),
      })),
    ];
  }

  /** `/new`, `/new/7` for principal 7, and `/12`. */
  #opened(one: Row | null) {
    return this.drawer({
      heading: this.isNew() ? `Create a ${this.words.noun}` : (one?.name ?? ''),
      actions: one === null ? nothing : this.#revoker(one),
      content: this.isNew()
        ? this.#form()
        : one === null
          ? null
          : html`<gw-bearer-record .bearer=${one}></gw-bearer-record>${historyOf(this.kind, one)}`,
    });
  }

  #form() {
    const { value: people } = this.#people;
    return people === undefined
      ? html`${troubleOf(this.#people)} ${loaded(this.#people, () => nothing)}`
      : this.form(people);
  }

  #revoker(one: Row) {
    const copy = copyRecord(this.screen, one);
    if (isRevoked(one) || !this.mayRevoke() || isReadOnly()) return copy;
    return html`${copy}<button
        slot="actions"
        type="button"
        @click=${() => this.ask(this.revocation(one))}
      >
        <gw-icon name="trash-2"></gw-icon>Revoke
      </button>`;
  }

  protected readonly onMade = async ({ detail }: CustomEvent<Made>): Promise<void> => {
    this.made = await this.shownOnce(detail);
  };

  readonly #closeMade = (): void => {
    const { made } = this;
    this.made = null;
    if (made !== null) openRest([made.id]);
  };
}
