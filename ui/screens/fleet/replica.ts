// Draws one replica: its snapshot, its counters and its view of the backends.

import { css, html, nothing } from 'lit';

import { element, given } from '../../elements/element.ts';
import type { Replica } from '../../api/records.ts';
import '../../elements/badge.ts';
import '../../elements/copy.ts';
import '../../elements/table/table.ts';
import '../../elements/time.ts';
import { lagOf, lagText, replicaState } from '../../lib/observe/fleet.ts';
import type { Published } from '../../lib/observe/fleet.ts';
import { formatBytes, formatDuration, formatNumber } from '../../lib/text/format.ts';
import { base } from '../../styles/base.ts';
import { record } from '../../styles/record.ts';
import { backendColumns, cacheShare } from './columns.ts';
import type { Seen } from './columns.ts';

class GwReplica extends element({
  replica: given<Replica>(),
  published: given<Published>(),
  versions: given<Parameters<typeof lagOf>[1]>(),
}) {
  static override styles = [
    base,
    record,
    css`
      :host {
        --table-height: none;
      }

      h3 {
        margin: var(--space-6) 0 var(--space-2);
      }

      .refused {
        background: var(--bad-soft);
      }
    `,
  ];

  protected override render() {
    const { replica, published } = this;
    const { tone, word } = replicaState(replica, published, Date.now());
    const { process, refused_snapshot: refused = null } = replica;
    const facts: readonly (readonly [string, unknown])[] = [
      ['State', html`<gw-badge tone=${tone}>${word}</gw-badge>`],
      [
        'Name',
        html`<code>${replica.replica}</code
          ><gw-copy text=${replica.replica} label="name"></gw-copy>`,
      ],
      [
        'Snapshot',
        html`version ${replica.snapshot_version}, loaded
          <gw-time at=${replica.snapshot_since}></gw-time>; published version:
          ${published.version ?? 'none'}`,
      ],
      ['Behind', lagText(lagOf(replica, this.versions, Date.now()))],
      ['Last report', html`<gw-time at=${replica.reported_at}></gw-time>`],
      ['Uptime', formatDuration(replica.uptime_seconds * 1_000)],
      [
        'Requests',
        `${formatNumber(process.requests_ok)} answered, ${formatNumber(process.requests_failed)} failed`,
      ],
      [
        'Rejected',
        html`${formatNumber(process.rejected_unauthenticated)} with an invalid key,
        ${formatNumber(process.rejected_model_not_found)} for an unknown model`,
      ],
      [
        'Cache',
        `${cacheShare(process)} hits, ${formatNumber(process.cache_entries)} entries, ${formatBytes(process.cache_bytes)}`,
      ],
      ['Usage dropped', `${formatNumber(process.usage_dropped)} rows`],
    ];
    return html`${
        refused === null
          ? nothing
          : html`<p class="notice refused">
              This replica cannot serve
              ${refused.version === null ? 'a newer snapshot' : `version ${refused.version}`}:
              ${refused.reason}
            </p>`
      }
      <dl>
        ${facts.map(
          ([name, value]) =>
            html`<dt>${name}</dt>
              <dd>${value}</dd>`,
        )}
      </dl>
      <h3>Backends</h3>
      <gw-table
        label="Backends of ${replica.replica}"
        noun="backend"
        .columns=${backendColumns}
        .rows=${replica.backends}
        .keyOf=${({ api_base, model }: Seen) => `${api_base} ${model}`}
      ></gw-table>`;
  }
}

customElements.define('gw-replica', GwReplica);
