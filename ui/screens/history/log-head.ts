// Draws the last position and hash of the log, and the links to export and verify it.

import { html } from 'lit';

import { exportAddress, viewerAddress } from '../../api/log.ts';
import type { LogHead } from '../../api/log.ts';
import '../../elements/copy.ts';
import '../../elements/time.ts';
import './verify.ts';

export function logEnd({ log_id: id, hash, recorded_at: at, position }: LogHead) {
  return html`<div class="section"><h2>Head</h2></div>
    <dl>
      <dt>Log</dt>
      <dd><code>${id}</code><gw-copy text=${id} label="log id"></gw-copy></dd>
      <dt>Position</dt>
      <dd>${position}</dd>
      <dt>Hash</dt>
      <dd><code>${hash}</code><gw-copy text=${hash} label="hash"></gw-copy></dd>
      <dt>Last event</dt>
      <dd><gw-time absolute at=${at}></gw-time></dd>
      <dt>Export</dt>
      <dd>
        <a download href=${exportAddress()}>Download as NDJSON</a>. Verify it with
        <code>node deploy/verify.mjs</code>, or open it in the
        <a download href=${viewerAddress()}>offline viewer</a>, which needs no server.
      </dd>
    </dl>
    <gw-verify-log .position=${position}></gw-verify-log>`;
}
