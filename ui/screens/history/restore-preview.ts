// What a restore would come to: how many entities, what stands in its way, what does not come back, and the events that it writes.

import { html, nothing } from 'lit';

import type { Restored } from '../../api/snapshots.ts';
import '../../elements/kpi.ts';
import { capital, formatCount, formatNumber } from '../../lib/format.ts';
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
    <gw-kpi label="Records changed" value=${formatNumber(would.difference_count)}
      >in one version</gw-kpi
    >
    <gw-kpi label="Re-created" value=${count('created')}>with their old ids</gw-kpi>
    <gw-kpi label="Updated" value=${count('changed')}>to their earlier values</gw-kpi>
    <gw-kpi label="Deleted" value=${count('deleted')}>created since then</gw-kpi>
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
    <strong>This restore is not possible:</strong>
    <ul>
      ${conflicts.map(({ entity, message }) => html`<li>${streamWords(entity)}: ${message}</li>`)}
    </ul>
    ${way === null ? nothing : html`<p><a href=${linkTo(way.scope)}>${wayWords(way)}</a></p>`}
  </div>`;
}

function wayWords({ back, stay }: Way): string {
  return capital(
    [
      ...(back.length === 0 ? [] : [`restore ${listWords(back)} as well`]),
      ...(stay.length === 0 ? [] : [`leave ${listWords(stay)} unchanged as well`]),
    ].join(', and '),
  );
}

/** By the names that the differences tell. */
export function namedWords(streams: readonly string[], would: Restored | undefined): string {
  const names = new Map(would?.diff.map(({ kind, id, name }) => [`${kind}-${id}`, name]));
  return streams.map((stream) => names.get(stream) ?? streamWords(stream)).join(', ');
}

const listWords = (streams: readonly string[]): string =>
  streams.map((stream) => streamWords(stream)).join(', ');

export function restoreLosses({ missing }: Restored) {
  if (missing.length === 0) return nothing;
  return html`<div class="notice warn">
    <strong>These fields are not restored:</strong>
    <ul>
      ${missing.map(
        ({ entity, field, reason }) =>
          html`<li>${streamWords(entity)}, <code>${field}</code>: ${lossText(reason)}</li>`,
      )}
    </ul>
  </div>`;
}

export function restoreEvents({ events, event_count: count }: Restored) {
  return html`<div class="section"><h3>Events</h3></div>
    <details>
      <summary>${formatCount(count, 'event')}</summary>
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
