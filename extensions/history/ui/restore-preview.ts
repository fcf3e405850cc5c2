// The preview of a restore: how many records change, what prevents it, what is not restored, and the events that it writes.

import { html, nothing } from 'lit';

import type { Difference, Restored } from '../../../ui/api/snapshots.ts';
import '../../../ui/elements/chart/kpi.ts';
import { fieldLabel } from '../../../ui/lib/text/field-label.ts';
import { capital, formatCount, formatNumber } from '../../../ui/lib/text/format.ts';
import { streamWords, wordsOf } from '../../../ui/lib/history/history.ts';
import { lossText, wayAround } from './restore-scope.ts';
import type { Scope, Way } from './restore-scope.ts';

const eventsShown = 200;

/** Counts by kind of change cover only the listed differences. */
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

type Asked = Readonly<{
  scope: Scope;
  names: Names;
  /** Links the restore of other records of the same version. */
  linkTo: (scope: Scope) => string;
}>;

export function restoreConflicts({ conflicts }: Restored, { scope, names, linkTo }: Asked) {
  if (conflicts.length === 0) return nothing;
  const way = wayAround(scope, conflicts);
  return html`<div class="notice bad" role="alert">
    <strong>This restore is not possible:</strong>
    <ul>
      ${conflicts.map(({ entity, message }) => html`<li>${namedWords([entity], names)}: ${message}</li>`)}
    </ul>
    ${way === null ? nothing : html`<p><a href=${linkTo(way.scope)}>${wayWords(way, names)}</a></p>`}
  </div>`;
}

function wayWords({ back, stay }: Way, names: Names): string {
  return capital(
    [
      ...(back.length === 0 ? [] : [`restore ${namedWords(back, names)} as well`]),
      ...(stay.length === 0 ? [] : [`leave ${namedWords(stay, names)} unchanged as well`]),
    ].join(', and '),
  );
}

/** By stream. */
export type Names = ReadonlyMap<string, string>;

export const namesIn = (differences: readonly Difference[]): Names =>
  new Map(
    differences.flatMap(({ kind, id, name }) => (name === null ? [] : [[`${kind}-${id}`, name]])),
  );

/** Records without a known name are shown by kind and id. */
export const namedWords = (streams: readonly string[], names: Names): string =>
  streams.map((stream) => names.get(stream) ?? streamWords(stream)).join(', ');

export function restoreLosses({ missing }: Restored, names: Names) {
  if (missing.length === 0) return nothing;
  return html`<div class="notice warn">
    <strong>These fields are not restored:</strong>
    <ul>
      ${missing.map(
        ({ entity, field, reason }) =>
          html`<li>${namedWords([entity], names)}, ${fieldLabel(field)}: ${lossText(reason)}</li>`,
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
