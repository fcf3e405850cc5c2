// What a restore would come to: how many entities, what stands in its way, what does not come back, and the events that it writes.

import { html, nothing } from 'lit';

import type { Restored } from '../../api/snapshots.ts';
import '../../elements/kpi.ts';
import { capital, formatNumber } from '../../lib/format.ts';
import { streamWords, wordsOf } from '../../lib/history.ts';
import { lossText, wayAround } from '../../lib/restore.ts';
import type { Scope, Way } from '../../lib/restore.ts';

const eventsShown = 200;

/** Those that are listed alone are told apart. */
export function restoreTiles(would: Restored) {
  const least = would.diff.length < would.difference_count ? '≥ ' : '';
  const count = (change: string): string =>
    `${least}${formatNumber(would.diff.filter((one) => one.change === change).length)}`;
  return html`<div class="tiles">
    <gw-kpi label="Entities that change" value=${formatNumber(would.difference_count)}
      >in one version</gw-kpi
    >
    <gw-kpi label="Come back" value=${count('created')}>under their old ids</gw-kpi>
    <gw-kpi label="Change" value=${count('changed')}>to what they were</gw-kpi>
    <gw-kpi label="Go" value=${count('deleted')}>made since then</gw-kpi>
  </div>`;
}

/** `linkTo` leads to the restore of other entities of the same moment. */
export function restoreConflicts(
  { conflicts }: Restored,
  scope: Scope,
  linkTo: (scope: Scope) => string,
) {
  if (conflicts.length === 0) return nothing;
  const way = wayAround(scope, conflicts);
  return html`<div class="notice bad" role="alert">
    <strong>It is refused as it is:</strong>
    <ul>
      ${conflicts.map(({ entity, message }) => html`<li>${streamWords(entity)}: ${message}</li>`)}
    </ul>
    ${way === null ? nothing : html`<p><a href=${linkTo(way.scope)}>${wayWords(way)}</a></p>`}
  </div>`;
}

function wayWords({ back, stay }: Way): string {
  return capital(
    [
      ...(back.length === 0 ? [] : [`bring ${listWords(back)} back with it`]),
      ...(stay.length === 0 ? [] : [`leave ${listWords(stay)} as it is, too`]),
    ].join(', and '),
  );
}

export const listWords = (streams: readonly string[]): string =>
  streams.map((stream) => streamWords(stream)).join(', ');

export function restoreLosses({ missing }: Restored) {
  if (missing.length === 0) return nothing;
  return html`<div class="notice warn">
    <strong>This does not come back:</strong>
    <ul>
      ${missing.map(
        ({ entity, field, reason }) =>
          html`<li>${streamWords(entity)}, <code>${field}</code>: ${lossText(reason)}</li>`,
      )}
    </ul>
  </div>`;
}

export function restoreEvents({ events, event_count: count }: Restored) {
  return html`<div class="section"><h3>Events that would be written</h3></div>
    <details>
      <summary>${formatNumber(count)} events</summary>
      <ul class="rows">
        ${events
          .slice(0, eventsShown)
          .map(
            ({ stream, type }) =>
              html`<li>${wordsOf(type)}<code class="quiet end">${stream}</code></li>`,
          )}
      </ul>
    </details>`;
}
