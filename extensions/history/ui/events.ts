// Lists the events of the log, filtered and paged by the server, with one of them in the drawer.

import { LitElement, css, html, nothing } from 'lit';

import { list } from '../../../ui/api/http/call.ts';
import { listEvents } from '../../../ui/api/history.ts';
import type { LogEvent } from '../../../ui/api/history.ts';
import '../../../ui/elements/badge.ts';
import '../../../ui/elements/overlay/drawer.ts';
import '../../../ui/elements/empty.ts';
import '../../../ui/elements/icon.ts';
import { loaded, failureNotice } from '../../../ui/elements/loaded.ts';
import { Paged } from '../../../ui/elements/table/paged.ts';
import '../../../ui/elements/table/table.ts';
import type { Column } from '../../../ui/elements/table/table.ts';
import '../../../ui/elements/time.ts';
import { Watch } from '../../../ui/elements/watch.ts';
import { checkLinks } from './chain.ts';
import type { ChainCheck } from './chain.ts';
import { formatNumber } from '../../../ui/lib/text/format.ts';
import {
  askedText,
  eventQueryOf,
  isUnfiltered,
  orderOf,
} from '../../../ui/lib/history/log-filter.ts';
import type { FilterName } from '../../../ui/lib/history/log-filter.ts';
import { firstRows, follow } from '../../../ui/lib/page/pages.ts';
import type { AskPage } from '../../../ui/lib/page/pages.ts';
import '../../../ui/parts/log-filters.ts';
import { isOneFile } from '../../../ui/state/base.ts';
import { changeQuery, linkTo, openRest, place } from '../../../ui/state/location.ts';
import { keepView, tableView } from '../../../ui/state/table-view.ts';
import { base, buttons } from '../../../ui/styles/base.ts';
import './event.ts';
import { listStyles } from '../../../ui/styles/list.ts';

/** An export supports fewer filters. */
const fields: readonly FilterName[] = isOneFile
  ? ['stream', 'type', 'actor', 'range']
  : ['stream', 'type', 'actor', 'request', 'range'];

type Row = LogEvent & Readonly<{ who: string }>;
type Loaded = Readonly<{ rows: readonly Row[]; chain: ChainCheck }>;

const columns: readonly Column<Row>[] = [
  { id: 'position', label: 'Position', ordered: true, value: ({ position }) => position },
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
    cell: (one) => html`<gw-time absolute bare at=${one.recorded_at}></gw-time>`,
  },
  { id: 'who', label: 'Actor', value: ({ who }) => who },
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
    `,
  ];
  readonly #place = new Watch(this, place);
  readonly #paged = new Paged(this, {
    load: (wanted, signal) => this.#load(wanted, signal),
    asked: () => askedText(this.#place.value.query),
  });
  readonly #events = this.#paged.resource;

  /** All pages of a list use the same time. */
  #page(): AskPage<LogEvent> {
    const query = eventQueryOf(this.#place.value.query, Date.now());
    return (limit, last, signal) => listEvents({ ...query, limit, after: last?.position }, signal);
  }

  async #load(wanted: number, signal: AbortSignal): Promise<Loaded> {
    const page = this.#page();
    const [people, events] = await Promise.all([
      list('/admin/principals', { signal }),
      firstRows<LogEvent>(wanted, (limit, last) => page(limit, last, signal)),
    ]);
    const names = new Map(people.map(({ id, name }) => [id, name]));
    const rows = events.map((one) => Object.assign(one, { who: whoOf(one, names) }));
    return { rows, chain: checkLinks(events) };
  }

  protected override render() {
    return html`${failureNotice(this.#events)}
      <gw-log-filters .fields=${fields}>
        <a class="button" href=${linkTo({ screen: 'history', rest: ['streams'] })}
          ><gw-icon name="layers"></gw-icon>Streams</a
        >
      </gw-log-filters>
      ${loaded(this.#events, (found) => this.#table(found))} ${this.#drawer()}`;
  }

  #table({ rows, chain }: Loaded) {
    const { query } = this.#place.value;
    const order = orderOf(query);
    if (rows.length === 0 && isUnfiltered(query)) {
      return html`<gw-empty heading="The log is empty" icon="history" command="gw history events">
        <span slot="about">Each change writes events, which are never modified or deleted.</span>
        <a class="button" href=${linkTo({ screen: 'overview' })}>See the first steps</a>
      </gw-empty>`;
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
        ?stale=${this.#paged.isStale}
        .follow=${follow(this.#page())}
        .order=${order}
        @gw-order=${({ detail }: CustomEvent<string>) => changeQuery({ order: detail })}
        @gw-view=${keepView}
        >${this.#chain(chain)}</gw-table
      >
      ${this.#paged.rest(rows.length, order)}`;
  }

  #chain(chain: ChainCheck) {
    if (chain.broken !== null) {
      return html`<span slot="bar" class="chain broken"
        ><gw-icon name="circle-alert"></gw-icon>The hash chain is broken at ${chain.broken}</span
      >`;
    }
    if (chain.checked === 0) return nothing;
    return html`<span slot="bar" class="chain"
      ><gw-icon class="holds" name="circle-check"></gw-icon>${formatNumber(chain.checked)} links of
      the hash chain verified</span
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
}

const whoOf = ({ actor }: LogEvent, names: ReadonlyMap<number, string>): string =>
  actor.principal_id === null
    ? actor.kind
    : (names.get(actor.principal_id) ?? `principal ${actor.principal_id}`);

customElements.define('gw-history-events', HistoryEvents);
