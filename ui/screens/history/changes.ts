// The changes: a row a command, filtered by the server, older ones on demand; one of them beside the list.

import { LitElement, html, nothing } from 'lit';

import { getFleet } from '../../api/fleet.ts';
import { listCommands } from '../../api/history.ts';
import type { Command } from '../../api/history.ts';
import '../../elements/badge.ts';
import '../../elements/drawer.ts';
import '../../elements/empty.ts';
import { loaded, troubleOf } from '../../elements/loaded.ts';
import { Resource } from '../../elements/resource.ts';
import '../../elements/table.ts';
import type { Column } from '../../elements/table.ts';
import '../../elements/time.ts';
import { Watch } from '../../elements/watch.ts';
import { placeOfTarget } from '../../lib/audit.ts';
import { historyQueryOf, reachText, versionsText, wordsOf } from '../../lib/history.ts';
import { screenNamed } from '../../screens.ts';
import { isOneFile } from '../../state/base.ts';
import { linkTo, openRest, place } from '../../state/location.ts';
import { keepView, tableView } from '../../state/table-view.ts';
import { base, buttons } from '../../styles/base.ts';
import './change.ts';
import './filters.ts';
import { listStyles } from './list-styles.ts';
import { firstRows } from './load.ts';

const pageRows = 100;
const pollMs = 15_000;

type Row = Command & Readonly<{ reach: string }>;

const targetCell = ({ target }: Row) => {
  const shown = placeOfTarget(target);
  const text = html`<code>${target}</code>`;
  return shown === null || screenNamed(shown.screen) === undefined
    ? text
    : html`<a href=${linkTo(shown)}>${text}</a>`;
};

const replicas: Column<Row> = {
  id: 'replicas',
  label: 'Replicas on it',
  end: true,
  value: ({ reach }) => reach,
};

const columns: readonly Column<Row>[] = [
  {
    id: 'command',
    label: 'Change',
    value: ({ command }) => wordsOf(command),
  },
  { id: 'target', label: 'Target', value: ({ target }) => target, cell: targetCell },
  {
    id: 'at',
    label: 'When',
    value: ({ at }) => at,
    cell: ({ at }) => html`<gw-time at=${at}></gw-time>`,
  },
  {
    id: 'actor',
    label: 'Who',
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
    end: true,
    value: (one) => versionsText(one),
    cell: (one) => versionsText(one) || html`<span class="quiet">as before</span>`,
  },
  { id: 'events', label: 'Events', end: true, value: ({ event_count }) => event_count },
  // An export of the log does not say it.
  ...(isOneFile ? [] : [replicas]),
  { id: 'action', label: 'Action', spare: true, value: ({ action }) => action },
  { id: 'request_id', label: 'Request', spare: true, value: ({ request_id }) => request_id },
  { id: 'id', label: 'Position', spare: true, end: true, value: ({ id }) => id },
];

class HistoryChanges extends LitElement {
  static override styles = [base, buttons, listStyles];
  readonly #place = new Watch(this, place);
  #wanted = pageRows;
  readonly #rows = new Resource(this, (signal) => this.#load(signal), { pollMs });

  async #load(signal: AbortSignal): Promise<readonly Row[]> {
    const { type: _type, ...query } = historyQueryOf(this.#place.value.query, Date.now());
    const [{ body: replicas }, commands] = await Promise.all([
      getFleet(signal),
      firstRows<Command>(this.#wanted, (limit, last) =>
        listCommands({ ...query, limit, after: last?.id }, signal),
      ),
    ]);
    return commands.map((one) => Object.assign(one, { reach: reachText(one, replicas) }));
  }

  protected override render() {
    return html`${troubleOf(this.#rows)}
      <gw-history-filters></gw-history-filters>
      ${loaded(this.#rows, (found) => this.#table(found))} ${this.#drawer()}`;
  }

  #table(rows: readonly Row[]) {
    const { actor, stream, since } = this.#place.value.query;
    if (rows.length === 0 && [actor, stream, since].every((one) => one === undefined)) {
      return html`<gw-empty
        heading="Nothing was changed yet"
        icon="history"
        command="gw history commands"
      >
        <span slot="about"
          >Each change leaves a row here: who, when, what and why. Any of them can be looked at,
          compared and undone.</span
        >
      </gw-empty>`;
    }
    const { query } = this.#place.value;
    return html`<gw-table
        partial
        label="Changes"
        noun="change"
        .columns=${columns}
        .rows=${rows}
        .view=${tableView()}
        .hrefOf=${({ id }: Row) => linkTo({ screen: 'history', rest: [id], query })}
        .chosen=${Number(this.#place.value.rest[0])}
        ?stale=${this.#rows.failure !== null}
        @gw-view=${keepView}
      ></gw-table>
      <div class="more">
        ${
          rows.length < this.#wanted
            ? html`<span>That is all of it.</span>`
            : html`<button type="button" @click=${this.#onMore}>Load older</button>`
        }
      </div>`;
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

  readonly #onMore = (): void => {
    this.#wanted += pageRows * 5;
    void this.#rows.reload();
  };

  #asked: string | null = null;

  /** Asks anew when the address says other filters, by whatever way it came there. */
  protected override willUpdate(): void {
    const { actor, stream, since } = this.#place.value.query;
    const asked = JSON.stringify([actor, stream, since]);
    if (this.#asked !== null && asked !== this.#asked) {
      this.#wanted = pageRows;
      void this.#rows.reload();
    }
    this.#asked = asked;
  }
}

customElements.define('gw-history-changes', HistoryChanges);
