// Shows the verification of the export: its end, the first invalid line, its keys and checkpoints.

import { css, html, nothing } from 'lit';

import { element, given } from '../../../ui/elements/element.ts';
import '../../../ui/elements/badge.ts';
import '../../../ui/elements/copy.ts';
import '../../../ui/elements/icon.ts';
import '../../../ui/elements/chart/kpi.ts';
import '../../../ui/elements/table/table.ts';
import type { Column } from '../../../ui/elements/table/table.ts';
import '../../../ui/elements/time.ts';
import { formatCount, formatNumber } from '../../../ui/lib/text/format.ts';
import { linkTo } from '../../../ui/state/location.ts';
import { keepView, tableView } from '../../../ui/state/table-view.ts';
import { base, buttons } from '../../../ui/styles/base.ts';
import { record } from '../../../ui/styles/record.ts';
import type { Signed } from './log/open-log.ts';
import type { Summary } from './log/open-export.ts';

const columns: readonly Column<Signed>[] = [
  { id: 'position', label: 'Position', value: ({ position }) => position },
  {
    id: 'note',
    label: 'Note',
    value: ({ note }) => note,
    cell: ({ note }) =>
      html`<code class="quiet">${note.split('\n')[2]?.slice(0, 24)}…</code
        ><gw-copy text=${note} label="checkpoint"></gw-copy>`,
  },
];

class GwViewerIntegrity extends element({
  summary: given<Summary>(),
}) {
  static override styles = [
    base,
    buttons,
    record,
    css`
      .tiles {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr));
        gap: var(--space-3);
        margin-bottom: var(--space-5);
      }

      pre {
        max-height: 16rem;
        margin: 0;
        padding: var(--space-3);
        overflow: auto;
        border: 1px solid var(--line);
        border-radius: var(--radius-m);
        background: var(--sunken);
        font-size: var(--text-s);
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
    `,
  ];

  protected override render() {
    const { summary } = this;
    return html`${this.#tiles(summary)} ${this.#broken(summary)}
      <div class="section"><h2>Export</h2></div>
      ${this.#facts(summary)}
      <div class="section"><h2>Audit keys</h2></div>
      ${this.#keys(summary)}
      <div class="section"><h2>Signed checkpoints</h2></div>
      ${this.#checkpoints(summary)}`;
  }

  #tiles(summary: Summary) {
    const { position, from, to, checkpoints, finding, pack, version } = summary;
    const last = checkpoints.at(-1);
    const events = Math.max(0, position - from + 1);
    return html`<div class="tiles">
      <gw-kpi label="Chain" value=${chainWord(summary)} tone=${finding === null ? 'plain' : 'bad'}
        >${finding === null ? 'every hash recomputed' : `at position ${finding.position}`}</gw-kpi
      >
      <gw-kpi
        label="Verified events"
        value=${formatNumber(events)}
        href=${linkTo({ screen: 'history', rest: ['events'] })}
        >positions ${from} to ${position}${to > position ? `, of ${to}` : ''}</gw-kpi
      >
      <gw-kpi
        label="Signed up to"
        value=${last === undefined ? 'None' : formatNumber(last.position)}
        tone=${last === undefined ? 'none' : 'plain'}
        >${last === undefined ? 'no checkpoints' : `${formatCount(checkpoints.length, 'checkpoint')}, signatures checked`}</gw-kpi
      >
      ${
        pack === null
          ? html`<gw-kpi
              label="Snapshot"
              value=${version === 0 ? 'none' : `v${version}`}
              href=${linkTo({ screen: 'history', rest: ['versions'] })}
              >at the end of the export</gw-kpi
            >`
          : html`<gw-kpi
              label="Pack"
              value=${pack.problem === null ? 'holds' : 'altered'}
              tone=${pack.problem === null ? 'plain' : 'bad'}
              >${formatCount(pack.files, 'file')},
              ${pack.isSigned ? 'signed' : 'not signed'}</gw-kpi
            >`
      }
    </div>`;
  }

  #broken({ finding, brokenLine }: Summary) {
    if (finding === null || brokenLine === null) return nothing;
    return html`<div class="section">
        <h2>The line at position ${finding.position}</h2>
        <gw-copy text=${brokenLine} label="line"></gw-copy>
      </div>
      <pre tabindex="0" aria-label="Invalid line">${brokenLine}</pre>`;
  }

  #facts({ name, bytes, logId, position, hash, lastAt, trust }: Summary) {
    return html`<dl>
      <dt>File</dt>
      <dd>${name} <span class="quiet">${formatNumber(bytes)} bytes</span></dd>
      <dt>Log</dt>
      <dd>${this.#exact(logId, 'log id')}</dd>
      <dt>Last position</dt>
      <dd>${position}</dd>
      <dt>Last hash</dt>
      <dd>${this.#exact(hash, 'hash')}</dd>
      <dt>Last event</dt>
      <dd>${lastAt === null ? 'none' : html`<gw-time absolute at=${lastAt}></gw-time>`}</dd>
      <dt>Trusted key</dt>
      <dd>
        ${
          trust.key === null
            ? html`<span class="quiet">None. The keys in the log are trusted</span>`
            : this.#exact(trust.key, 'audit key')
        }
      </dd>
      <dt>Saved checkpoints</dt>
      <dd>
        ${
          trust.anchors === 0
            ? html`<span class="quiet"
                >None. Without one, a truncated log, or one that was rewritten and signed again,
                cannot be detected</span
              >`
            : `${formatCount(trust.anchors, 'checkpoint')} compared with the log`
        }
      </dd>
    </dl>`;
  }

  #exact(text: string | null, label: string) {
    if (text === null) return html`<span class="quiet">unknown</span>`;
    return html`<code>${text}</code><gw-copy text=${text} label=${label}></gw-copy>`;
  }

  #keys({ keys }: Summary) {
    if (keys.length === 0) {
      return html`<p class="quiet">None. This log is not signed.</p>`;
    }
    return html`<ul class="rows">
      ${keys.map(
        ({ since, publicKey }) =>
          html`<li>
            <code>${publicKey}</code><gw-copy text=${publicKey} label="audit key"></gw-copy>
            <span class="quiet end">since position ${since}</span>
          </li>`,
      )}
    </ul>`;
  }

  #checkpoints({ checkpoints }: Summary) {
    if (checkpoints.length === 0) return html`<p class="quiet">None.</p>`;
    return html`<gw-table
      label="Signed checkpoints"
      noun="checkpoint"
      .columns=${columns}
      .rows=${checkpoints.toReversed()}
      .keyOf=${({ position }: Signed) => position}
      .view=${tableView()}
      @gw-view=${keepView}
    ></gw-table>`;
  }
}

/** A problem without a line concerns the whole export: truncated, without payloads, or not signed by the trusted key. */
function chainWord({ finding, brokenLine }: Summary): string {
  if (finding === null) return 'holds';
  return brokenLine === null ? 'incomplete' : 'broken';
}

customElements.define('gw-viewer-integrity', GwViewerIntegrity);
