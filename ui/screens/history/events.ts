// The events of the log, filtered by the server, in either order; one of them beside the list. There is nothing here that writes.

import { LitElement, css, html, nothing } from 'lit';

import { listEvents } from '../../api/history.ts';
import type { LogEvent } from '../../api/history.ts';
import { listPrincipals } from '../../api/principals.ts';
import '../../elements/badge.ts';
import '../../elements/drawer.ts';
import '../../elements/empty.ts';
import '../../elements/icon.ts';
import { loaded, troubleOf } from '../../elements/loaded.ts';
import { Resource } from '../../elements/resource.ts';
import '../../elements/table.ts';
import type { Column } from '../../elements/table.ts';
import '../../elements/time.ts';
import { Watch } from '../../elements/watch.ts';
import { canHash, checkLinks } from '../../lib/chain.ts';
import type { ChainCheck } from '../../lib/chain.ts';
import { formatNumber } from '../../lib/format.ts';
import { historyQueryOf } from '../../lib/history.ts';
import { changeQuery, linkTo, openRest, place } from '../../state/location.ts';
import { keepView, tableView } from '../../state/table-view.ts';
import { base, buttons } from '../../styles/base.ts';
import './event.ts';
import './filters.ts';
import { listStyles } from './list-styles.ts';
import { firstRows } from './load.ts';

const pageRows = 100;

type Row = LogEvent & Readonly<{ who: string }>;
type Loaded = Readonly<{ rows: readonly Row[]; chain: ChainCheck | null }>;

const columns: readonly Column<Row>[] = [
  { id: 'position', label: 'Position', value: ({ position }) => position },
  { id: 'type', label: 'Event', value: ({ type }) => type },
  {
    id: 'stream',
    label: 'Stream',
    value: ({ stream }) => stream,
    cell: ({ stream, version }) =>
      html`<code>${stream}</code> <span class="quiet">v${version}</span>`,
  },
  {
    id: 'recorded_at',
    label: 'Recorded',
    value: (one) => one.recorded_at,
    cell: (one) => html`<gw-time absolute at=${one.recorded_at}></gw-time>`,
  },
  { id: 'who', label: 'Who', value: ({ who }) => who },
  {
    id: 'command',
    label: 'Command',
    value: ({ command }) => command,
    cell: ({ command, index, count }) =>
      html`${command}${count === 1 ? nothing : html` <span class="quiet">${index + 1}/${count}</span>`}`,
  },
  {
    id: 'hash',
    label: 'Hash',
    value: ({ hash }) => hash,
    cell: ({ hash }) => html`<code class="quiet">${hash.slice(0, 12)}</code>`,
  },
  { id: 'request_id', label: 'Request', spare: true, value: (one) => one.request_id },
  { id: 'tx_id', label: 'Transaction', spare: true, value: (one) => one.tx_id },
  { id: 'schema', label: 'Schema', spare: true, end: true, value: ({ schema }) => schema },
  { id: 'app_version', label: 'Written by', spare: true, value: (one) => one.app_version },
];

class HistoryEvents extends LitElement {
  static override styles = [
    base,
    buttons,
    listStyles,
    css`
      .chain {
        display: inline-flex;
        align-items: center;
        gap: var(--space-1);
        color: var(--text-2);
        font-size: var(--text-s);
      }

      .holds {
        color: var(--good);
      }

      .broken {
        color: var(--bad);
      }

      .order {
        margin-left: auto;
      }
    `,
  ];
  readonly #place = new Watch(this, place);
  #wanted = pageRows;
  readonly #events = new Resource(this, (signal) => this.#load(signal));

  async #load(signal: AbortSignal): Promise<Loaded> {
    const query = historyQueryOf(this.#place.value.query, Date.now());
    const [people, events] = await Promise.all([
      listPrincipals(signal),
      firstRows<LogEvent>(this.#wanted, (limit, last) =>
        listEvents({ ...query, limit, after: last?.position }, signal),
      ),
    ]);
    const names = new Map(people.map(({ id, name }) => [id, name]));
    const rows = events.map((one) => Object.assign(one, { who: whoOf(one, names) }));
    return { rows, chain: canHash() ? await checkLinks(events) : null };
  }

  protected override render() {
    const isOldest = this.#place.value.query['order'] === 'asc';
    return html`${troubleOf(this.#events)}
      <gw-history-filters typed>
        <button
          type="button"
          class="order"
          @click=${() => changeQuery({ order: isOldest ? null : 'asc' })}
        >
          <gw-icon name=${isOldest ? 'arrow-down' : 'arrow-up'}></gw-icon>${
            isOldest ? 'Oldest first' : 'Newest first'
          }
        </button>
      </gw-history-filters>
      ${loaded(this.#events, (found) => this.#table(found))} ${this.#drawer()}`;
  }

  #table({ rows, chain }: Loaded) {
    const { query } = this.#place.value;
    const { actor, stream, type, since } = query;
    if (rows.length === 0 && [actor, stream, type, since].every((one) => one === undefined)) {
      return html`<gw-empty heading="The log is empty" icon="history"></gw-empty>`;
    }
    return html`<gw-table
        partial
        label="Events"
        noun="event"
        .columns=${columns}
        .rows=${rows}
        .keyOf=${({ position }: Row) => position}
        .view=${tableView()}
        .hrefOf=${({ position }: Row) =>
          linkTo({ screen: 'history', rest: ['events', position], query })}
        .chosen=${Number(this.#place.value.rest[1])}
        ?stale=${this.#events.failure !== null}
        @gw-view=${keepView}
        >${this.#chain(chain)}</gw-table
      >
      <div class="more">
        ${
          rows.length < this.#wanted
            ? html`<span>That is all of it.</span>`
            : html`<button type="button" @click=${this.#onMore}>
                Load ${query['order'] === 'asc' ? 'newer' : 'older'}
              </button>`
        }
      </div>`;
  }

  /** What this browser found by computing the hashes anew. */
  #chain(chain: ChainCheck | null) {
    if (chain === null) {
      return html`<span slot="bar" class="chain"
        >the chain is checked by pages over HTTPS alone</span
      >`;
    }
    if (chain.broken !== null) {
      return html`<span slot="bar" class="chain broken"
        ><gw-icon name="circle-alert"></gw-icon>the chain is broken at ${chain.broken}</span
      >`;
    }
    if (chain.checked === 0) return nothing;
    return html`<span slot="bar" class="chain"
      ><gw-icon class="holds" name="circle-check"></gw-icon>${formatNumber(chain.checked)} links of
      the chain checked here: all hold</span
    >`;
  }

  #drawer() {
    const [, position = ''] = this.#place.value.rest;
    const isOpen = /^[1-9]\d*$/.test(position);
    return html`<gw-drawer
      heading=${isOpen ? `Event ${position}` : ''}
      ?open=${isOpen}
      @gw-close=${() => openRest(['events'])}
    >
      ${
        isOpen ? html`<gw-history-event .position=${Number(position)}></gw-history-event>` : nothing
      }
    </gw-drawer>`;
  }

  readonly #onMore = (): void => {
    this.#wanted += pageRows * 5;
    void this.#events.reload();
  };

  #asked: string | null = null;

  /** Asks anew when the address says other filters, by whatever way it came there. */
  protected override willUpdate(): void {
    const { actor, stream, type, since, order } = this.#place.value.query;
    const asked = JSON.stringify([actor, stream, type, since, order]);
    if (this.#asked !== null && asked !== this.#asked) {
      this.#wanted = pageRows;
      void this.#events.reload();
    }
    this.#asked = asked;
  }
}

const whoOf = ({ actor }: LogEvent, names: ReadonlyMap<number, string>): string =>
  actor.principal_id === null
    ? actor.kind
    : (names.get(actor.principal_id) ?? `principal ${actor.principal_id}`);

customElements.define('gw-history-events', HistoryEvents);
