// Lists changes, one row per command, filtered and paged by the server, with one of them in the drawer.

import { LitElement, html, nothing } from 'lit';

import { call } from '../../../ui/api/http/call.ts';
import { listCommands } from '../../../ui/api/history.ts';
import type { Command } from '../../../ui/api/history.ts';
import '../../../ui/elements/badge.ts';
import '../../../ui/elements/overlay/drawer.ts';
import '../../../ui/elements/empty.ts';
import { loaded, failureNotice } from '../../../ui/elements/loaded.ts';
import { Paged } from '../../../ui/elements/table/paged.ts';
import '../../../ui/elements/table/table.ts';
import type { Column } from '../../../ui/elements/table/table.ts';
import '../../../ui/elements/time.ts';
import { Watch } from '../../../ui/elements/watch.ts';
import {
  reachText,
  subjectWords,
  versionHelp,
  versionsText,
} from '../../../ui/lib/history/history.ts';
import {
  askedText,
  commandQueryOf,
  isUnfiltered,
  orderOf,
} from '../../../ui/lib/history/log-filter.ts';
import type { FilterName } from '../../../ui/lib/history/log-filter.ts';
import { firstRows, follow } from '../../../ui/lib/page/pages.ts';
import type { AskPage } from '../../../ui/lib/page/pages.ts';
import '../../../ui/parts/log-filters.ts';
import { subjectLink } from '../../../ui/parts/subject.ts';
import { isOneFile } from '../../../ui/state/base.ts';
import { changeQuery, linkTo, openRest, place } from '../../../ui/state/location.ts';
import { keepView, tableView } from '../../../ui/state/table-view.ts';
import { base, buttons } from '../../../ui/styles/base.ts';
import './change.ts';
import { listStyles } from '../../../ui/styles/list.ts';

const pollMs = 15_000;

/** An export supports fewer filters. */
const fields: readonly FilterName[] = isOneFile
  ? ['command', 'stream', 'actor', 'range']
  : ['command', 'stream', 'actor', 'request', 'range'];

type Row = Command & Readonly<{ reach: string }>;

const replicas: Column<Row> = {
  id: 'replicas',
  label: 'Replicas',
  end: true,
  value: ({ reach }) => reach,
};

const columns: readonly Column<Row>[] = [
  { id: 'summary', label: 'Change', value: ({ summary }) => summary },
  {
    id: 'subject',
    label: 'Record',
    value: ({ subject }) => subjectWords(subject),
    cell: ({ subject }) => subjectLink(subject),
  },
  {
    id: 'at',
    label: 'When',
    ordered: true,
    value: ({ at }) => at,
    cell: ({ at }) => html`<gw-time at=${at}></gw-time>`,
  },
  {
    id: 'actor',
    label: 'Actor',
    value: ({ actor_name, actor_kind }) => actor_name ?? actor_kind,
    cell: ({ actor_id, actor_name, actor_kind }) =>
      actor_name ??
      html`<span class="quiet"
        >${actor_id === null ? actor_kind : `principal ${actor_id}, erased`}</span
      >`,
  },
  {
    id: 'reason',
    label: 'Reason',
    value: ({ reason }) => reason,
    cell: ({ reason, reason_erased: isErased }) =>
      isErased ? html`<span class="quiet">erased</span>` : (reason ?? ''),
  },
  {
    id: 'version',
    label: 'Version',
    help: versionHelp,
    end: true,
    value: (one) => versionsText(one),
    cell: (one) => versionsText(one) || html`<span class="quiet">unchanged</span>`,
  },
  { id: 'events', label: 'Events', end: true, value: ({ event_count }) => event_count },
  // An export has no data about replicas.
  ...(isOneFile ? [] : [replicas]),
  {
    id: 'call',
    label: 'Call',
    spare: true,
    value: ({ action, target }) => `${action} ${target}`,
    cell: ({ action, target }) => html`<code>${action} ${target}</code>`,
  },
  { id: 'request_id', label: 'Request', spare: true, value: ({ request_id }) => request_id },
  { id: 'id', label: 'Position', spare: true, end: true, value: ({ id }) => id },
];

class HistoryChanges extends LitElement {
  static override styles = [base, buttons, listStyles];
  readonly #place = new Watch(this, place);
  readonly #changes = new Paged(this, {
    load: (wanted, signal) => this.#load(wanted, signal),
    asked: () => askedText(this.#place.value.query),
    pollMs,
  });
  readonly #rows = this.#changes.resource;

  /** All pages of a list use the same time. */
  #page(): AskPage<Command> {
    const query = commandQueryOf(this.#place.value.query, Date.now());
    return (limit, last, signal) => listCommands({ ...query, limit, after: last?.id }, signal);
  }

  async #load(wanted: number, signal: AbortSignal): Promise<readonly Row[]> {
    const page = this.#page();
    const [{ body: replicas }, commands] = await Promise.all([
      call('GET', '/admin/fleet', { signal }),
      firstRows<Command>(wanted, (limit, last) => page(limit, last, signal)),
    ]);
    return commands.map((one) => Object.assign(one, { reach: reachText(one, replicas) }));
  }

  protected override render() {
    return html`${failureNotice(this.#rows)}
      <gw-log-filters
        .fields=${fields}
        .suggested=${[...new Set((this.#rows.value ?? []).map(({ command }) => command))]}
      ></gw-log-filters>
      ${loaded(this.#rows, (found) => this.#table(found))} ${this.#drawer()}`;
  }

  #table(rows: readonly Row[]) {
    const { query } = this.#place.value;
    if (rows.length === 0 && isUnfiltered(query)) {
      return html`<gw-empty heading="No changes yet" icon="history" command="gw history commands">
        <span slot="about"
          >Every change is recorded here with its author, time and reason. You can inspect, compare
          and undo it.</span
        >
        <a class="button" href=${linkTo({ screen: 'overview' })}>See the first steps</a>
      </gw-empty>`;
    }
    const order = orderOf(query);
    return html`<gw-table
        partial
        label="Changes"
        noun="change"
        .columns=${columns}
        .rows=${rows}
        .view=${tableView()}
        .hrefOf=${({ id }: Row) => linkTo({ screen: 'history', rest: [id], query })}
        .chosen=${Number(this.#place.value.rest[0])}
        ?stale=${this.#changes.isStale}
        .follow=${follow(this.#page())}
        .order=${order}
        @gw-order=${({ detail }: CustomEvent<string>) => changeQuery({ order: detail })}
        @gw-view=${keepView}
      ></gw-table>
      ${this.#changes.rest(rows.length, order)}`;
  }

  #drawer() {
    const [position = ''] = this.#place.value.rest;
    const isOpen = /^[1-9]\d*$/.test(position);
    return html`<gw-drawer
      heading=${isOpen ? `Change at ${position}` : ''}
      ?open=${isOpen}
      @gw-close=${() => openRest([])}
    >
      ${
        isOpen
          ? html`<gw-history-change .position=${Number(position)}></gw-history-change>`
          : nothing
      }
    </gw-drawer>`;
  }
}

customElements.define('gw-history-changes', HistoryChanges);
