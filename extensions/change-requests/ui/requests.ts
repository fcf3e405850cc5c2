// Lists change requests, with one of them or the approval policy in the drawer.

import { LitElement, css, html, nothing } from 'lit';
import { keyed } from 'lit/directives/keyed.js';

import { getChangePolicy, listChangeRequests } from './api.ts';
import type { ChangePolicy, ChangeRequest } from './api.ts';
import '../../../ui/elements/badge.ts';
import '../../../ui/elements/overlay/drawer.ts';
import '../../../ui/elements/empty.ts';
import '../../../ui/elements/icon.ts';
import { loaded, failureNotice } from '../../../ui/elements/loaded.ts';
import { Paged } from '../../../ui/elements/table/paged.ts';
import { Resource } from '../../../ui/elements/resource.ts';
import '../../../ui/elements/table/table.ts';
import type { Column } from '../../../ui/elements/table/table.ts';
import '../../../ui/elements/time.ts';
import { Watch } from '../../../ui/elements/watch.ts';
import { kindsText, stateWords, toneOfState } from './steps.ts';
import { askedText, orderOf } from '../../../ui/lib/history/log-filter.ts';
import { firstRows, follow } from '../../../ui/lib/page/pages.ts';
import type { AskPage } from '../../../ui/lib/page/pages.ts';
import { isReadOnly } from '../../../ui/state/as-of.ts';
import { changeQuery, linkTo, openRest, place } from '../../../ui/state/location.ts';
import { may } from '../../../ui/state/session.ts';
import { keepView, tableView } from '../../../ui/state/table-view.ts';
import { base, buttons, controls } from '../../../ui/styles/base.ts';
import { listStyles } from '../../../ui/styles/list.ts';
import './policy.ts';
import './request.ts';

const pollMs = 15_000;

const states = [
  'open',
  'approved',
  'scheduled',
  'review_due',
  'applied',
  'refused',
  'withdrawn',
  'expired',
  'reviewed',
] as const;

const nameOf = (person: ChangeRequest['author']): string =>
  person === null ? 'the command line' : (person.name ?? `principal ${person.id} (deleted)`);

const columns: readonly Column<ChangeRequest>[] = [
  { id: 'title', label: 'Change', value: ({ title }) => title ?? 'erased' },
  {
    id: 'state',
    label: 'State',
    value: ({ state }) => stateWords(state),
    cell: ({ state }) => html`<gw-badge tone=${toneOfState(state)}>${stateWords(state)}</gw-badge>`,
  },
  { id: 'author', label: 'Author', value: ({ author }) => nameOf(author) },
  { id: 'kinds', label: 'Scope', value: ({ kinds }) => kindsText(kinds) },
  {
    id: 'approvals',
    label: 'Approved by',
    value: ({ approvals }) => approvals.map(({ by }) => nameOf(by)).join(', '),
  },
  {
    id: 'created_at',
    label: 'Created',
    ordered: true,
    value: ({ created_at }) => created_at,
    cell: ({ created_at }) => html`<gw-time at=${created_at}></gw-time>`,
  },
  {
    id: 'apply_at',
    label: 'Scheduled for',
    value: ({ apply_at }) => apply_at,
    cell: ({ apply_at }) =>
      apply_at === null ? '' : html`<gw-time absolute at=${apply_at}></gw-time>`,
  },
  { id: 'id', label: 'Id', spare: true, end: true, value: ({ id }) => id },
];

class HistoryRequests extends LitElement {
  static override styles = [
    base,
    buttons,
    controls,
    listStyles,
    css`
      .policy {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--space-2) var(--space-3);
        margin-bottom: var(--space-4);
        padding: var(--space-2) var(--space-3);
        border: 1px solid var(--line);
        border-radius: var(--radius-m);
        background: var(--surface);
      }

      .policy p {
        flex: 1 1 11rem;
      }

      select {
        width: auto;
      }
    `,
  ];
  readonly #place = new Watch(this, place);
  readonly #paged = new Paged(this, {
    load: (wanted, signal) => {
      const page = this.#page();
      return firstRows<ChangeRequest>(wanted, (limit, last) => page(limit, last, signal));
    },
    asked: () => askedText(this.#place.value.query),
    pollMs,
  });
  readonly #requests = this.#paged.resource;
  readonly #policy = new Resource(this, async (signal) => {
    const { body } = await getChangePolicy(signal);
    return body;
  });

  #page(): AskPage<ChangeRequest> {
    const { query } = this.#place.value;
    const asked = { state: query['state'], order: orderOf(query) };
    return (limit, last, signal) =>
      listChangeRequests({ ...asked, limit, after: last?.id }, signal);
  }

  protected override render() {
    const failure = this.#requests.failure ?? this.#policy.failure;
    return html`${failureNotice({ failure, reload: this.#reload })}
    ${this.#policyLine(this.#policy.value)} ${loaded(this.#requests, (rows) => this.#table(rows))}
    ${this.#drawer()}`;
  }

  #policyLine(policy: ChangePolicy | undefined) {
    if (policy === undefined) return nothing;
    return html`<div class="policy">
      <gw-icon name="shield-check"></gw-icon>
      <p>
        ${
          policy.protected.length === 0
            ? 'Approval is optional for all changes.'
            : html`Changes to <strong>${kindsText(policy.protected)}</strong> need the approval of a
                second person.`
        }
      </p>
      ${
        may('config:write') && !isReadOnly()
          ? html`<a
              class="button"
              href=${linkTo({ screen: 'history', rest: ['requests', 'policy'] })}
              >Edit policy</a
            >`
          : nothing
      }
    </div>`;
  }

  #table(rows: readonly ChangeRequest[]) {
    const { query } = this.#place.value;
    const { state = '' } = query;
    const order = orderOf(query);
    if (rows.length === 0 && state === '') {
      return html`<gw-empty
        heading="No change requests yet"
        icon="users-round"
        command="gw change draft --login NAME --title TITLE --reason WHY --calls calls.json"
      >
        <span slot="about"
          >A change request lets a second person review a change before it is applied. To create
          one, choose “Request approval” in the dialog of any change.</span
        >
        <a class="button" href=${linkTo({ screen: 'frontend-models' })}>Go to frontend models</a>
      </gw-empty>`;
    }
    return html`<gw-table
        partial
        label="Change requests"
        noun="change request"
        .columns=${columns}
        .rows=${rows}
        .view=${tableView()}
        .hrefOf=${({ id }: ChangeRequest) =>
          linkTo({ screen: 'history', rest: ['requests', id], query })}
        .chosen=${Number(this.#place.value.rest[1])}
        ?stale=${this.#paged.isStale}
        .follow=${follow(this.#page())}
        .order=${order}
        @gw-order=${({ detail }: CustomEvent<string>) => changeQuery({ order: detail })}
        @gw-view=${keepView}
        ><select slot="bar" data-filter aria-label="State" @change=${this.#onState}>
          <option value="">Any state</option>
          ${states.map(
            (value) =>
              html`<option value=${value} ?selected=${value === state}>
                ${stateWords(value)}
              </option>`,
          )}
        </select></gw-table
      >
      ${this.#paged.rest(rows.length, order)}`;
  }

  /** `/requests/7`, `/requests/policy`. */
  #drawer() {
    const [, part = ''] = this.#place.value.rest;
    const isPolicy = part === 'policy' && may('config:write') && !isReadOnly();
    const isRequest = /^[1-9]\d*$/.test(part);
    const policy = this.#policy.value;
    return html`<gw-drawer
      heading=${isPolicy ? 'Approval policy' : isRequest ? `Change request ${part}` : ''}
      ?open=${isPolicy || isRequest}
      @gw-close=${() => openRest(['requests'])}
    >
      ${keyed(
        part,
        isPolicy && policy !== undefined
          ? html`<gw-change-policy .policy=${policy} @gw-done=${this.#onDone}></gw-change-policy>`
          : isRequest
            ? html`<gw-change-request
                .requestId=${Number(part)}
                @gw-done=${this.#reload}
              ></gw-change-request>`
            : nothing,
      )}
    </gw-drawer>`;
  }

  readonly #onState = ({ target }: Event): void => {
    if (target instanceof HTMLSelectElement) changeQuery({ state: target.value });
  };

  readonly #onDone = (): void => {
    void this.#reload();
    openRest(['requests']);
  };

  readonly #reload = async (): Promise<void> => {
    await Promise.all([this.#requests.reload(), this.#policy.reload()]);
  };
}

customElements.define('gw-history-requests', HistoryRequests);
