// One snapshot version: where it came from, which replicas serve it, what it changed, and the ways from there.

import { LitElement, css, html, nothing } from 'lit';
import type { PropertyValues } from 'lit';

import { asFailure } from '../../api/failure.ts';
import type { ApiFailure } from '../../api/failure.ts';
import { diffSnapshots, listVersions } from '../../api/snapshots.ts';
import type { SnapshotDiff, SnapshotVersion } from '../../api/snapshots.ts';
import '../../elements/badge.ts';
import '../../elements/copy.ts';
import '../../elements/empty.ts';
import '../../elements/error.ts';
import '../../elements/icon.ts';
import { Resource } from '../../elements/resource.ts';
import '../../elements/time.ts';
import { formatCount } from '../../lib/format.ts';
import { wordsOf } from '../../lib/history.ts';
import '../../parts/differences.ts';
import { isReadOnly } from '../../state/as-of.ts';
import { isOneFile } from '../../state/base.ts';
import { linkTo } from '../../state/location.ts';
import { may } from '../../state/session.ts';
import { base, buttons } from '../../styles/base.ts';
import { record } from '../../styles/record.ts';

const differencesMax = 200;

/** The difference may be one that cannot be told, where the rest of the version can. */
type Loaded = Readonly<{ row: SnapshotVersion | null; diff: SnapshotDiff | ApiFailure | null }>;

export class GwHistoryVersion extends LitElement {
  static override properties = { version: { type: Number }, known: { attribute: false } };
  static override styles = [
    base,
    buttons,
    record,
    css`
      .ways {
        display: flex;
        flex-wrap: wrap;
        gap: var(--space-2);
        margin-bottom: var(--space-4);
      }
    `,
  ];
  declare version: number;
  /** Its row, where a list has it already. */
  declare known: SnapshotVersion | null;
  readonly #loaded = new Resource(this, (signal) => this.#load(signal));

  constructor() {
    super();
    this.known = null;
  }

  async #load(signal: AbortSignal): Promise<Loaded> {
    const { version } = this;
    const [newest] =
      this.known === null
        ? (await listVersions({ before: version + 1, limit: 1 }, signal)).body
        : [this.known];
    if (newest?.version !== version) return { row: null, diff: null };
    const from = newest.made_by?.version_before ?? version - 1;
    const diff = await diffSnapshots(
      { from, to: version },
      { limit: differencesMax },
      signal,
    ).catch(asFailure);
    return { row: newest, diff: 'body' in diff ? diff.body : diff };
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.get('version') !== undefined) void this.#loaded.reload();
  }

  protected override render() {
    const { value, failure } = this.#loaded;
    if (failure !== null) {
      return html`<gw-error
        retriable
        .failure=${failure}
        @gw-retry=${() => this.#loaded.reload()}
      ></gw-error>`;
    }
    if (value === undefined) return nothing;
    if (value.row === null) {
      return html`<gw-empty heading="No version ${this.version}" icon="layers">
        <span slot="about">Versions are positions of the log, and not every position is one.</span>
      </gw-empty>`;
    }
    return html`${this.#ways()} ${this.#facts(this.known ?? value.row)}
      <div class="section"><h3>What it changed</h3></div>
      ${this.#differences(value.diff)}`;
  }

  #differences(diff: Loaded['diff']) {
    if (diff instanceof Error) return html`<gw-error .failure=${diff}></gw-error>`;
    return html`<gw-differences
      .differences=${diff?.differences ?? []}
      .total=${diff?.total ?? 0}
    ></gw-differences>`;
  }

  #ways() {
    const version = String(this.version);
    return html`<div class="ways">
      ${
        may('config:write') && !isReadOnly()
          ? html`<a class="button" href=${linkTo({ screen: 'history', rest: ['restore', version] })}
              ><gw-icon name="rotate-ccw"></gw-icon>Restore …</a
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

  #facts(row: SnapshotVersion) {
    const { created_at, made_by: made } = row;
    return html`<dl>
      <dt>Made</dt>
      <dd><gw-time absolute at=${created_at}></gw-time></dd>
      ${
        made === null
          ? nothing
          : html`<dt>By</dt>
              <dd>
                <a href=${linkTo({ screen: 'history', rest: [made.id] })}
                  >${wordsOf(made.command)}</a
                >, ${made.actor_name ?? made.actor_kind}
              </dd>
              <dt>Why</dt>
              <dd>${made.reason ?? html`<span class="quiet">not said</span>`}</dd>`
      }
      ${isOneFile ? nothing : this.#kept(row)}
    </dl>`;
  }

  /** What the log does not hold, and an export of it neither. */
  #kept({ content_hash, snapshot_schema, replicas, served_by: served }: SnapshotVersion) {
    return html`<dt>Serving now</dt>
      <dd>
        ${
          replicas.length === 0
            ? html`<span class="quiet">no replica that reports here</span>`
            : this.#replicas(replicas)
        }
      </dd>
      <dt>Ever served by</dt>
      <dd>
        ${
          served.replicas === 0
            ? html`<span class="quiet">no replica that reported</span>`
            : html`${formatCount(served.replicas, 'replica')}${this.#replicas(served.first)}`
        }
      </dd>
      <dt>Content</dt>
      <dd>
        <code>${content_hash}</code><gw-copy text=${content_hash} label="content hash"></gw-copy>
      </dd>
      <dt>Schema</dt>
      <dd>${snapshot_schema}</dd>`;
  }

  #replicas(serving: SnapshotVersion['replicas']) {
    return serving.map(
      ({ replica, since }) =>
        html`<div><code>${replica}</code>, since <gw-time at=${since}></gw-time></div>`,
    );
  }
}

customElements.define('gw-history-version', GwHistoryVersion);

declare global {
  interface HTMLElementTagNameMap {
    'gw-history-version': GwHistoryVersion;
  }
}
