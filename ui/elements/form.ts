// Fields, and the button that sends them. A failure goes to the field that it names, which gets the focus; one that names none stands
// above the button. Tells by `gw-submit` and `gw-cancel`.

import { LitElement, css, html, nothing } from 'lit';
import type { PropertyValues } from 'lit';

import type { ApiFailure } from '../api/failure.ts';
import { base, buttons } from '../styles/base.ts';
import './error.ts';
import './field.ts';
import type { GwField } from './field.ts';

export class GwForm extends LitElement {
  static override properties = {
    verb: { type: String },
    busy: { type: Boolean },
    busyText: { type: String },
    failure: { attribute: false },
    unplaced: { state: true },
  };
  static override styles = [
    base,
    buttons,
    css`
      .fields {
        display: grid;
        gap: var(--space-4);
      }

      gw-error {
        margin-top: var(--space-4);
      }

      footer {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--space-2);
        margin-top: var(--space-5);
        padding-top: var(--space-4);
        border-top: 1px solid var(--line);
      }

      .busy {
        color: var(--text-2);
      }
    `,
  ];
  declare verb: string;
  declare busy: boolean;
  /** What is waited for meanwhile. */
  declare busyText: string;
  declare failure: ApiFailure | null;
  declare unplaced: ApiFailure | null;

  constructor() {
    super();
    this.busy = false;
    this.busyText = '';
    this.failure = null;
    this.unplaced = null;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('failure')) this.#place(this.failure);
  }

  #fields(): readonly GwField[] {
    return [...this.querySelectorAll('gw-field')];
  }

  #place(failure: ApiFailure | null): void {
    const fields = this.#fields();
    for (const field of fields) field.error = '';
    const field = fields.find(({ name }) => name === failure?.param);
    if (failure !== null && field !== undefined) {
      field.error = failure.message;
      field.focus();
    }
    this.unplaced = field === undefined ? failure : null;
  }

  protected override render() {
    return html`<div class="fields" @gw-enter=${this.#submit}><slot></slot></div>
      <gw-error .failure=${this.unplaced}></gw-error>
      <footer>
        <button type="button" class="primary" ?disabled=${this.busy} @click=${this.#submit}>
          ${this.verb}
        </button>
        <button type="button" class="plain" @click=${this.#cancel}>Cancel</button>
        <span class="busy" role="status">${this.busy ? this.busyText : nothing}</span>
      </footer>`;
  }

  readonly #submit = (): void => {
    if (this.busy) return;
    const missing = this.#fields().find((field) => field.required && field.value.trim() === '');
    if (missing === undefined) {
      this.dispatchEvent(new CustomEvent('gw-submit', { bubbles: true }));
      return;
    }
    missing.error = `${missing.label} is needed`;
    missing.focus();
  };

  readonly #cancel = (): void => {
    this.dispatchEvent(new CustomEvent('gw-cancel', { bubbles: true }));
  };
}

customElements.define('gw-form', GwForm);

declare global {
  interface HTMLElementTagNameMap {
    'gw-form': GwForm;
  }
}
