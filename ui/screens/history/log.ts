// Draws the integrity of the log: its head, alarms, witnesses, signed checkpoints and projections.

import { LitElement, css, html } from 'lit';

import { call } from '../../api/http/call.ts';
import type { Health, Replica } from '../../api/records.ts';
import { getLogHead, listCheckpoints } from '../../api/log.ts';
import type { Checkpoints, LogHead } from '../../api/log.ts';
import '../../elements/chart/kpi.ts';
import { loaded, failureNotice } from '../../elements/loaded.ts';
import { Resource } from '../../elements/resource.ts';
import { Watch } from '../../elements/watch.ts';
import { formatCount, formatNumber } from '../../lib/text/format.ts';
import { behindState, unsignedText } from '../../lib/history/integrity.ts';
import { readView } from '../../lib/page/table-view.ts';
import { linkTo, place } from '../../state/location.ts';
import { base, buttons } from '../../styles/base.ts';
import { panels } from '../../styles/panels.ts';
import { record } from '../../styles/record.ts';
import { listStyles } from '../../styles/list.ts';
import { logAlarms } from './log-alarms.ts';
import { logCheckpoints } from './log-checkpoints.ts';
import { logDerived } from './log-derived.ts';
import { logEnd } from './log-head.ts';
import { logWitnesses } from './log-witnesses.ts';

const pollMs = 10_000;
const checkpointsMax = 1_000;
/** Each checkpoint has its own position, so a page of this size contains the newest checkpoints. */
const positionsShown = checkpointsMax;

type Loaded = Readonly<{
  head: LogHead;
  health: Health;
  signed: Checkpoints;
  replicas: readonly Replica[];
}>;

async function load(signal: AbortSignal): Promise<Loaded> {
  const [{ body: head }, { body: health }, { body: replicas }] = await Promise.all([
    getLogHead(signal),
    call('GET', '/admin/health', { signal }),
    call('GET', '/admin/fleet', { signal }),
  ]);
  const after = Math.max(0, head.position - positionsShown);
  const { body: signed } = await listCheckpoints({ after, limit: checkpointsMax }, signal);
  return { head, health, signed, replicas };
}

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
    return html`${failureNotice(this.#log)} ${loaded(this.#log, (found) => this.#all(found))}`;
  }

  #all({ head, health, signed, replicas }: Loaded) {
    return html`${logAlarms(head)} ${this.#tiles(head, health, signed)}
      <div class="cards">
        <section>${logEnd(head)}</section>
        <section>${logDerived(health, head)}</section>
      </div>
      ${logWitnesses(replicas, head)} ${logCheckpoints(signed, readView(this.#place.value.query))}`;
  }

  #tiles(head: LogHead, health: Health, signed: Checkpoints) {
    const last = signed.checkpoints.at(-1)?.position ?? null;
    const signing = { last, among: positionsShown, hasKey: signed.keys.length > 0 };
    const behind = behindState(health.lag_events);
    return html`<div class="tiles">
      <gw-kpi
        label="Log"
        value=${formatNumber(head.position)}
        href=${linkTo({ screen: 'history', rest: ['events'] })}
        >events in one hash chain</gw-kpi
      >
      <gw-kpi label="Read models" value=${behind.word} tone=${behind.tone}
        >at position ${formatNumber(health.read_position)}</gw-kpi
      >
      <gw-kpi
        label="Snapshot"
        value="v${head.snapshot_version}"
        href=${linkTo({ screen: 'history', rest: ['versions'] })}
        >${
          health.snapshot_rebuild_failures === 0
            ? 'No failed builds'
            : formatCount(health.snapshot_rebuild_failures, 'failed build')
        }</gw-kpi
      >
      <gw-kpi
        label="Signed up to"
        value=${last === null ? 'None' : formatNumber(last)}
        tone=${last === null ? 'none' : 'plain'}
        >${unsignedText(head.position, signing)}</gw-kpi
      >
    </div>`;
  }
}

customElements.define('gw-history-log', HistoryLog);
