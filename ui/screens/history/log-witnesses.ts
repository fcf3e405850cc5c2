// Draws the replicas as witnesses of the log: each keeps the hashes that it received and sends them with every report.

import { html } from 'lit';

import type { Replica } from '../../api/records.ts';
import type { LogHead } from '../../api/log.ts';
import '../../elements/badge.ts';
import '../../elements/time.ts';
import { witnessState } from '../../lib/history/integrity.ts';

export function logWitnesses(replicas: readonly Replica[], { alarms }: LogHead) {
  return html`<div class="section"><h2>Witnesses</h2></div>
    ${
      replicas.length === 0
        ? html`<p class="quiet">
            No replica is reporting to this process. Replicas keep the hashes that they receive and
            raise an alarm if the log later contains a different hash.
          </p>`
        : html`<ul class="rows">
            ${replicas.map((replica) => witness(replica, alarms))}
          </ul>`
    }`;
}

function witness(replica: Replica, alarms: LogHead['alarms']) {
  const { tone, word } = witnessState(replica, alarms);
  const [newest] = replica.log_seen ?? [];
  return html`<li>
    <code>${replica.replica}</code><gw-badge tone=${tone}>${word}</gw-badge>
    <span class="quiet"
      >${newest === undefined ? '' : html`up to position ${newest.position}, `}<gw-time
        at=${replica.reported_at}
      ></gw-time
    ></span>
  </li>`;
}
