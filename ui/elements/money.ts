// An amount in US dollars. What has no price is "unpriced", never nothing; requests without a price are said beside a total.

import { css, html, nothing } from 'lit';

import { element, count, flag } from './element.ts';
import { formatCount, formatMoney, formatMoneyShort } from '../lib/text/format.ts';
import { base } from '../styles/base.ts';

class GwMoney extends element({
  /** Null is unpriced. */
  micros: count<number | null>(null),
  /** Requests that are not in the amount. */
  unpriced: count<number>(0),
  exact: flag(),
}) {
  static override styles = [
    base,
    css`
      :host {
        display: inline;
        font-variant-numeric: tabular-nums;
      }

      .unpriced {
        color: var(--warn);
      }
    `,
  ];

  protected override render() {
    const { micros, unpriced } = this;
    if (micros === null) return html`<span class="unpriced">unpriced</span>`;
    const whole = formatMoney(micros);
    const beside =
      unpriced === 0
        ? nothing
        : html` <span class="unpriced">+ ${formatCount(unpriced, 'unpriced request')}</span>`;
    return html`<span title=${whole}>${this.exact ? whole : formatMoneyShort(micros)}</span
      >${beside}`;
  }
}

customElements.define('gw-money', GwMoney);
