// One labeled control of a form: text, number, choice, multiline text or checkbox, with its error below.

import { css, html, nothing } from 'lit';

import { element, flag, given, reflected, text } from '../element.ts';
import { base, controls } from '../../styles/base.ts';
import { hints } from '../../styles/hints.ts';
import './combobox.ts';
import type { Choice } from './combobox.ts';

/** With more choices a searchable list is better than a native select. */
const nativeMax = 12;

export type FieldType =
  | 'text'
  | 'password'
  | 'number'
  | 'select'
  | 'textarea'
  | 'checkbox'
  | 'datetime-local';

/** Every change dispatches `gw-input` with this detail. */
export type FieldInput = Readonly<{ name: string; value: string; checked: boolean }>;

export class GwField extends element({
  name: reflected(text()),
  label: text(),
  type: text<FieldType>('text'),
  value: text(''),
  checked: flag(),
  hint: text(''),
  error: text(''),
  placeholder: text(''),
  required: flag(),
  /** For forms without required fields. */
  unmarked: flag(),
  disabled: flag(),
  /** Choices of a select; suggestions for text. */
  choices: given<readonly Choice[]>([]),
  mono: flag(),
}) {
  static override styles = [
    base,
    controls,
    hints,
    css`
      .label {
        display: flex;
        align-items: baseline;
        justify-content: space-between;
        gap: var(--space-2);
        margin-bottom: 0.1875rem;
        font-weight: 500;
      }

      .optional {
        color: var(--text-3);
        font-size: var(--text-s);
        font-weight: 400;
      }

      .tick {
        display: flex;
        align-items: center;
        gap: var(--space-2);
        min-height: 1.5rem;
      }

      .exact input,
      .exact textarea {
        font-family: var(--mono);
        font-size: var(--text-s);
      }
    `,
  ];

  override focus(): void {
    this.renderRoot.querySelector<HTMLElement>('#control')?.focus();
  }

  protected override render() {
    const below = html`
      ${this.hint === '' ? nothing : html`<p class="hint" id="hint">${this.hint}</p>`}
      <div id="error" role="alert">
        ${this.error === '' ? nothing : html`<p class="error">${this.error}</p>`}
      </div>
    `;
    if (this.type === 'checkbox') {
      return html`<label class="tick">${this.#control()} ${this.label}</label>${below}`;
    }
    const isMarked = !this.required && !this.unmarked;
    const optional = isMarked ? html`<span class="optional">optional</span>` : nothing;
    return html`<div class=${this.mono ? 'exact' : ''}>
        <label class="label" for="control" @click=${() => this.focus()}
          >${this.label}${optional}</label
        >${this.#control()}
      </div>
      ${below}`;
  }

  #control() {
    const invalid = this.error === '' ? 'false' : 'true';
    const described = this.hint === '' ? 'error' : 'hint error';
    switch (this.type) {
      case 'select':
        return this.choices.length > nativeMax
          ? this.#combobox()
          : html`<select
              id="control"
              aria-invalid=${invalid}
              aria-describedby=${described}
              ?disabled=${this.disabled}
              @change=${this.#input}
            >
              ${this.choices.map(
                ({ value, label }) =>
                  html`<option value=${value} ?selected=${value === this.value}>${label}</option>`,
              )}
            </select>`;
      case 'textarea':
        return html`<textarea
          id="control"
          aria-invalid=${invalid}
          aria-describedby=${described}
          ?required=${this.required}
          ?disabled=${this.disabled}
          placeholder=${this.placeholder}
          .value=${this.value}
          @input=${this.#input}
        ></textarea>`;
      case 'text':
      case 'password':
      case 'number':
      case 'checkbox':
      case 'datetime-local':
        return html`<input
            id="control"
            type=${this.type}
            step="any"
            autocomplete=${this.type === 'password' ? 'new-password' : 'off'}
            spellcheck="false"
            aria-invalid=${invalid}
            aria-describedby=${described}
            ?required=${this.required}
            ?disabled=${this.disabled}
            placeholder=${this.placeholder}
            list=${this.choices.length === 0 ? nothing : 'choices'}
            .value=${this.value}
            .checked=${this.checked}
            @input=${this.#input}
            @keydown=${this.#onKey}
          />${this.choices.length === 0 ? nothing : this.#suggestions()}`;
    }
  }

  #combobox() {
    return html`<gw-combobox
      id="control"
      label=${this.label}
      .described=${[this.hint, this.error].filter((text) => text !== '').join(' ')}
      .choices=${this.choices}
      .value=${this.value}
      ?invalid=${this.error !== ''}
      ?disabled=${this.disabled}
      @gw-choose=${({ detail }: CustomEvent<string>) => this.#tell(detail)}
    ></gw-combobox>`;
  }

  #suggestions() {
    return html`<datalist id="choices">
      ${this.choices.map(
        ({ value, label }) =>
          html`<option value=${value}>${label === value ? nothing : label}</option>`,
      )}
    </datalist>`;
  }

  readonly #input = ({ target }: Event): void => {
    if (target instanceof HTMLInputElement) this.checked = target.checked;
    if (!(target instanceof HTMLElement) || !('value' in target)) return;
    this.#tell(String(target.value));
  };

  #tell(value: string): void {
    this.value = value;
    this.error = '';
    const detail: FieldInput = { name: this.name, value: this.value, checked: this.checked };
    this.dispatchEvent(new CustomEvent('gw-input', { detail, bubbles: true, composed: true }));
  }

  /** Enter that ends an input method composition does not submit. */
  readonly #onKey = ({ key, isComposing }: KeyboardEvent): void => {
    if (key !== 'Enter' || isComposing) return;
    this.dispatchEvent(new CustomEvent('gw-enter', { bubbles: true, composed: true }));
  };
}

customElements.define('gw-field', GwField);
