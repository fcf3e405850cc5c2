// Shows one snapshot version: its origin, its changes, the replicas that serve it, and the actions for it.

import { html, nothing } from 'lit';
import type { PropertyDeclarations } from 'lit';

import { listVersions } from '../../../ui/api/snapshots.ts';
import type { SnapshotVersion } from '../../../ui/api/snapshots.ts';
import { formatCount } from '../../../ui/lib/text/format.ts';
import { versionHelp } from '../../../ui/lib/history/history.ts';
import { isReadOnly } from '../../../ui/state/as-of.ts';
import { isOneFile } from '../../../ui/state/base.ts';
import { linkTo } from '../../../ui/state/location.ts';
import { may } from '../../../ui/state/session.ts';
import { HistoryRecord, tellDifference } from './record.ts';
import type { Facts, Told } from './record.ts';

type Loaded = Readonly<{ row: SnapshotVersion | null; told: Told | null }>;

class GwHistoryVersion extends HistoryRecord<Loaded> {
  static override properties: PropertyDeclarations = { known: { attribute: false } };
  /** Set if the row of the list is loaded. */
  declare known: SnapshotVersion | null;

  constructor() {
    super();
    this.known = null;
  }

  protected override async load(version: number, signal: AbortSignal): Promise<Loaded> {
    const [row] =
      this.known === null
        ? (await listVersions({ before: version + 1, limit: 1 }, signal)).body
        : [this.known];
    if (row?.version !== version) return { row: null, told: null };
    const from = row.made_by?.version_before ?? version - 1;
    return { row, told: await tellDifference({ from, to: version }, signal) };
  }

  protected override loaded({ row, told }: Loaded) {
    if (row === null) {
      return html`<gw-empty heading="No version ${this.position}" icon="layers">
        <span slot="about">${versionHelp}</span>
      </gw-empty>`;
    }
    return html`${this.#ways()} ${this.facts(this.#facts(this.known ?? row))}
      <div class="section"><h3>Changed fields</h3></div>
      ${this.differences(told)}`;
  }

  #ways() {
    const version = String(this.position);
    return html`<div class="ways">
      ${
        may('config:write') && !isReadOnly()
          ? html`<a class="button" href=${linkTo({ screen: 'history', rest: ['restore', version] })}
              ><gw-icon name="rotate-ccw"></gw-icon>Restore…</a
            >`
          : nothing
      }
      <a class="button" href=${linkTo({ screen: 'models', query: { as_of: version } })}
        ><gw-icon name="clock"></gw-icon>Browse this version</a
      >
      <a
        class="button"
        href=${linkTo({ screen: 'history', rest: ['diff'], query: { from: version } })}
        ><gw-icon name="arrow-right"></gw-icon>Compare with current</a
      >
    </div>`;
  }

  #facts(row: SnapshotVersion): Facts {
    const { created_at, made_by: made } = row;
    return [
      ['Made', html`<gw-time absolute at=${created_at}></gw-time>`],
      ...(made === null ? [] : this.#makerOf(made)),
      ...(isOneFile ? [] : this.#kept(row)),
    ];
  }

  #makerOf(made: NonNullable<SnapshotVersion['made_by']>): Facts {
    const { id, summary, actor_name: name, actor_kind: kind, reason } = made;
    const link = linkTo({ screen: 'history', rest: [id] });
    return [
      ['Change', html`<a href=${link}>${summary}</a>, ${name ?? kind}`],
      ['Reason', reason ?? html`<span class="quiet">none</span>`],
    ];
  }

  /** Live data that neither the log nor an export contains. */
  #kept({ content_hash, snapshot_schema, replicas, served_by: served }: SnapshotVersion): Facts {
    return [
      [
        'Served by',
        replicas.length === 0
          ? html`<span class="quiet">No reporting replica</span>`
          : this.#replicas(replicas),
      ],
      [
        'Served by in the past',
        served.replicas === 0
          ? html`<span class="quiet">No replica</span>`
          : html`${formatCount(served.replicas, 'replica')}${this.#replicas(served.first)}`,
      ],
      ['Content', this.exact(content_hash, 'content hash')],
      ['Schema', snapshot_schema],
    ];
  }

  #replicas(serving: SnapshotVersion['replicas']) {
    return serving.map(
      ({ replica, since }) =>
        html`<div><code>${replica}</code>, since <gw-time at=${since}></gw-time></div>`,
    );
  }
}

customElements.define('gw-history-version', GwHistoryVersion);
