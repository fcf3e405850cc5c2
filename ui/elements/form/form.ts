// A form with a submit button. A failure goes to the field that it names, which gets the focus, otherwise above the button. Dispatches
// `gw-submit` and `gw-cancel`. Leaving with unsaved input asks first.

import { css, html } from 'lit';
import type { PropertyValues } from 'lit';

import { element, given, state, text } from '../element.ts';
import type { ApiFailure } from '../../api/http/failure.ts';
import { fieldOf, missingOf } from '../../lib/page/field-error.ts';
import { edited, forgetEdits } from '../../state/edits.ts';
import { base, buttons } from '../../styles/base.ts';
import '../error.ts';
import './field.ts';

type Field = HTMLElement & {
  readonly name: string;
  readonly label: string;
  readonly required: boolean;
  readonly value: string;
  error: string;
  /** Commits typed text; false if it is invalid. */
  readonly commit?: () => boolean;
};

class GwForm extends element({
  verb: text(),
  failure: given<ApiFailure | null>(null),
  unplaced: state<ApiFailure | null>(null),
}) {
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
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    this.addEventListener('gw-input', this.#onInput);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.removeEventListener('gw-input', this.#onInput);
    forgetEdits(this);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('failure')) this.#place(this.failure);
  }

  #fields(): readonly Field[] {
    return [...this.querySelectorAll<Field>('gw-field, gw-picks, gw-toggles')];
  }

  #place(failure: ApiFailure | null): void {
    const fields = this.#fields();
    for (const field of fields) field.error = '';
    const field = fieldOf(fields, failure);
    if (failure !== null && field !== null) {
      field.error = failure.message;
      field.focus();
    }
    this.unplaced = field === null ? failure : null;
  }

  protected override render() {
    return html`<div class="fields" @gw-enter=${this.#submit}><slot></slot></div>
      <gw-error .failure=${this.unplaced}></gw-error>
      <footer>
        <button type="button" class="primary" @click=${this.#submit}>${this.verb}</button>
        <button type="button" class="plain" @click=${this.#cancel}>Cancel</button>
      </footer>`;
  }

  readonly #onInput = (): void => edited(this);

  readonly #submit = (): void => {
    const wrong = this.#fields().find((field) => field.commit?.() === false);
    if (wrong !== undefined) {
      wrong.focus();
      return;
    }
    const missing = missingOf(this.#fields());
    if (missing === null) {
      this.dispatchEvent(new CustomEvent('gw-submit', { bubbles: true }));
      return;
    }
    missing.error = `${missing.label} is required`;
    missing.focus();
  };

  readonly #cancel = (): void => {
    this.dispatchEvent(new CustomEvent('gw-cancel', { bubbles: true }));
  };
}

customElements.define('gw-form', GwForm);
