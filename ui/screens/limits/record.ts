// What caps one principal: how fast it may go, and how much it may spend, with what it has spent.

import { css, html, nothing } from 'lit';

import { element, flag, given } from '../../elements/element.ts';
import type { Budget, Limits } from '../../api/records.ts';
import '../../elements/icon.ts';
import '../../elements/time.ts';
import { nearerCap } from '../../lib/access/budget.ts';
import { formatNumber } from '../../lib/text/format.ts';
import { moneyBar, tokensBar } from '../../parts/budget.ts';
import { isReadOnly } from '../../state/as-of.ts';
import { linkTo } from '../../state/location.ts';
import { base, buttons } from '../../styles/base.ts';
import { record } from '../../styles/record.ts';
import type { Capped } from './load.ts';
import './refused.ts';

const rate = (value: number | null): string =>
  value === null ? 'unlimited' : `${formatNumber(value)} a minute`;

/** Tells by `gw-remove`, with the part that is to go. */
class GwCapsRecord extends element({
  capped: given<Capped>(),
  writable: flag(),
}) {
  static override styles = [
    base,
    buttons,
    record,
    css`
      .section:first-of-type {
        margin-top: 0;
      }

      .bars {
        display: grid;
        gap: var(--space-4);
        margin-bottom: var(--space-3);
        padding: var(--space-4);
        border: 1px solid var(--line);
        border-radius: var(--radius-l);
      }
    `,
  ];

  protected override render() {
    const { id, name, limits, budget } = this.capped;
    return html`${this.#head({ part: 'budget', title: 'Budget', isSet: budget !== null })}
      ${budget === null ? this.#unlimited('It may spend without a cap.') : this.#budget(budget)}
      ${this.#head({ part: 'limits', title: 'Rate limits', isSet: limits !== null })}
      ${limits === null ? this.#unlimited('It may send as fast as it can.') : this.#limits(limits)}
      ${
        // What was refused is no configuration of a moment.
        isReadOnly()
          ? nothing
          : html`<gw-caps-refused .principalId=${id} .name=${name}></gw-caps-refused>`
      }
      <div class="section">
        <a href=${linkTo({ screen: 'principals', rest: [id] })}
          >See the principal, its keys and roles</a
        >
      </div>`;
  }

  #head({ part, title, isSet }: Readonly<{ part: string; title: string; isSet: boolean }>) {
    return html`<div class="section">
      <h3>${title}</h3>
      ${
        this.writable
          ? html`<a
              class="button"
              href=${linkTo({ screen: 'limits', rest: [this.capped.id, part] })}
              ><gw-icon name=${isSet ? 'pencil' : 'plus'}></gw-icon>${isSet ? 'Change' : 'Set'}</a
            >`
          : nothing
      }
      ${
        this.writable && isSet
          ? html`<button
              type="button"
              aria-label="Remove the ${title.toLowerCase()}"
              @click=${() => this.dispatchEvent(new CustomEvent('gw-remove', { detail: part }))}
            >
              <gw-icon name="trash-2"></gw-icon>Remove
            </button>`
          : nothing
      }
    </div>`;
  }

  #unlimited(words: string) {
    return html`<p class="quiet">Unlimited. ${words}</p>`;
  }

  #budget(budget: Budget) {
    const nearer = nearerCap(budget);
    return html`<div class="bars">
        ${moneyBar(budget, { stacked: true })} ${tokensBar(budget, { stacked: true })}
      </div>
      <dl>
        <dt>Closest limit</dt>
        <dd>${nearer === null ? 'none' : nearer.cap}</dd>
        <dt>Window</dt>
        <dd>${budget.window}</dd>
        <dt>Began</dt>
        <dd>${this.#moment(budget.window_start)}</dd>
        <dt>Ends</dt>
        <dd>${this.#moment(budget.window_end)}</dd>
      </dl>`;
  }

  #moment(at: string | null) {
    if (at === null) return html`<span class="quiet">not known of a moment of the past</span>`;
    return html`<gw-time at=${at}></gw-time>
      <span class="quiet">· <gw-time absolute at=${at}></gw-time></span>`;
  }

  #limits({ requests_per_min, tokens_per_min }: Limits) {
    return html`<dl>
      <dt>Requests</dt>
      <dd>${rate(requests_per_min)}</dd>
      <dt>Tokens</dt>
      <dd>${rate(tokens_per_min)}</dd>
    </dl>`;
  }
}

customElements.define('gw-caps-record', GwCapsRecord);
