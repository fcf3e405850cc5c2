// A choice among many: typing narrows the list, arrow keys and Enter choose (ARIA combobox pattern). Use a native select for few choices.

import { css, html, nothing } from 'lit';
import type { PropertyValues } from 'lit';

import { element, flag, given, state, text } from '../element.ts';
import { ranked } from '../../lib/text/match.ts';
import { base, controls } from '../../styles/base.ts';

/** More rows are only counted. */
const shownMax = 50;

export type Choice = Readonly<{ value: string; label: string }>;

/** Dispatches `gw-choose` with the chosen value. */
class GwCombobox extends element({
  label: text(''),
  value: text(''),
  choices: given<readonly Choice[]>([]),
  invalid: flag(),
  disabled: flag(),
  /** The key / focuses it. */
  filter: flag(),
  /** For assistive technology. */
  described: text(''),
  open: state(false),
  typed: state(''),
  active: state(0),
}) {
  static override styles = [
    base,
    controls,
    css`
      :host {
        position: relative;
        display: block;
      }

      ul {
        position: absolute;
        z-index: 20;
        inset-inline: 0;
        max-height: 18rem;
        margin: 0.125rem 0 0;
        padding: var(--space-1);
        overflow: auto;
        border: 1px solid var(--line);
        border-radius: var(--radius-m);
        background: var(--surface);
        box-shadow: var(--shadow-2);
        list-style: none;
      }

      li {
        padding: 0.25rem 0.5rem;
        border-radius: var(--radius-s);
        overflow-wrap: anywhere;
      }

      li[role='option'] {
        cursor: pointer;
      }

      [aria-selected='true'] {
        background: var(--hover);
      }

      .more {
        color: var(--text-3);
        font-size: var(--text-s);
      }
    `,
  ];

  override focus(): void {
    this.renderRoot.querySelector('input')?.focus();
  }

  /** Without text all choices, otherwise the best match first. */
  #found(): readonly Choice[] {
    return this.typed === ''
      ? this.choices
      : ranked(this.choices, this.typed, ({ label }) => label);
  }

  #label(): string {
    return this.choices.find(({ value }) => value === this.value)?.label ?? '';
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has('active') || changed.has('open')) {
      this.renderRoot.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
    }
  }

  protected override render() {
    const found = this.#found();
    return html`<input
        role="combobox"
        aria-label=${this.label}
        aria-autocomplete="list"
        aria-expanded=${this.open ? 'true' : 'false'}
        aria-controls="list"
        aria-activedescendant=${this.open && found.length > 0 ? `option-${this.active}` : nothing}
        aria-invalid=${this.invalid ? 'true' : 'false'}
        aria-description=${this.described === '' ? nothing : this.described}
        autocomplete="off"
        spellcheck="false"
        ?data-filter=${this.filter}
        ?disabled=${this.disabled}
        placeholder=${this.#label()}
        .value=${this.open ? this.typed : this.#label()}
        @click=${this.#show}
        @input=${this.#onType}
        @keydown=${this.#onKey}
        @blur=${this.#hide}
      />
      ${this.open ? this.#list(found) : nothing}`;
  }

  #list(found: readonly Choice[]) {
    const more = found.length - shownMax;
    // Keeps the focus in the input, because the list closes on blur.
    return html`<ul
      id="list"
      role="listbox"
      aria-label="Options"
      @mousedown=${(event: Event) => event.preventDefault()}
    >
      ${found
        .slice(0, shownMax)
        .map(
          (choice, index) =>
            html`<li
              id="option-${index}"
              role="option"
              aria-selected=${index === this.active ? 'true' : 'false'}
              @click=${() => this.#choose(choice)}
            >
              ${choice.label}
            </li>`,
        )}
      ${found.length === 0 ? html`<li class="more" role="presentation">No matches</li>` : nothing}
      ${
        more > 0
          ? html`<li class="more" role="presentation">${more} more. Type to narrow the list.</li>`
          : nothing
      }
    </ul>`;
  }

  readonly #show = (): void => {
    if (this.open) return;
    this.typed = '';
    this.active = Math.max(
      0,
      this.choices.findIndex(({ value }) => value === this.value),
    );
    this.open = true;
  };

  readonly #hide = (): void => {
    this.open = false;
    this.typed = '';
  };

  readonly #onType = ({ target }: Event): void => {
    if (!(target instanceof HTMLInputElement)) return;
    this.typed = target.value;
    this.active = 0;
    this.open = true;
  };

  /** While the list is open, Enter must not submit the form and Escape must not close the dialog. */
  readonly #onKey = (event: KeyboardEvent): void => {
    if (event.isComposing || !this.#take(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  };

  #take(key: string): boolean {
    if (!this.open) {
      if (key !== 'ArrowDown' && key !== 'Enter') return false;
      this.#show();
      return true;
    }
    const found = this.#found();
    const last = Math.min(found.length, shownMax) - 1;
    switch (key) {
      case 'ArrowDown':
        this.active = Math.min(this.active + 1, last);
        return true;
      case 'ArrowUp':
        this.active = Math.max(this.active - 1, 0);
        return true;
      case 'Enter': {
        const choice = found[this.active];
        if (choice !== undefined) this.#choose(choice);
        return true;
      }
      case 'Escape':
        this.#hide();
        return true;
      default:
        return false;
    }
  }

  #choose({ value }: Choice): void {
    this.#hide();
    this.value = value;
    this.dispatchEvent(new CustomEvent('gw-choose', { detail: value, bubbles: true }));
  }
}

customElements.define('gw-combobox', GwCombobox);
