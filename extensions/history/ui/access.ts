// Shows who could call which model at a time, or who gained and lost access between two times. A row opens its grants with the events that
// made them.

import { css, html, nothing } from 'lit';

import { element, state } from '../../../ui/elements/element.ts';
import { accessFile, accessMax, diffAccess, listAccess } from './access-rows.ts';
import type { Access, AccessChange } from './access-rows.ts';
import { wrongField } from '../../../ui/api/http/failure.ts';
import type { ApiFailure } from '../../../ui/api/http/failure.ts';
import { getLogHead } from '../../../ui/api/log.ts';
import '../../../ui/elements/badge.ts';
import '../../../ui/elements/overlay/drawer.ts';
import '../../../ui/elements/empty.ts';
import '../../../ui/elements/form/field.ts';
import type { FieldInput } from '../../../ui/elements/form/field.ts';
import '../../../ui/elements/icon.ts';
import { loaded, failureNotice } from '../../../ui/elements/loaded.ts';
import { Resource } from '../../../ui/elements/resource.ts';
import '../../../ui/elements/table/table.ts';
import type { Column } from '../../../ui/elements/table/table.ts';
import '../../../ui/elements/time.ts';
import { Watch } from '../../../ui/elements/watch.ts';
import { accessKey, grantedSince, waysText } from './access-words.ts';
import { formatNumber } from '../../../ui/lib/text/format.ts';
import { momentWords, readMoment } from '../../../ui/lib/history/history.ts';
import { isOneFile } from '../../../ui/state/base.ts';
import { changeQuery, linkTo, openRest, place } from '../../../ui/state/location.ts';
import { keepView, tableView } from '../../../ui/state/table-view.ts';
import { base, buttons } from '../../../ui/styles/base.ts';
import './grants.ts';
import { listStyles } from '../../../ui/styles/list.ts';

type Row = Access & Readonly<{ change: AccessChange['change'] | null }>;

const common: readonly Column<Row>[] = [
  { id: 'principal', label: 'Principal', value: ({ principal }) => principal },
  { id: 'model', label: 'Model', value: ({ model }) => model },
  { id: 'via', label: 'Roles', value: waysText },
  {
    id: 'since',
    label: 'Since',
    value: grantedSince,
    cell: (one) => html`<gw-time at=${grantedSince(one) ?? ''}></gw-time>`,
  },
  {
    id: 'keys',
    label: 'Active keys',
    end: true,
    value: ({ keys }) => keys.length,
    cell: ({ keys }) =>
      keys.length === 0 ? html`<span class="quiet">none</span>` : formatNumber(keys.length),
  },
  { id: 'principal_id', label: 'Principal id', spare: true, value: (one) => one.principal_id },
  { id: 'model_id', label: 'Model id', spare: true, value: (one) => one.model_id },
];

const changeColumns: readonly Column<Row>[] = [
  ...common.slice(0, 2),
  {
    id: 'change',
    label: 'Change',
    value: ({ change }) => change,
    cell: ({ change }) =>
      html`<gw-badge tone=${change === 'gained' ? 'warn' : 'info'}>${change}</gw-badge>`,
  },
  ...common.slice(2),
];

/** A principal can lose one way to a model and gain another. */
const keyOf = (row: Row): string =>
  row.change === null ? accessKey(row) : `${row.change}.${accessKey(row)}`;

class HistoryAccess extends element({
  /** The values as typed. */
  at: state(''),
  since: state(''),
  wrong: state<ApiFailure | null>(null),
}) {
  static override styles = [
    base,
    buttons,
    listStyles,
    css`
      .ask {
        display: grid;
        grid-template-columns: minmax(0, 15rem) minmax(0, 15rem) auto auto 1fr;
        align-items: start;
        gap: var(--space-3);
        margin-bottom: var(--space-4);
      }

      .ask > button,
      .ask > a {
        margin-top: 1.4375rem;
      }

      .file {
        justify-self: end;
        grid-column: -2;
      }

      @media (max-width: 800px) {
        .ask {
          grid-template-columns: minmax(0, 1fr);
        }

        .ask > button,
        .ask > a {
          margin-top: 0;
        }

        .file {
          justify-self: start;
          grid-column: 1;
        }
      }
    `,
  ];
  readonly #place = new Watch(this, place);
  readonly #rows = new Resource(this, (signal) => this.#load(signal));

  async #load(signal: AbortSignal): Promise<readonly Row[]> {
    const { at, since } = this.#place.value.query;
    if (since === undefined) {
      const rows = await listAccess(at ?? null, signal);
      return rows.map((row) => Object.assign(row, { change: null }));
    }
    const to = at ?? String((await getLogHead(signal)).body.position);
    return diffAccess({ from: since, to }, signal);
  }

  protected override render() {
    const { at, since } = this.#place.value.query;
    return html`<div class="ask" @gw-input=${this.#onInput} @gw-enter=${this.#ask}>
        <gw-field
          name="at"
          label="At"
          hint="Version, or time in UTC. Leave empty for the current one"
          error=${this.wrong?.param === 'at' ? this.wrong.message : ''}
          .value=${this.at}
        ></gw-field>
        <gw-field
          name="since"
          label="Compare with"
          hint="An earlier version or time. Leave empty to list all access"
          error=${this.wrong?.param === 'since' ? this.wrong.message : ''}
          .value=${this.since}
        ></gw-field>
        <button type="button" class="primary" @click=${this.#ask}>Review</button>
        ${
          since === undefined && !isOneFile
            ? html`<a class="button file" download href=${accessFile(at ?? null)}
                ><gw-icon name="download"></gw-icon>Download CSV</a
              >`
            : nothing
        }
      </div>
      ${failureNotice(this.#rows)} ${loaded(this.#rows, (found) => this.#table(found))}
      ${this.#drawer(this.#rows.value ?? [])}`;
  }

  #table(rows: readonly Row[]) {
    const { at, since } = this.#place.value.query;
    if (rows.length === 0) {
      return since === undefined
        ? html`<gw-empty
            heading="No principal can call any model"
            icon="shield-check"
            command="gw access"
          >
            <span slot="about"
              >A principal can call the models that its roles allow.
              ${at === undefined ? '' : `This was the state at ${momentWords(at)}.`}</span
            >
            <a class="button" href=${linkTo({ screen: 'roles' })}>See roles</a>
          </gw-empty>`
        : html`<gw-empty
            heading="No changes in access"
            icon="shield-check"
            command="gw access diff FROM TO"
          >
            <span slot="about">Every principal can call the same models at both times.</span>
            <a class="button" href=${linkTo({ screen: 'history', rest: ['access'] })}
              >List all access</a
            >
          </gw-empty>`;
    }
    return html`<gw-table
        label=${since === undefined ? 'Access' : 'Changes in access'}
        noun="grant"
        .columns=${since === undefined ? common : changeColumns}
        .rows=${rows}
        .keyOf=${keyOf}
        .view=${tableView()}
        .hrefOf=${(row: Row) =>
          linkTo({
            screen: 'history',
            rest: ['access', keyOf(row)],
            query: this.#place.value.query,
          })}
        .chosen=${this.#place.value.rest[1] ?? null}
        @gw-view=${keepView}
      ></gw-table>
      ${
        rows.length < accessMax
          ? nothing
          : html`<div class="more">
              <span
                >The first
                ${formatNumber(accessMax)}${isOneFile ? '.' : '. The CSV file contains all of them.'}</span
              >
            </div>`
      }`;
  }

  #drawer(rows: readonly Row[]) {
    const [, key = ''] = this.#place.value.rest;
    const row = rows.find((one) => keyOf(one) === key) ?? null;
    return html`<gw-drawer
      heading=${row === null ? '' : `${row.principal} may call ${row.model}`}
      ?open=${row !== null}
      @gw-close=${() => openRest(['access'])}
    >
      ${row === null ? nothing : html`<gw-history-grants .access=${row}></gw-history-grants>`}
    </gw-drawer>`;
  }

  readonly #onInput = ({ detail: { name, value } }: CustomEvent<FieldInput>): void => {
    this.wrong = null;
    if (name === 'at') this.at = value;
    else this.since = value;
  };

  readonly #ask = (): void => {
    const at = this.at.trim() === '' ? '' : readMoment(this.at);
    const since = this.since.trim() === '' ? '' : readMoment(this.since);
    const wrong = at === null ? 'at' : since === null ? 'since' : null;
    if (wrong === null) changeQuery({ at, since, page: null });
    else this.wrong = wrongField(wrong, 'must be a version, a position or a time');
  };

  #asked: string | null = null;

  /** Loads again when the times in the address change. */
  protected override willUpdate(): void {
    const { at = '', since = '' } = this.#place.value.query;
    const asked = JSON.stringify([at, since]);
    if (asked === this.#asked) return;
    const isFirst = this.#asked === null;
    this.#asked = asked;
    this.at = at;
    this.since = since;
    if (!isFirst) void this.#rows.reload();
  }
}

customElements.define('gw-history-access', HistoryAccess);
