// Defines the audit log screen. The server filters and pages it; it can follow new rows and download all rows.

import { LitElement, css, html } from 'lit';

import { call } from '../api/http/call.ts';
import type { AuditRow } from '../api/records.ts';
import '../elements/empty.ts';
import '../elements/icon.ts';
import { loaded, failureNotice } from '../elements/loaded.ts';
import '../elements/page.ts';
import { Paged } from '../elements/table/paged.ts';
import '../elements/table/table.ts';
import type { Column } from '../elements/table/table.ts';
import '../elements/time.ts';
import { Watch } from '../elements/watch.ts';
import { subjectWords } from '../lib/history/history.ts';
import { askedText, auditQueryOf, isUnfiltered, orderOf } from '../lib/history/log-filter.ts';
import { firstRows, follow } from '../lib/page/pages.ts';
import type { AskPage } from '../lib/page/pages.ts';
import '../parts/log-filters.ts';
import { subjectLink } from '../parts/subject.ts';
import { screenNamed } from '../screens.ts';
import { changeQuery, linkTo, place } from '../state/location.ts';
import { keepView, tableView } from '../state/table-view.ts';
import { base, buttons, controls } from '../styles/base.ts';

const text = {
  heading: 'Audit log',
  about: 'Admin actions. Request bodies are not recorded.',
  empty: 'No changes yet',
  emptyAbout: 'Every change by a user, a command or an agent adds a row. Rows are never deleted.',
  toFirstSteps: 'View first steps',
};

const liveMs = 5_000;

const fields = ['target', 'action', 'actor', 'range'] as const;

const columns: readonly Column<AuditRow>[] = [
  {
    id: 'at',
    label: 'When',
    ordered: true,
    value: ({ at }) => at,
    cell: ({ at }) => html`<gw-time absolute bare at=${at}></gw-time>`,
  },
  {
    id: 'actor',
    label: 'Actor',
    value: ({ actor_name }) => actor_name,
    cell: ({ actor_id, actor_name }) =>
      actor_id === null
        ? html`<span class="quiet">${actor_name ?? 'system'}</span>`
        : (actor_name ?? html`<span class="quiet">principal ${actor_id}, erased</span>`),
  },
  { id: 'summary', label: 'Change', value: ({ summary }) => summary },
  {
    id: 'subject',
    label: 'Record',
    value: ({ subject }) => subjectWords(subject),
    cell: ({ subject }) => subjectLink(subject),
  },
  {
    id: 'target',
    label: 'Call',
    value: ({ action, target }) => `${action} ${target}`,
    cell: ({ action, target }) => html`<code class="quiet">${action} ${target}</code>`,
  },
  { id: 'id', label: 'Position', end: true, value: ({ id }) => id },
];

class ScreenAudit extends LitElement {
  static override styles = [
    base,
    buttons,
    controls,
    css`
      gw-error {
        margin-bottom: var(--space-3);
      }

      [aria-pressed='true'] {
        border-color: var(--good);
        color: var(--good);
      }

      .more {
        display: flex;
        align-items: center;
        gap: var(--space-3);
        margin-top: var(--space-3);
        color: var(--text-2);
      }
    `,
  ];
  readonly #place = new Watch(this, place);
  readonly #paged = new Paged(this, {
    load: (wanted, signal) => {
      const page = this.#page();
      return firstRows<AuditRow>(wanted, (limit, last) => page(limit, last, signal));
    },
    asked: () => `${askedText(this.#place.value.query)} ${this.#isLive()}`,
    pollMs: () => (this.#isLive() ? liveMs : null),
  });
  readonly #rows = this.#paged.resource;

  /** All pages of a list use the same time. */
  #page(): AskPage<AuditRow> {
    const query = auditQueryOf(this.#place.value.query, Date.now());
    const end = query.order === 'asc' ? 'after' : 'before';
    return (limit, last, signal) =>
      call('GET', '/admin/audit', { query: { ...query, limit, [end]: last?.id }, signal });
  }

  #isLive(): boolean {
    return this.#place.value.query['live'] === '1';
  }

  protected override render() {
    const isLive = this.#isLive();
    return html`<gw-page heading=${text.heading} about=${text.about}>
      <button
        slot="actions"
        type="button"
        aria-pressed=${isLive}
        @click=${() => changeQuery({ live: isLive ? null : '1' })}
      >
        <gw-icon name=${isLive ? 'pause' : 'play'}></gw-icon>Live
      </button>
      ${failureNotice(this.#rows)}
      <gw-log-filters .fields=${fields}></gw-log-filters>
      ${loaded(this.#rows, (rows) => this.#table(rows))}
    </gw-page>`;
  }

  #table(rows: readonly AuditRow[]) {
    const { query } = this.#place.value;
    const order = orderOf(query);
    if (rows.length === 0 && isUnfiltered(query)) {
      return html`<gw-empty heading=${text.empty} icon="scroll-text" command="gw history commands">
        <span slot="about">${text.emptyAbout}</span>
        <a class="button" href=${linkTo({ screen: 'overview' })}>${text.toFirstSteps}</a>
      </gw-empty>`;
    }
    return html`<gw-table
        partial
        label=${text.heading}
        noun="audit row"
        .columns=${columns}
        .rows=${rows}
        .hrefOf=${
          screenNamed('history') === undefined
            ? null
            : ({ id }: AuditRow) => linkTo({ screen: 'history', rest: [id] })
        }
        .view=${tableView()}
        .follow=${follow(this.#page())}
        .order=${order}
        ?stale=${this.#paged.isStale}
        @gw-order=${({ detail }: CustomEvent<string>) => changeQuery({ order: detail })}
        @gw-view=${keepView}
      ></gw-table>
      ${this.#paged.rest(rows.length, order)}`;
  }
}

customElements.define('gw-screen-audit', ScreenAudit);
