// Draws the state of the projections, and the commands that verify and rebuild them.

import { html, nothing } from 'lit';

import type { Health } from '../../api/records.ts';
import type { LogHead } from '../../api/log.ts';
import '../../elements/badge.ts';
import '../../elements/copy.ts';
import '../../elements/time.ts';
import { behindState, driftText, verifiedState } from '../../lib/history/integrity.ts';

const tones = { plain: 'good', warn: 'warn', none: 'plain' } as const;

export function logDerived(
  { lag_events: lag, budget_drift: drift }: Health,
  { read_models: models, verified, position }: LogHead,
) {
  const { tone, word } = behindState(lag);
  return html`<div class="section"><h2>Projections</h2></div>
    <dl>
      <dt>Read models</dt>
      <dd>
        <gw-badge tone=${tones[tone]}>${word}</gw-badge>${
          models?.built_at
            ? html` <span class="quiet">built <gw-time at=${models.built_at}></gw-time></span>`
            : nothing
        }
      </dd>
      <dt>Chain verified</dt>
      <dd>${lastVerified(verified.chain, position)}</dd>
      <dt>Last replay</dt>
      <dd>${lastVerified(verified.read_models, position)}</dd>
      <dt>Budgets</dt>
      <dd>${driftText(drift) ?? html`<span class="quiet">Not checked by this process</span>`}</dd>
      <dt>Tables</dt>
      <dd>
        Verify the chain and compare each table with a rebuild:
        <div class="command">
          <code>gw log verify</code
          ><gw-copy text="npm run gw -- log verify" label="command"></gw-copy>
        </div>
      </dd>
      <dt>Replay and compare</dt>
      <dd>
        Replays every event next to the live tables in a transaction that is rolled back, and lists
        the tables that differ. It reads the whole log, so run it on a schedule:
        <div class="command">
          <code>gw projections verify</code
          ><gw-copy text="npm run gw -- projections verify" label="command"></gw-copy>
        </div>
      </dd>
      <dt>Rebuild</dt>
      <dd>
        Rebuild a database from an export:
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

function lastVerified(last: LogHead['verified']['chain'], head: number) {
  const { tone, word, upTo } = verifiedState(last, head);
  return html`<gw-badge tone=${tone}>${word}</gw-badge>${
      last === null
        ? nothing
        : html` <span class="quiet"
              >${upTo}, <gw-time at=${last.at}></gw-time> by <code>${last.by}</code></span
            >
            ${last.problem === null ? nothing : html`<p class="notice bad">${last.problem}</p>`}`
    }`;
}
