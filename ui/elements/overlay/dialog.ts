// A dialog that asks for confirmation. Irreversible actions require the name of the record to be typed.

import { css, html, nothing } from 'lit';
import type { PropertyValues } from 'lit';

import { base, buttons, controls } from '../../styles/base.ts';
import { Overlay, headStyles } from './overlay.ts';
import '../webawesome.ts';

export class GwDialog extends Overlay {
  static override properties = {
    ...Overlay.properties,
    verb: { type: String },
    refusal: { type: String },
    danger: { type: Boolean },
    name: { type: String },
    busy: { type: Boolean },
    wide: { type: Boolean },
    typed: { state: true },
  };
  static override styles = [
    base,
    buttons,
    controls,
    headStyles,
    css`
      wa-dialog {
        --width: min(32rem, calc(100vw - 1.5rem));
        --spacing: var(--space-5);
      }

      wa-dialog.wide {
        --width: min(48rem, calc(100vw - 1.5rem));
      }

      wa-dialog::part(body) {
        padding-block: var(--space-3) var(--space-4);
      }

      .typed {
        display: block;
        margin-top: var(--space-4);
      }

      .typed input {
        margin-top: var(--space-1);
      }

      footer {
        display: flex;
        flex-wrap: wrap;
        justify-content: flex-end;
        gap: var(--space-2);
        width: 100%;
      }
    `,
  ];
  /** On the confirm button; empty for no buttons. */
  declare verb: string;
  /** On the other button. */
  declare refusal: string;
  declare danger: boolean;
  /** If set, must be typed to enable the confirm button. */
  declare name: string;
  declare busy: boolean;
  declare wide: boolean;
  declare typed: string;
  protected override readonly asks = 'gw-field, gw-login';

  constructor() {
    super();
    this.verb = '';
    this.refusal = 'Cancel';
    this.danger = false;
    this.name = '';
    this.busy = false;
    this.wide = false;
    this.typed = '';
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    super.willUpdate(changed);
    if (changed.has('open') && this.open) this.typed = '';
  }

  protected override render() {
    return html`<wa-dialog
      class=${this.wide ? 'wide' : ''}
      label=${this.heading}
      without-header
      .open=${this.open}
      @wa-hide=${this.onHide}
      @wa-after-hide=${this.onHidden}
    >
      ${this.heads()}
      <slot></slot>
      ${this.name === '' ? nothing : this.#typing()} ${this.verb === '' ? nothing : this.#footer()}
    </wa-dialog>`;
  }

  #typing() {
    return html`<label class="typed"
      >Type <strong>${this.name}</strong> to confirm
      <input
        autocomplete="off"
        spellcheck="false"
        .value=${this.typed}
        @input=${this.#type}
        @keydown=${this.#onKey}
    /></label>`;
  }

  #footer() {
    return html`<footer slot="footer">
      <button type="button" @click=${this.close}>${this.refusal}</button>
      <button
        type="button"
        class=${this.danger ? 'danger' : 'primary'}
        ?disabled=${this.#isHeld()}
        @click=${this.confirm}
      >
        ${this.verb}
      </button>
    </footer>`;
  }

  #isHeld(): boolean {
    return this.busy || (this.name !== '' && this.typed !== this.name);
  }

  readonly #type = ({ target }: Event): void => {
    if (target instanceof HTMLInputElement) this.typed = target.value;
  };

  readonly #onKey = ({ key, isComposing }: KeyboardEvent): void => {
    if (key === 'Enter' && !isComposing) this.confirm();
  };

  /** Confirms like the button; focuses the name field if the name is missing. */
  readonly confirm = (): void => {
    if (this.#isHeld()) this.renderRoot.querySelector<HTMLElement>('.typed input')?.focus();
    else this.dispatchEvent(new CustomEvent('gw-confirm', { bubbles: true }));
  };
}

customElements.define('gw-dialog', GwDialog);
