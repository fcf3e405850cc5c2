// Draws the answer of a dry run: the route, the chain or the refusal, and the difference to the published or recorded answer.

import { html, nothing } from 'lit';

import type { DryRun, UsageEvent } from '../../api/records.ts';
import '../../elements/badge.ts';
import '../../elements/copy.ts';
import { outcomeOf } from '../../lib/routing/dry-run.ts';
import { linkTo } from '../../state/location.ts';
import type { Tried } from './try.ts';

type Beside = Readonly<{ recorded: UsageEvent | null; isPast: boolean }>;

/** Uses `dryRunStyles`. */
export function answerOf({ standing, proposed }: Tried, { recorded, isPast }: Beside) {
  const shown = proposed ?? standing;
  const isOther = proposed !== null && outcomeOf(proposed) !== outcomeOf(standing);
  const askedOf =
    proposed !== null ? 'With your changes' : isPast ? 'On this version' : 'Published';
  return html`<div class="reason">
      <span class="word">x-gw-route</span>
      <code>${shown.reason ?? 'none'}</code>
      <gw-copy text=${shown.reason ?? ''} label="route"></gw-copy>
      <span class="fill"></span>
      <span class="quiet">${askedOf}</span>
    </div>
    ${
      proposed === null
        ? nothing
        : isOther
          ? html`<p class="notice warn">
              ${isPast ? 'On this version' : 'Currently published'}:
              <code>${outcomeOf(standing)}</code>
            </p>`
          : html`<p class="notice">Your change makes no difference to this request.</p>`
    }
    ${recorded === null ? nothing : comparedOf(shown, recorded)} ${chainOf(shown)}`;
}

function chainOf({ chain, denied, tag, class: promptClass }: DryRun) {
  return html`${
    denied === null
      ? html`<ol class="candidates">
          ${chain.map(
            ({ model_id, model, provider, reason }) =>
              html`<li>
                <a href=${linkTo({ screen: 'models', rest: [model_id] })}>${model}</a>
                <span class="quiet">${provider ?? 'no provider'}</span>
                <code class="end">${reason}</code>
              </li>`,
          )}
        </ol>`
      : html`<p class="denied">
          <gw-badge tone="bad">${denied.status}</gw-badge> ${denied.message}
        </p>`
  }
  ${tag === null ? nothing : html`<p class="fact">Tag <code>${tag}</code></p>`}
  ${promptClass === null ? nothing : html`<p class="fact">Class <code>${promptClass}</code></p>`}`;
}

/** The recorded request used the configuration and the health of backends at its time. */
function comparedOf(shown: DryRun, row: UsageEvent) {
  const isSame = row.route === (shown.chain[0]?.reason ?? shown.reason);
  return html`<p class="fact">
    Recorded <code>${row.route ?? row.refusal ?? 'none'}</code> ${row.model ?? ''}, version
    ${row.snapshot_version}
    <gw-badge tone=${isSame ? 'good' : 'warn'}
      >${isSame ? 'the same rule' : 'another rule'}</gw-badge
    >
  </p>`;
}
