// An amount of money. A missing price is "unpriced", never 0; totals also show the number of unpriced requests.

import { css, html, nothing } from 'lit';

import { element, count, flag, text } from './element.ts';
import { formatCount, formatMoneyOf, formatMoneyShort } from '../lib/text/format.ts';
import { base } from '../styles/base.ts';

class GwMoney extends element({
  /** Null is unpriced. */
  micros: count<number | null>(null),
  /** The number of requests without a price. */
  unpriced: count<number>(0),
  exact: flag(),
  /** Only exact amounts can have another currency than USD. */
  currency: text('USD'),
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
    const whole = formatMoneyOf(micros, this.currency);
    const beside =
      unpriced === 0
        ? nothing
        : html` <span class="unpriced">+ ${formatCount(unpriced, 'unpriced request')}</span>`;
    return html`<span title=${whole}>${this.exact ? whole : formatMoneyShort(micros)}</span
      >${beside}`;
  }
}

customElements.define('gw-money', GwMoney);
