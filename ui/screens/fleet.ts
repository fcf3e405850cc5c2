// Defines the Fleet screen: each replica with its last report, and each backend as every replica sees it.

import { LitElement, css, html, nothing } from 'lit';

import { call } from '../api/http/call.ts';
import type { Replica } from '../api/records.ts';
import { getPublished } from '../api/http/published.ts';
import { listSnapshots } from '../api/snapshots.ts';
import '../elements/overlay/drawer.ts';
import '../elements/empty.ts';
import '../elements/freshness.ts';
import '../elements/chart/kpi.ts';
import { loaded, failureNotice } from '../elements/loaded.ts';
import '../elements/page.ts';
import { Resource } from '../elements/resource.ts';
import '../elements/table/table.ts';
import { Watch } from '../elements/watch.ts';
import { backendMatrix, fleetState, replicaState } from '../lib/observe/fleet.ts';
import type { MatrixRow } from '../lib/observe/fleet.ts';
import { formatCount, formatNumber } from '../lib/text/format.ts';
import { linkTo, openRest, place } from '../state/location.ts';
import { keepView, tableView } from '../state/table-view.ts';
import { base, buttons } from '../styles/base.ts';
import { panels } from '../styles/panels.ts';
import { matrixColumns, replicaColumns } from './fleet/columns.ts';
import type { Seen } from './fleet/columns.ts';
import './fleet/replica.ts';

const text = {
  heading: 'Fleet',
  about: 'Gateway replicas and their last heartbeat',
  empty: 'No replica is reporting to this process',
  emptyAbout:
    'Gateways report every few seconds. One that is silent for 30 seconds is removed. ' +
    'Gateways that report to another control process are not listed.',
  toSettings: 'View startup settings',
  noBuildFailed: 'no failed builds',
  databaseDown: 'the database is not responding',
  projectionsCurrent: 'projections up to date',
  views: 'Fleet views',
  matrix: 'Backends by replica',
};

/** Loaded to compute the lag of replicas. A larger lag is shown as a minimum. */
const versionsAsked = 50;

async function loadFleet(signal: AbortSignal) {
  const [replicas, health, published, versions] = await Promise.all([
    call('GET', '/admin/fleet', { signal }),
    call('GET', '/admin/health', { signal }),
    getPublished(signal),
    listSnapshots(versionsAsked, signal),
  ]);
  return {
    replicas: replicas.body,
    health: health.body,
    published,
    versions: { newest: versions.body, all: versions.body.length < versionsAsked },
  };
}

type Fleet = Awaited<ReturnType<typeof loadFleet>>;

const tab = (label: string, show: string, isShown: boolean) =>
  html`<a
    href=${linkTo({ screen: 'fleet', query: show === '' ? {} : { show } })}
    aria-current=${isShown ? 'page' : nothing}
    >${label}</a
  >`;

/** Lists the backends that a replica sees as down. */
const downQuery = (down: number) => ({ show: 'backends', ...(down === 0 ? {} : { q: 'down on' }) });

class ScreenFleet extends LitElement {
  static override styles = [
    base,
    buttons,
    panels,
    css`
      nav {
        display: flex;
        gap: var(--space-4);
        margin-bottom: var(--space-3);
        border-bottom: 1px solid var(--line);
      }

      nav a {
        padding: 0.375rem 0;
        border-bottom: 2px solid transparent;
        color: var(--text-2);
        font-weight: 500;
      }

      nav a:hover {
        color: var(--text);
        text-decoration: none;
      }

      nav [aria-current] {
        border-color: var(--accent);
        color: var(--text);
      }
    `,
  ];
  readonly #place = new Watch(this, place);
  readonly #fleet = new Resource(this, loadFleet, { pollMs: 5_000, pausable: true });

  protected override render() {
    const { value: fleet } = this.#fleet;
    return html`<gw-page heading=${text.heading} about=${text.about}>
        <gw-freshness
          slot="actions"
          .updatedAt=${this.#fleet.updatedAt}
          ?loading=${this.#fleet.loading}
        ></gw-freshness>
        ${failureNotice(this.#fleet)} ${loaded(this.#fleet, (all) => this.#all(all))}
      </gw-page>
      ${this.#drawer(fleet)}`;
  }

  #all(fleet: Fleet) {
    return html`${this.#tiles(fleet)}
    ${fleet.replicas.length === 0 ? this.#empty() : this.#tables(fleet)}`;
  }

  #empty() {
    return html`<gw-empty
      heading=${text.empty}
      icon="server"
      command="npm run gw -- --role proxy --control-url https://control.example:4001"
    >
      <span slot="about">${text.emptyAbout}</span>
      <a class="button" href=${linkTo({ screen: 'settings', query: { q: 'proxy' } })}
        >${text.toSettings}</a
      >
    </gw-empty>`;
  }

  #tiles({ replicas, health, published }: Fleet) {
    const state = fleetState(replicas, { own: health.backends, published });
    const { lag_events: lag, log_position: head } = health;
    return html`<div class="tiles">
      <gw-kpi
        label="Replicas"
        value=${formatNumber(state.replicas)}
        tone=${state.behind > 0 ? 'warn' : 'plain'}
        >${state.replicas === 0 ? 'none reporting' : `${state.behind} behind`}</gw-kpi
      >
      <gw-kpi
        label="Backends down"
        value=${formatNumber(state.down)}
        tone=${state.down > 0 ? 'bad' : 'plain'}
        href=${linkTo({ screen: 'fleet', query: downQuery(state.down) })}
        >of ${formatNumber(state.backends)}</gw-kpi
      >
      <gw-kpi
        label="Published"
        value=${published.version === null ? 'none' : `v${published.version}`}
        tone=${published.version === null ? 'none' : 'plain'}
        href=${linkTo({ screen: 'history', rest: ['versions'] })}
        >${
          health.snapshot_rebuild_failures === 0
            ? text.noBuildFailed
            : formatCount(health.snapshot_rebuild_failures, 'failed build')
        }</gw-kpi
      >
      <gw-kpi
        label="Event log"
        value=${head === null ? 'unreachable' : formatNumber(head)}
        tone=${head === null ? 'bad' : 'plain'}
        href=${linkTo({ screen: 'history', rest: ['log'] })}
        >${
          lag === null
            ? text.databaseDown
            : lag === 0
              ? text.projectionsCurrent
              : `${formatCount(lag, 'event')} behind`
        }</gw-kpi
      >
    </div>`;
  }

  #tables({ replicas, published, versions }: Fleet) {
    const now = this.#fleet.updatedAt ?? Date.now();
    const isMatrix = this.#place.value.query['show'] === 'backends';
    return html`<nav aria-label=${text.views}>
        ${tab('Replicas', '', !isMatrix)} ${tab(text.matrix, 'backends', isMatrix)}
      </nav>
      ${
        isMatrix
          ? html`<gw-table
              label=${text.matrix}
              noun="backend"
              .columns=${this.#matrixColumns(replicas)}
              .rows=${backendMatrix(replicas)}
              .keyOf=${({ key }: MatrixRow<Seen>) => key}
              .view=${tableView()}
              ?stale=${this.#fleet.failure !== null}
              @gw-view=${keepView}
            ></gw-table>`
          : html`<gw-table
              label="Replicas"
              noun="replica"
              .columns=${replicaColumns({ published, versions, now })}
              .isMarked=${(one: Replica) => replicaState(one, published, now).tone === 'bad'}
              .rows=${replicas}
              .keyOf=${({ replica }: Replica) => replica}
              .hrefOf=${({ replica }: Replica) =>
                linkTo({ screen: 'fleet', rest: [replica], query: this.#place.value.query })}
              .chosen=${this.#place.value.rest[0] ?? null}
              .view=${tableView()}
              ?stale=${this.#fleet.failure !== null}
              @gw-view=${keepView}
            ></gw-table>`
      }`;
  }

  #matrixColumns(replicas: readonly Replica[]) {
    return matrixColumns(replicas.map(({ replica }) => replica));
  }

  #drawer(fleet: Fleet | undefined) {
    const replica = fleet?.replicas.find((one) => one.replica === this.#place.value.rest[0]);
    return html`<gw-drawer
      heading=${replica?.replica ?? ''}
      ?open=${replica !== undefined}
      @gw-close=${() => openRest([])}
    >
      ${
        replica === undefined || fleet === undefined
          ? nothing
          : html`<gw-replica
              .replica=${replica}
              .published=${fleet.published}
              .versions=${fleet.versions}
            ></gw-replica>`
      }
    </gw-drawer>`;
  }
}

customElements.define('gw-screen-fleet', ScreenFleet);
