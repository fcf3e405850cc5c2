// Draws the versions of a model's prices: current, scheduled and earlier ones, with who set them.

import { css, html, nothing } from 'lit';
import type { PropertyValues } from 'lit';

import { call } from '../../api/http/call.ts';
import type { AnswerOf } from '../../api/http/routes.ts';
import '../../elements/badge.ts';
import { count, element } from '../../elements/element.ts';
import '../../elements/error.ts';
import { Resource } from '../../elements/resource.ts';
import '../../elements/time.ts';
import { cardTexts, currencyOf } from '../../lib/providers/price-card.ts';
import { formatMoneyOf } from '../../lib/text/format.ts';
import { screenNamed } from '../../screens.ts';
import { linkTo } from '../../state/location.ts';
import { base } from '../../styles/base.ts';
import { record } from '../../styles/record.ts';

type Version = AnswerOf<'GET', '/admin/provider-models/{id}/prices'>[number];

const tones = { scheduled: 'info', current: 'good', past: 'plain', replaced: 'plain' } as const;

/** Other versions are hidden until they are opened. */
const isAhead = ({ state }: Version): boolean => state === 'current' || state === 'scheduled';

class GwPriceVersions extends element({
  model: count<number>(),
  /** The list reloads when the version of the model changes. */
  version: count<number>(),
}) {
  static override styles = [
    base,
    record,
    css`
      .rows li {
        flex-wrap: wrap;
        gap: 0 var(--space-2);
      }

      .about {
        flex-basis: 100%;
        color: var(--text-2);
        font-size: var(--text-s);
      }

      summary {
        padding: var(--space-2) 0;
        cursor: pointer;
      }
    `,
  ];
  readonly #versions = new Resource(this, async (signal) => {
    const params = { id: this.model };
    return (await call('GET', '/admin/provider-models/{id}/prices', { params, signal })).body;
  });

  protected override willUpdate(changed: PropertyValues<this>): void {
    const isOther = changed.get('model') !== undefined || changed.get('version') !== undefined;
    if (isOther) void this.#versions.reload();
  }

  protected override render() {
    const { value: versions = [], failure } = this.#versions;
    const earlier = versions.filter((one) => !isAhead(one));
    if (versions.length === 0 && failure === null) return nothing;
    return html`<div class="section"><h3>Price versions</h3></div>
      <gw-error .failure=${failure}></gw-error>
      ${listOf(versions.filter(isAhead))}
      ${
        earlier.length === 0
          ? nothing
          : html`<details>
              <summary>${`Earlier versions (${earlier.length})`}</summary>
              ${listOf(earlier)}
            </details>`
      }`;
  }
}

const listOf = (versions: readonly Version[]) =>
  html`<ul class="rows">
    ${versions.map(
      (one) =>
        html`<li>
          <span>Version ${one.version}</span>
          <gw-badge tone=${tones[one.state]}>${one.state}</gw-badge>
          <span class="quiet">effective <gw-time at=${one.effective_from}></gw-time></span>
          <span class="end">${eventLink(one)}</span>
          <span class="about">${pricesText(one)}</span>
          <span class="about">${whoText(one)}</span>
        </li>`,
    )}
  </ul>`;

const eventLink = ({ position }: Version) =>
  screenNamed('history') === undefined
    ? nothing
    : html`<a href=${linkTo({ screen: 'history', rest: ['events', position] })}>Event</a>`;

function pricesText(one: Version): string {
  const currency = currencyOf(one.price_card);
  const money = (micros: number | null): string =>
    micros === null ? 'unpriced' : formatMoneyOf(micros, currency);
  return [
    `Input ${money(one.input_price_per_mtok)}, output ${money(one.output_price_per_mtok)} per million tokens`,
    ...cardTexts(one.price_card ?? {}),
  ].join(' · ');
}

const whoText = ({ actor_name: name, actor_kind: kind, reason, set_at: at }: Version) =>
  html`Set by ${name ?? kind ?? 'unknown'} <gw-time at=${at}></gw-time>${
      reason === null ? nothing : html`: ${reason}`
    }`;

customElements.define('gw-price-versions', GwPriceVersions);
