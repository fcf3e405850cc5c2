// The audit log: who changed what and when, filtered by the server, older rows on demand, new ones as they come, and all of it as a
// file.

import { LitElement, css, html, nothing } from 'lit';

import type { AuditRow } from '../api/audit.ts';
import { asFailure } from '../api/failure.ts';
import type { ApiFailure } from '../api/failure.ts';
import { listPrincipals } from '../api/principals.ts';
import '../elements/empty.ts';
import '../elements/icon.ts';
import { loaded, troubleOf } from '../elements/loaded.ts';
import '../elements/page.ts';
import { Resource } from '../elements/resource.ts';
import { save } from '../elements/save-file.ts';
import '../elements/table.ts';
import type { Column } from '../elements/table.ts';
import '../elements/time.ts';
import { Watch } from '../elements/watch.ts';
import { auditQueryOf, placeOfTarget, toNdjson } from '../lib/audit.ts';
import { formatCount } from '../lib/format.ts';
import { presets } from '../lib/range.ts';
import { screenNamed } from '../screens.ts';
import { changeQuery, linkTo, place } from '../state/location.ts';
import { keepView, tableView } from '../state/table-view.ts';
import { base, buttons, controls } from '../styles/base.ts';
import { newestRows } from './audit/load.ts';

const pageRows = 100;
/** How often new rows are looked for. */
const liveMs = 5_000;
/** Rows of one file; narrower filters give the rest. */
const exportMax = 100_000;

const targetCell = ({ target }: AuditRow) => {
  const shown = placeOfTarget(target);
  const text = html`<code>${target}</code>`;
  return shown === null || screenNamed(shown.screen) === undefined
    ? text
    : html`<a href=${linkTo(shown)}>${text}</a>`;
};

const columns: readonly Column<AuditRow>[] = [
  {
    id: 'at',
    label: 'When',
    value: ({ at }) => at,
    cell: ({ at }) => html`<gw-time absolute at=${at}></gw-time>`,
  },
  {
    id: 'actor',
    label: 'Who',
    value: ({ actor_name }) => actor_name,
    cell: ({ actor_id, actor_name }) =>
      actor_id === null
        ? html`<span class="quiet">${actor_name ?? 'system'}</span>`
        : (actor_name ?? html`<span class="quiet">principal ${actor_id}, erased</span>`),
  },
  { id: 'action', label: 'Action', value: ({ action }) => action },
  { id: 'target', label: 'Target', value: ({ target }) => target, cell: targetCell },
  { id: 'id', label: 'Position', end: true, value: ({ id }) => id },
];

class ScreenAudit extends LitElement {
  static override properties = { exporting: { state: true }, exportFailure: { state: true } };
  static override styles = [
    base,
    buttons,
    controls,
    css`
      gw-error {
        margin-bottom: var(--space-3);
      }

      .filters {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--space-2);
        margin-bottom: var(--space-3);
      }

      .filters > * {
        width: auto !important;
      }

      .filters input {
        flex: 0 1 16rem;
        min-width: 8rem;
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
  declare exporting: boolean;
  declare exportFailure: ApiFailure | null;
  readonly #place = new Watch(this, place);
  #wanted = pageRows;
  readonly #rows = new Resource(
    this,
    (signal) => {
      const query = auditQueryOf(this.#place.value.query, Date.now());
      return newestRows(query, { wanted: this.#wanted, signal });
    },
    { pollMs: () => (this.#isLive() ? liveMs : null) },
  );
  readonly #people = new Resource(this, async (signal) => {
    const all = await listPrincipals(signal);
    return all.filter(({ kind }) => kind === 'user');
  });

  constructor() {
    super();
    this.exporting = false;
    this.exportFailure = null;
  }

  #isLive(): boolean {
    return this.#place.value.query['live'] === '1';
  }

  protected override render() {
    const failure = this.#rows.failure ?? this.exportFailure;
    return html`<gw-page
      heading="Audit log"
      about="Who changed what, newest first. What was sent is never in it."
    >
      <button
        slot="actions"
        type="button"
        aria-pressed=${this.#isLive()}
        @click=${() => changeQuery({ live: this.#isLive() ? null : '1' })}
      >
        <gw-icon name=${this.#isLive() ? 'pause' : 'play'}></gw-icon>Live
      </button>
      <button slot="actions" type="button" ?disabled=${this.exporting} @click=${this.#export}>
        <gw-icon name="download"></gw-icon>${this.exporting ? 'Exporting …' : 'Export NDJSON'}
      </button>
      ${troubleOf({ failure, reload: () => this.#rows.reload() })} ${this.#filters()}
      ${loaded(this.#rows, (rows) => this.#table(rows))}
    </gw-page>`;
  }

  #filters() {
    const { actor = '', target = '', since = '' } = this.#place.value.query;
    return html`<div class="filters">
      <select aria-label="Who" @change=${this.#onFilter('actor')}>
        <option value="">Anybody</option>
        ${(this.#people.value ?? []).map(
          ({ id, name }) =>
            html`<option value=${id} ?selected=${String(id) === actor}>${name}</option>`,
        )}
      </select>
      <input
        type="search"
        aria-label="Part of the target"
        placeholder="Part of the target"
        .value=${target}
        @change=${this.#onFilter('target')}
      />
      <select aria-label="Since" @change=${this.#onFilter('since')}>
        <option value="">At any time</option>
        ${presets.map(
          ({ text, label }) =>
            html`<option value=${text} ?selected=${text === since}>${label}</option>`,
        )}
      </select>
      ${
        actor + target + since === ''
          ? nothing
          : html`<button
              type="button"
              class="plain"
              @click=${() => changeQuery({ actor: null, target: null, since: null })}
            >
              Clear filters
            </button>`
      }
    </div>`;
  }

  #table(rows: readonly AuditRow[]) {
    const { actor, target, since } = this.#place.value.query;
    if (rows.length === 0 && [actor, target, since].every((one) => one === undefined)) {
      return html`<gw-empty heading="Nothing was changed yet" icon="scroll-text">
        <span slot="about"
          >Each change by a person, a command or an agent leaves a row here, and nothing takes one
          away.</span
        >
      </gw-empty>`;
    }
    const isAll = rows.length < this.#wanted;
    return html`<gw-table
        partial
        label="Audit log"
        noun="row"
        .columns=${columns}
        .rows=${rows}
        .hrefOf=${
          screenNamed('history') === undefined
            ? null
            : ({ id }: AuditRow) => linkTo({ screen: 'history', rest: [id] })
        }
        .view=${tableView()}
        ?stale=${this.#rows.failure !== null}
        @gw-view=${keepView}
      ></gw-table>
      <div class="more">
        ${
          isAll
            ? html`<span>That is all of it.</span>`
            : html`<button type="button" @click=${this.#onMore}>Load older</button>`
        }
      </div>`;
  }

  readonly #onFilter =
    (name: 'actor' | 'target' | 'since') =>
    ({ target }: Event): void => {
      if (target instanceof HTMLSelectElement || target instanceof HTMLInputElement) {
        changeQuery({ [name]: target.value.trim() });
      }
    };

  readonly #onMore = (): void => {
    this.#wanted += pageRows * 5;
    void this.#rows.reload();
  };

  readonly #export = async (): Promise<void> => {
    this.exporting = true;
    this.exportFailure = null;
    try {
      const query = auditQueryOf(this.#place.value.query, Date.now());
      const rows = await newestRows(query, { wanted: exportMax });
      const isCut = rows.length === exportMax;
      const name = isCut ? `audit-newest-${formatCount(exportMax, 'row')}` : 'audit';
      save(`${name.replaceAll(' ', '-')}.ndjson`, 'application/x-ndjson', toNdjson(rows));
    } catch (error) {
      this.exportFailure = asFailure(error);
    } finally {
      this.exporting = false;
    }
  };

  #asked: string | null = null;

  /** Asks anew when the address says other filters, by whatever way it came there. */
  protected override willUpdate(): void {
    const { actor, target, since, live } = this.#place.value.query;
    const asked = JSON.stringify([actor, target, since, live]);
    if (this.#asked !== null && asked !== this.#asked) {
      this.#wanted = pageRows;
      void this.#rows.reload();
    }
    this.#asked = asked;
  }
}

customElements.define('gw-screen-audit', ScreenAudit);
