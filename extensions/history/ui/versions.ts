// Lists the snapshot versions, newest first. Two ticked versions can be compared; one is open in the drawer.

import { html, nothing } from 'lit';

import { element, state } from '../../../ui/elements/element.ts';
import { listVersions } from '../../../ui/api/snapshots.ts';
import type { SnapshotVersion } from '../../../ui/api/snapshots.ts';
import '../../../ui/elements/badge.ts';
import '../../../ui/elements/overlay/drawer.ts';
import '../../../ui/elements/empty.ts';
import { loaded, failureNotice } from '../../../ui/elements/loaded.ts';
import { Paged } from '../../../ui/elements/table/paged.ts';
import '../../../ui/elements/table/table.ts';
import type { Column } from '../../../ui/elements/table/table.ts';
import '../../../ui/elements/time.ts';
import { Watch } from '../../../ui/elements/watch.ts';
import { formatCount } from '../../../ui/lib/text/format.ts';
import { subjectWords, versionHelp } from '../../../ui/lib/history/history.ts';
import {
  askedText,
  isUnfiltered,
  orderOf,
  spanQueryOf,
} from '../../../ui/lib/history/log-filter.ts';
import { firstRows, follow } from '../../../ui/lib/page/pages.ts';
import type { AskPage } from '../../../ui/lib/page/pages.ts';
import '../../../ui/parts/log-filters.ts';
import { isOneFile } from '../../../ui/state/base.ts';
import { changeQuery, linkTo, navigate, openRest, place } from '../../../ui/state/location.ts';
import { keepView, tableView } from '../../../ui/state/table-view.ts';
import { base, buttons } from '../../../ui/styles/base.ts';
import { listStyles } from '../../../ui/styles/list.ts';
import './version.ts';

const pollMs = 15_000;

const fields = ['range'] as const;

const changedText = ({ changed, made_by: made }: SnapshotVersion): string => {
  const [first, ...more] = changed;
  if (first === undefined) return '';
  const name = made?.subject.stream === first ? made.subject.name : null;
  const words = subjectWords({ stream: first, name });
  return `${words}${more.length === 0 ? '' : ` + ${more.length}`}`;
};

const columns: readonly Column<SnapshotVersion>[] = [
  {
    id: 'version',
    label: 'Version',
    help: versionHelp,
    ordered: true,
    value: ({ version }) => version,
  },
  {
    id: 'created_at',
    label: 'Made',
    value: ({ created_at }) => created_at,
    cell: ({ created_at }) => html`<gw-time at=${created_at}></gw-time>`,
  },
  {
    id: 'command',
    label: 'Change',
    value: ({ made_by }) => made_by?.summary ?? null,
    cell: ({ made_by: made }) =>
      made === null
        ? ''
        : html`<a href=${linkTo({ screen: 'history', rest: [made.id] })}>${made.summary}</a>`,
  },
  {
    id: 'who',
    label: 'Actor',
    value: ({ made_by }) => made_by?.actor_name ?? made_by?.actor_kind ?? null,
  },
  { id: 'reason', label: 'Reason', value: ({ made_by }) => made_by?.reason ?? null },
  {
    id: 'changed',
    label: 'Records',
    value: changedText,
    cell: (one) =>
      one.changed.length === 0 ? html`<span class="quiet">None (rebuild)</span>` : changedText(one),
  },
];

/** Live data, which an export of the log does not contain. */
const keptColumns: readonly Column<SnapshotVersion>[] = [
  {
    id: 'replicas',
    label: 'Served by',
    value: ({ replicas }) => replicas.length,
    cell: ({ replicas }) =>
      replicas.length === 0
        ? ''
        : html`<gw-badge tone="good">${formatCount(replicas.length, 'replica')}</gw-badge>`,
  },
  {
    id: 'content_hash',
    label: 'Content',
    spare: true,
    value: ({ content_hash }) => content_hash,
    cell: ({ content_hash }) => html`<code>${content_hash.slice(0, 12)}</code>`,
  },
];

class HistoryVersions extends element({
  /** At most two. */
  ticked: state<ReadonlySet<string | number>>(),
}) {
  static override styles = [base, buttons, listStyles];
  readonly #place = new Watch(this, place);
  readonly #paged = new Paged(this, {
    load: (wanted, signal) => {
      const page = this.#page();
      return firstRows<SnapshotVersion>(wanted, (limit, last) => page(limit, last, signal));
    },
    asked: () => askedText(this.#place.value.query),
    pollMs,
  });
  readonly #versions = this.#paged.resource;

  /** All pages of a list use the same time. */
  #page(): AskPage<SnapshotVersion> {
    const query = spanQueryOf(this.#place.value.query, Date.now());
    const end = query.order === 'asc' ? 'after' : 'before';
    return (limit, last, signal) => listVersions({ ...query, limit, [end]: last?.version }, signal);
  }

  constructor() {
    super();
    this.ticked = new Set();
  }

  protected override render() {
    return html`${failureNotice(this.#versions)}
      <gw-log-filters .fields=${fields}></gw-log-filters>
      ${loaded(this.#versions, (found) => this.#table(found))} ${this.#drawer()}`;
  }

  #table(rows: readonly SnapshotVersion[]) {
    const { query } = this.#place.value;
    const order = orderOf(query);
    if (rows.length === 0 && isUnfiltered(query)) {
      return html`<gw-empty heading="No versions yet" icon="layers" command="gw snapshot list">
        <span slot="about"
          >Every change that affects proxies publishes a version. Proxies fetch it within
          seconds.</span
        >
        <a class="button" href=${linkTo({ screen: 'overview' })}>See the first steps</a>
      </gw-empty>`;
    }
    return html`<gw-table
        partial
        label="Snapshot versions"
        noun="version"
        .columns=${isOneFile ? columns : [...columns, ...keptColumns]}
        .rows=${rows}
        .keyOf=${({ version }: SnapshotVersion) => version}
        .view=${tableView()}
        .hrefOf=${({ version }: SnapshotVersion) =>
          linkTo({ screen: 'history', rest: ['versions', version], query })}
        .chosen=${Number(this.#place.value.rest[1])}
        .ticked=${this.ticked}
        ?stale=${this.#paged.isStale}
        .follow=${follow(this.#page())}
        .order=${order}
        @gw-order=${({ detail }: CustomEvent<string>) => changeQuery({ order: detail })}
        @gw-view=${keepView}
        @gw-tick=${this.#onTick}
        >${this.#compare()}</gw-table
      >
      ${this.#paged.rest(rows.length, order)}`;
  }

  #compare() {
    const [from, to] = [...this.ticked].map(Number).toSorted((a, b) => a - b);
    if (from === undefined || to === undefined) {
      return html`<span slot="bar" class="quiet"
        >${from === undefined ? 'Select two versions to compare' : `Compare ${from} with…`}</span
      >`;
    }
    return html`<button
      slot="bar"
      type="button"
      @click=${() =>
        navigate({
          screen: 'history',
          rest: ['diff'],
          query: { from: String(from), to: String(to) },
        })}
    >
      Compare ${from} with ${to}
    </button>`;
  }

  #drawer() {
    const [, text = ''] = this.#place.value.rest;
    const version = (this.#versions.value ?? []).find((one) => String(one.version) === text);
    const isOpen = /^[1-9]\d*$/.test(text);
    return html`<gw-drawer
      heading=${isOpen ? `Version ${text}` : ''}
      ?open=${isOpen}
      @gw-close=${() => openRest(['versions'])}
    >
      ${
        isOpen
          ? html`<gw-history-version
              .position=${Number(text)}
              .known=${version ?? null}
            ></gw-history-version>`
          : nothing
      }
    </gw-drawer>`;
  }

  /** A third tick replaces the first one. */
  readonly #onTick = ({ detail }: CustomEvent<ReadonlySet<string | number>>): void => {
    this.ticked = new Set([...detail].slice(-2));
  };
}

customElements.define('gw-history-versions', HistoryVersions);
