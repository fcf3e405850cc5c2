// What proves that the log is what it was: its head, alarms, what was signed of it and by which keys; and how far what is derived from
// it has come.

import { LitElement, css, html, nothing } from 'lit';

import { getFleet, getHealth } from '../../api/fleet.ts';
import type { Replica } from '../../api/fleet.ts';
import { exportAddress, getLogHead, listCheckpoints, viewerAddress } from '../../api/log.ts';
import type { Checkpoints, LogHead } from '../../api/log.ts';
import '../../elements/badge.ts';
import '../../elements/copy.ts';
import '../../elements/icon.ts';
import '../../elements/kpi.ts';
import { loaded, troubleOf } from '../../elements/loaded.ts';
import { Resource } from '../../elements/resource.ts';
import '../../elements/table.ts';
import type { Column } from '../../elements/table.ts';
import '../../elements/time.ts';
import { Watch } from '../../elements/watch.ts';
import { formatCount, formatNumber } from '../../lib/format.ts';
import { readView } from '../../lib/table-view.ts';
import { linkTo, place } from '../../state/location.ts';
import { keepView } from '../../state/table-view.ts';
import { base, buttons } from '../../styles/base.ts';
import { panels } from '../../styles/panels.ts';
import { record } from '../../styles/record.ts';
import { listStyles } from './list-styles.ts';
import './verify.ts';

const pollMs = 10_000;
const checkpointsMax = 1_000;
/** Every checkpoint is of a position of its own, so these hold the newest of them. */
const positionsShown = checkpointsMax;

type Health = Awaited<ReturnType<typeof getHealth>>['body'];
type Signed = Checkpoints['checkpoints'][number];
type Loaded = Readonly<{
  head: LogHead;
  health: Health;
  signed: Checkpoints;
  replicas: readonly Replica[];
}>;

async function load(signal: AbortSignal): Promise<Loaded> {
  const [{ body: head }, { body: health }, { body: replicas }] = await Promise.all([
    getLogHead(signal),
    getHealth(signal),
    getFleet(signal),
  ]);
  const after = Math.max(0, head.position - positionsShown);
  const { body: signed } = await listCheckpoints({ after, limit: checkpointsMax }, signal);
  return { head, health, signed, replicas };
}

const columns: readonly Column<Signed>[] = [
  { id: 'position', label: 'Position', value: ({ position }) => position },
  {
    id: 'created_at',
    label: 'Signed',
    value: ({ created_at }) => created_at,
    cell: ({ created_at }) => html`<gw-time absolute at=${created_at}></gw-time>`,
  },
  {
    id: 'note',
    label: 'Note',
    value: ({ note }) => note,
    cell: ({ note }) =>
      html`<code class="quiet">${note.split('\n')[2]?.slice(0, 16)}…</code
        ><gw-copy text=${note} label="checkpoint"></gw-copy>`,
  },
];

class HistoryLog extends LitElement {
  static override styles = [
    base,
    buttons,
    record,
    panels,
    listStyles,
    css`
      .bad {
        background: var(--bad-soft);
      }

      .cards {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr));
        gap: 0 var(--space-6);
      }

      .command {
        display: flex;
        align-items: center;
        gap: var(--space-1);
      }
    `,
  ];
  readonly #place = new Watch(this, place);
  readonly #log = new Resource(this, load, { pollMs });

  protected override render() {
    return html`${troubleOf(this.#log)} ${loaded(this.#log, (found) => this.#all(found))}`;
  }

  #all(loaded: Loaded) {
    return html`${this.#alarms(loaded.head)} ${this.#tiles(loaded)}
      <div class="cards">
        <section>${this.#head(loaded.head)}</section>
        <section>${this.#derived(loaded)}</section>
      </div>
      ${this.#witnesses(loaded)} ${this.#signed(loaded.signed)}`;
  }

  #alarms({ alarms }: LogHead) {
    if (alarms.length === 0) return nothing;
    return alarms.map(
      (one) =>
        html`<div class="notice ${one.explained_by_epoch === null ? 'bad' : 'warn'}" role="alert">
          <strong
            >${
              one.explained_by_epoch === null
                ? 'The log is not what it was.'
                : `The log began epoch ${one.explained_by_epoch} behind a loss, which explains this.`
            }</strong
          >
          <p>
            <gw-time absolute at=${one.at}></gw-time>, position
            <a href=${linkTo({ screen: 'history', rest: ['events', one.position] })}
              >${one.position}</a
            >: ${one.problem}
          </p>
          ${
            one.replica === null
              ? nothing
              : html`<p>
                  Seen by <code>${one.replica}</code>: <code>${one.seen_hash}</code>, where the log
                  has ${one.log_hash === null ? 'no event' : html`<code>${one.log_hash}</code>`}
                </p>`
          }
        </div>`,
    );
  }

  #tiles({ head, health, signed }: Loaded) {
    const last = signed.checkpoints.at(-1);
    const behind = last === undefined ? null : head.position - last.position;
    const lag = health.lag_events;
    return html`<div class="tiles">
      <gw-kpi
        label="Log"
        value=${formatNumber(head.position)}
        href=${linkTo({ screen: 'history', rest: ['events'] })}
        >events in one chain</gw-kpi
      >
      <gw-kpi
        label="Read models"
        value=${lag === null ? 'no data' : lag === 0 ? 'current' : `${formatNumber(lag)} behind`}
        tone=${lag === null ? 'none' : lag > 0 ? 'warn' : 'plain'}
        >read up to ${formatNumber(health.read_position)}</gw-kpi
      >
      <gw-kpi
        label="Snapshot"
        value="v${head.snapshot_version}"
        href=${linkTo({ screen: 'history', rest: ['versions'] })}
        >${
          health.snapshot_rebuild_failures === 0
            ? 'no failed build'
            : formatCount(health.snapshot_rebuild_failures, 'failed build')
        }</gw-kpi
      >
      <gw-kpi
        label="Signed up to"
        value=${last === undefined ? 'not signed' : formatNumber(last.position)}
        tone=${last === undefined ? 'none' : 'plain'}
        >${
          behind === null
            ? 'no audit key is set'
            : behind === 0
              ? 'all of it'
              : `${formatCount(behind, 'event')} since`
        }</gw-kpi
      >
    </div>`;
  }

  #head({ log_id: id, hash, recorded_at: at, position }: LogHead) {
    return html`<div class="section"><h3>Head</h3></div>
      <dl>
        <dt>Log</dt>
        <dd><code>${id}</code><gw-copy text=${id} label="log id"></gw-copy></dd>
        <dt>Position</dt>
        <dd>${position}</dd>
        <dt>Hash</dt>
        <dd><code>${hash}</code><gw-copy text=${hash} label="hash"></gw-copy></dd>
        <dt>Last event</dt>
        <dd><gw-time absolute at=${at}></gw-time></dd>
        <dt>All of it</dt>
        <dd>
          <a download href=${exportAddress()}>Export as NDJSON</a>, verified by
          <code>node deploy/verify.mjs</code> and shown by the
          <a download href=${viewerAddress()}>offline viewer</a>, which needs no server
        </dd>
      </dl>
      <gw-verify-log .position=${position}></gw-verify-log>`;
  }

  #derived({ health }: Loaded) {
    const lag = health.lag_events ?? 0;
    return html`<div class="section"><h3>What is derived from it</h3></div>
      <dl>
        <dt>Read models</dt>
        <dd>
          <gw-badge tone=${lag === 0 ? 'good' : 'warn'}
            >${lag === 0 ? 'at the head' : `${lag} events behind`}</gw-badge
          >
        </dd>
        <dt>Budgets</dt>
        <dd>
          ${
            health.budget_drift === null
              ? html`<span class="quiet">not checked by this process</span>`
              : health.budget_drift === 0
                ? 'agree with their usage'
                : `${formatCount(health.budget_drift, 'budget')} not the sum of their usage`
          }
        </dd>
        <dt>Tables</dt>
        <dd>
          Each is compared with a rebuild, beside the chain, by
          <div class="command">
            <code>gw log verify</code
            ><gw-copy text="npm run gw -- log verify" label="command"></gw-copy>
          </div>
        </dd>
        <dt>Replay and compare</dt>
        <dd>
          Folds every event again beside the live tables, in one transaction that is taken back, and
          names each table that differs. It reads the whole log, so that no page starts it; by
          schedule:
          <div class="command">
            <code>gw projections verify</code
            ><gw-copy text="npm run gw -- projections verify" label="command"></gw-copy>
          </div>
        </dd>
        <dt>Replay</dt>
        <dd>
          Makes a database anew from an export:
          <div class="command">
            <code>gw log replay export.ndjson --into postgres://host/empty</code
            ><gw-copy
              text="npm run gw -- log replay export.ndjson --into postgres://host/empty"
              label="command"
            ></gw-copy>
          </div>
        </dd>
      </dl>`;
  }

  /** Replicas keep the hashes that they were given, and say them with every report. */
  #witnesses({ head, replicas }: Loaded) {
    return html`<div class="section"><h3>Witnesses</h3></div>
      ${
        replicas.length === 0
          ? html`<p class="quiet">
              No replica reports to this process. Each that does keeps the hashes that it was given,
              and tells when the log holds another one.
            </p>`
          : html`<ul class="rows">
              ${replicas.map((replica) => this.#witness(replica, head))}
            </ul>`
      }`;
  }

  #witness({ replica, log_seen: seen = [], reported_at: at }: Replica, { alarms }: LogHead) {
    const [newest] = seen;
    const isContradicting = alarms.some(
      (one) => one.replica === replica && one.explained_by_epoch === null,
    );
    const tone = isContradicting ? 'bad' : newest === undefined ? 'plain' : 'good';
    const word = isContradicting ? 'contradicts' : newest === undefined ? 'saw none' : 'agrees';
    return html`<li>
      <code>${replica}</code><gw-badge tone=${tone}>${word}</gw-badge>
      <span class="quiet"
        >${newest === undefined ? '' : html`up to ${newest.position}, `}<gw-time at=${at}></gw-time
      ></span>
    </li>`;
  }

  #signed({ origin, keys, checkpoints }: Checkpoints) {
    return html`<div class="section"><h3>Signed checkpoints</h3></div>
      ${
        checkpoints.length === 0
          ? html`<p class="quiet">
              None. With an audit key set, the control plane signs the head every so often; whoever
              keeps a copy elsewhere can prove what the log was.
            </p>`
          : html`<p class="notice">
                Signed under <code>${origin}</code>.
                ${keys.map(
                  ({ since, public_key: key, verifier_key: verifier }) =>
                    html`<br />Key <code>${key.slice(0, 16)}…</code> since position ${since}
                      <gw-copy text=${verifier} label="verifier key"></gw-copy>`,
                )}
              </p>
              <gw-table
                label="Signed checkpoints"
                noun="checkpoint"
                .columns=${columns}
                .rows=${checkpoints.toReversed()}
                .keyOf=${({ position }: Signed) => position}
                .view=${readView(this.#place.value.query)}
                @gw-view=${keepView}
              ></gw-table>`
      }`;
  }
}

customElements.define('gw-history-log', HistoryLog);
