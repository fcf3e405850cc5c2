// Shows the configuration at any position of the export: all records, and the fields of one.
// Secrets show only whether they are set.

import { css, html, nothing } from 'lit';

import { element, state } from '../../../ui/elements/element.ts';
import { wrongField } from '../../../ui/api/http/failure.ts';
import type { ApiFailure } from '../../../ui/api/http/failure.ts';
import { getLogHead } from '../../../ui/api/log.ts';
import { diffSnapshots } from '../../../ui/api/snapshots.ts';
import type { Difference } from '../../../ui/api/snapshots.ts';
import '../../../ui/elements/copy.ts';
import '../../../ui/elements/overlay/drawer.ts';
import '../../../ui/elements/empty.ts';
import '../../../ui/elements/form/field.ts';
import type { FieldInput } from '../../../ui/elements/form/field.ts';
import '../../../ui/elements/icon.ts';
import { loaded, failureNotice } from '../../../ui/elements/loaded.ts';
import { Resource } from '../../../ui/elements/resource.ts';
import '../../../ui/elements/table/table.ts';
import type { Column } from '../../../ui/elements/table/table.ts';
import { Watch } from '../../../ui/elements/watch.ts';
import { formatNumber } from '../../../ui/lib/text/format.ts';
import {
  changesOfDifference,
  kindLabel,
  kindNames,
  readMoment,
} from '../../../ui/lib/history/history.ts';
import { changeQuery, linkTo, navigate, place } from '../../../ui/state/location.ts';
import { keepView, tableView } from '../../../ui/state/table-view.ts';
import { listStyles } from '../../../ui/styles/list.ts';
import { base, buttons, controls } from '../../../ui/styles/base.ts';
import { record } from '../../../ui/styles/record.ts';
import { shownAt } from './screens.ts';

const pageRows = 1_000;
const rowsMax = 20_000;

type Loaded = Readonly<{
  version: number;
  position: number;
  total: number;
  rows: readonly Difference[];
}>;

const columns: readonly Column<Difference>[] = [
  {
    id: 'name',
    label: 'Name',
    value: ({ name, kind, id }) => name ?? `${kindLabel(kind)} ${id}`,
  },
  { id: 'kind', label: 'Kind', value: ({ kind }) => kindLabel(kind) },
  { id: 'id', label: 'Id', value: ({ id }) => id },
  { id: 'fields', label: 'Fields set', end: true, value: ({ fields }) => fields.length },
];

type Entity = Readonly<{ kind: string; id: number }>;

const streamOf = ({ kind, id }: Entity): string => `${kind}-${id}`;

/** The configuration is the difference between nothing and the position. */
async function load(moment: string | null, kind: string, signal: AbortSignal): Promise<Loaded> {
  const to = moment ?? String((await getLogHead(signal)).body.position);
  const rows: Difference[] = [];
  for (;;) {
    const query = { ...(kind === '' ? {} : { kind }), offset: rows.length, limit: pageRows };
    const { body } = await diffSnapshots({ from: 0, to }, query, signal);
    rows.push(...body.differences);
    const isAll = rows.length >= body.total || body.differences.length === 0;
    if (isAll || rows.length >= rowsMax) return { ...body.to, total: body.total, rows };
  }
}

class ViewerConfiguration extends element({
  /** The typed text. */
  at: state(''),
  wrong: state<ApiFailure | null>(null),
}) {
  static override styles = [
    base,
    buttons,
    controls,
    record,
    listStyles,
    css`
      .ask {
        display: flex;
        flex-wrap: wrap;
        align-items: start;
        gap: var(--space-3);
        margin-bottom: var(--space-4);
      }

      .ask gw-field {
        flex: 0 1 18rem;
      }

      .ask > button,
      .ask > select {
        width: auto;
        margin-top: 1.4375rem;
      }

      @media (max-width: 640px) {
        .ask gw-field {
          flex-basis: 100%;
        }

        .ask > button,
        .ask > select {
          margin-top: 0;
        }
      }

      dl {
        grid-template-columns: minmax(8.5rem, 14rem) minmax(0, 1fr);
        column-gap: var(--space-3);
      }

      .ways {
        display: flex;
        flex-wrap: wrap;
        gap: var(--space-2);
        margin-bottom: var(--space-4);
      }
    `,
  ];
  readonly #place = new Watch(this, place);
  readonly #rows = new Resource(this, (signal) => {
    const { as_of: moment } = this.#place.value.query;
    return load(moment ?? null, this.#kind(), signal);
  });

  /** The open record; a link from any screen can name one. */
  #open(): Readonly<{ kind: string; id: number }> | null {
    const { screen, rest } = this.#place.value;
    const [, kind = '', id = ''] = screen === 'history' ? rest : [];
    const shown = screen === 'history' ? { kind, id: Number(id) } : shownAt(screen, rest);
    return shown.kind === null || shown.kind === '' || !shown.id
      ? null
      : { kind: shown.kind, id: shown.id };
  }

  /** Empty for all kinds. */
  #kind(): string {
    const { screen, rest, query } = this.#place.value;
    return query['kind'] ?? (screen === 'history' ? '' : (shownAt(screen, rest).kind ?? ''));
  }

  protected override render() {
    const { value } = this.#rows;
    return html`<div class="ask" @gw-input=${this.#onInput} @gw-enter=${this.#ask}>
        <gw-field
          name="at"
          label="As of"
          hint="Version, position or time in UTC. Leave empty for the end"
          error=${this.wrong?.message ?? ''}
          .value=${this.at}
        ></gw-field>
        <button type="button" class="primary" @click=${this.#ask}>Show</button>
        <select aria-label="Kind" @change=${this.#onKind}>
          <option value="">All kinds</option>
          ${kindNames.map(
            (name) =>
              html`<option value=${name} ?selected=${name === this.#kind()}>
                ${kindLabel(name)}
              </option>`,
          )}
        </select>
      </div>
      ${failureNotice(this.#rows)} ${loaded(this.#rows, (found) => this.#table(found))}
      ${this.#drawer(value)}`;
  }

  #table({ rows, total, version, position }: Loaded) {
    if (rows.length === 0) {
      return html`<gw-empty heading="No records" icon="layers">
        <span slot="about"
          >No record of this kind exists at version ${version}, position ${position}.</span
        >
      </gw-empty>`;
    }
    const { query } = this.#place.value;
    return html`<gw-table
        label="Configuration"
        noun="record"
        .columns=${columns}
        .rows=${rows}
        .keyOf=${streamOf}
        .view=${tableView()}
        .hrefOf=${({ kind, id }: Difference) =>
          linkTo({ screen: 'history', rest: ['configuration', kind, id], query })}
        .chosen=${this.#open() === null ? null : streamOf(this.#open() ?? { kind: 'model', id: 0 })}
        @gw-view=${keepView}
        ><span slot="bar" class="quiet">at version ${version}, position ${position}</span></gw-table
      >
      ${
        total > rows.length
          ? html`<div class="more">
              Showing the first ${formatNumber(rows.length)} of ${formatNumber(total)} records.
              Choose a kind to see others.
            </div>`
          : nothing
      }`;
  }

  #drawer(value: Loaded | undefined) {
    const open = this.#open();
    const row = value?.rows.find(({ kind, id }) => kind === open?.kind && id === open.id);
    const words = open === null ? '' : `${kindLabel(open.kind)} ${open.id}`;
    return html`<gw-drawer
      heading=${row?.name ?? words}
      ?open=${open !== null && value !== undefined}
      @gw-close=${this.#onClose}
    >
      ${open === null || value === undefined ? nothing : this.#entity(open, row)}
    </gw-drawer>`;
  }

  #entity(open: Readonly<{ kind: string; id: number }>, row: Difference | undefined) {
    const stream = `${open.kind}-${open.id}`;
    return html`<div class="ways">
        <a class="button" href=${linkTo({ screen: 'history', query: { stream } })}
          ><gw-icon name="history"></gw-icon>View changes</a
        >
        <a class="button" href=${linkTo({ screen: 'history', rest: ['events'], query: { stream } })}
          ><gw-icon name="scroll-text"></gw-icon>View events</a
        >
      </div>
      ${
        row === undefined
          ? html`<gw-empty heading="Not found" icon="layers">
              <span slot="about"
                >No record has this id at this position: <code>${stream}</code>.</span
              >
            </gw-empty>`
          : this.#fields(row)
      }`;
  }

  #fields(row: Difference) {
    return html`<dl>
      <dt>Kind</dt>
      <dd>${kindLabel(row.kind)} <code class="quiet">${streamOf(row)}</code></dd>
      ${changesOfDifference(row).map(
        ({ field, after }) =>
          html`<dt>${field}</dt>
            <dd>${valueText(after)}</dd>`,
      )}
    </dl>`;
  }

  readonly #onInput = ({ detail: { value } }: CustomEvent<FieldInput>): void => {
    this.at = value;
    this.wrong = null;
  };

  readonly #ask = (): void => {
    const moment = this.at.trim() === '' ? '' : readMoment(this.at);
    if (moment === null) this.wrong = wrongField('at', 'must be a version, a position or a time');
    else changeQuery({ as_of: moment, page: null });
  };

  readonly #onKind = ({ target }: Event): void => {
    if (!(target instanceof HTMLSelectElement)) return;
    const { as_of: moment } = this.#place.value.query;
    const query = { kind: target.value, ...(moment === undefined ? {} : { as_of: moment }) };
    navigate({ screen: 'history', rest: ['configuration'], query });
  };

  readonly #onClose = (): void => {
    const { query } = this.#place.value;
    navigate({
      screen: 'history',
      rest: ['configuration'],
      query: { ...query, kind: this.#kind() },
    });
  };

  #asked: string | null = null;

  /** Loads again when the address changes. */
  protected override willUpdate(): void {
    const { as_of: moment = '' } = this.#place.value.query;
    const asked = `${moment} ${this.#kind()}`;
    if (asked === this.#asked) return;
    const isFirst = this.#asked === null;
    this.#asked = asked;
    this.at = moment;
    if (!isFirst) void this.#rows.reload();
  }
}

const valueText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

customElements.define('gw-history-configuration', ViewerConfiguration);
