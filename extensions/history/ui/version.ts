// One snapshot version: where it came from, which replicas serve it, what it changed, and the ways from there.

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
  /** Its row, where a list has it already. */
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
      <div class="section"><h3>What it changed</h3></div>
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
        ><gw-icon name="clock"></gw-icon>Browse as of it</a
      >
      <a
        class="button"
        href=${linkTo({ screen: 'history', rest: ['diff'], query: { from: version } })}
        ><gw-icon name="arrow-right"></gw-icon>Compare with now</a
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

  /** What the log does not hold, and an export of it neither. */
  #kept({ content_hash, snapshot_schema, replicas, served_by: served }: SnapshotVersion): Facts {
    return [
      [
        'Serving now',
        replicas.length === 0
          ? html`<span class="quiet">no replica that reports here</span>`
          : this.#replicas(replicas),
      ],
      [
        'Ever served by',
        served.replicas === 0
          ? html`<span class="quiet">no replica that reported</span>`
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
