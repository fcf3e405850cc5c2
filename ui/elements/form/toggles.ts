// Several checkboxes as one field, such as days of the week. Its value has one line per checked choice.

import { css, html, nothing } from 'lit';

import { element, flag, given, reflected, text } from '../element.ts';
import { lines, linesOf } from '../../lib/text/lines.ts';
import { base } from '../../styles/base.ts';
import type { Choice } from './combobox.ts';
import type { FieldInput } from './field.ts';

class GwToggles extends element({
  name: reflected(text()),
  label: text(),
  value: text(''),
  hint: text(''),
  error: text(''),
  required: flag(),
  choices: given<readonly Choice[]>([]),
}) {
  static override styles = [
    base,
    css`
      fieldset {
        min-width: 0;
        margin: 0;
        padding: 0;
        border: 0;
      }

      legend {
        margin-bottom: 0.1875rem;
        padding: 0;
        font-weight: 500;
      }

      .choices {
        display: flex;
        flex-wrap: wrap;
        gap: 0.25rem;
      }

      label {
        position: relative;
        display: inline-flex;
        align-items: center;
        justify-content: center;
        min-width: 2.75rem;
        height: var(--control);
        padding: 0 0.5rem;
        border: 1px solid var(--control-line);
        border-radius: var(--radius-m);
        cursor: pointer;
      }

      label:has(:checked) {
        border-color: var(--accent);
        background: var(--accent-soft);
        color: var(--accent-text);
        font-weight: 600;
      }

      label:has(:focus-visible) {
        outline: 2px solid var(--accent);
        outline-offset: 2px;
      }

      input {
        position: absolute;
        inset: 0;
        margin: 0;
        opacity: 0;
        cursor: pointer;
      }

      @media (forced-colors: active) {
        label:has(:checked) {
          background: Highlight;
          color: HighlightText;
          forced-color-adjust: none;
        }
      }

      .hint,
      .error {
        margin-top: 0.1875rem;
        color: var(--text-2);
        font-size: var(--text-s);
      }

      .error {
        color: var(--bad);
      }
    `,
  ];

  override focus(): void {
    this.renderRoot.querySelector<HTMLElement>('input')?.focus();
  }

  protected override render() {
    const on = new Set(linesOf(this.value));
    return html`<fieldset>
      <legend>${this.label}</legend>
      <div class="choices">
        ${this.choices.map(
          ({ value, label }) =>
            html`<label
              ><input
                type="checkbox"
                .checked=${on.has(value)}
                @change=${() => this.#toggle(value)}
              />${label}</label
            >`,
        )}
      </div>
      ${this.hint === '' ? nothing : html`<p class="hint">${this.hint}</p>`}
      <div role="alert">
        ${this.error === '' ? nothing : html`<p class="error">${this.error}</p>`}
      </div>
    </fieldset>`;
  }

  #toggle(value: string): void {
    const on = new Set(linesOf(this.value)).symmetricDifference(new Set([value]));
    this.value = lines(this.choices.map((one) => one.value).filter((one) => on.has(one)));
    this.error = '';
    const detail: FieldInput = { name: this.name, value: this.value, checked: on.has(value) };
    this.dispatchEvent(new CustomEvent('gw-input', { detail, bubbles: true, composed: true }));
  }
}

customElements.define('gw-toggles', GwToggles);
