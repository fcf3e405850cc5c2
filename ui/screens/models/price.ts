// Edits a price in its table cell. Enter dispatches `gw-price` with the text; Escape cancels.

import { css, html, nothing } from 'lit';
import type { PropertyValues } from 'lit';

import { element, count, state, text } from '../../elements/element.ts';
import type { priceFields } from '../../../src/fields/model.ts';
import '../../elements/icon.ts';
import '../../elements/money.ts';
import { writeMoney } from '../../lib/access/budget.ts';
import { price as typedPrice } from '../../lib/saves/typed.ts';
import { base, buttons, controls } from '../../styles/base.ts';

type PriceField = keyof typeof priceFields;

/** `id` is that of the model. Prices are in micros per million tokens. */
export type PriceEdit = Readonly<{ id: number; field: PriceField; price: number | null }>;

class GwPrice extends element({
  model: count<number>(),
  /** For screen readers. */
  label: text(),
  field: text<PriceField>(),
  /** Null is unpriced. */
  micros: count<number | null>(null),
  currency: text('USD'),
  open: state(false),
  wrong: state(false),
}) {
  static override styles = [
    base,
    buttons,
    controls,
    css`
      :host {
        display: inline-block;
      }

      button {
        position: relative;
        height: 1.5rem;
        margin-right: -0.375rem;
        padding: 0 0.375rem;
        border-color: transparent;
        background: transparent;
        font-weight: 400;
        font-variant-numeric: tabular-nums;
      }

      button:hover {
        border-color: var(--line-strong);
      }

      input:not([type='checkbox'], [type='radio']) {
        width: 6rem;
        min-height: 1.625rem;
        padding-block: 0;
        text-align: right;
      }
    `,
  ];

  protected override updated(changed: PropertyValues<this>): void {
    if (!changed.has('open')) return;
    if (this.open) this.renderRoot.querySelector('input')?.select();
    else if (changed.get('open') === true) this.renderRoot.querySelector('button')?.focus();
  }

  protected override render() {
    if (!this.open) {
      return html`<button type="button" @click=${this.#edit}>
        <span class="only-read">Edit ${this.label}: </span
        ><gw-money exact currency=${this.currency} .micros=${this.micros}></gw-money>
      </button>`;
    }
    return html`<input
      inputmode="decimal"
      autocomplete="off"
      aria-label="${this.label}, in ${this.currency === 'USD' ? 'dollars' : this.currency} per million tokens"
      aria-invalid=${this.wrong ? 'true' : 'false'}
      title=${this.wrong ? typedPrice.must : nothing}
      placeholder="unpriced"
      .value=${writeMoney(this.micros)}
      @keydown=${this.#onKey}
      @blur=${this.#leave}
    />`;
  }

  readonly #edit = (): void => {
    this.open = true;
    this.wrong = false;
  };

  readonly #leave = (): void => {
    this.open = false;
  };

  readonly #onKey = (event: KeyboardEvent): void => {
    event.stopPropagation();
    if (event.key === 'Escape') this.#leave();
    if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return;
    // Otherwise the same key press would activate the button that receives the focus.
    event.preventDefault();
    const price = typedPrice.read(event.target.value);
    this.wrong = price === undefined;
    if (price === undefined) return;
    this.#leave();
    if (price === this.micros) return;
    const detail: PriceEdit = { id: this.model, field: this.field, price };
    this.dispatchEvent(new CustomEvent('gw-price', { detail, bubbles: true, composed: true }));
  };
}

customElements.define('gw-price', GwPrice);
