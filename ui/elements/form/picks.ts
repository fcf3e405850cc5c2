// A list made by picking options. Parts can be removed, moved and weighted. Its value has one line
// per part; a weight follows a tab. Dispatches `gw-input`.

import { html, nothing } from 'lit';
import type { PropertyValues } from 'lit';
import { repeat } from 'lit/directives/repeat.js';

import { element, flag, given, reflected, state, text } from '../element.ts';
import { moved } from '../../lib/text/moved.ts';
import { optionsLeft, pickedOf, readPicks, writePicks } from '../../lib/page/picks.ts';
import type { Option, Pick } from '../../lib/page/picks.ts';
import { base, buttons, controls } from '../../styles/base.ts';
import { hints } from '../../styles/hints.ts';
import type { FieldInput } from './field.ts';
import '../icon.ts';
import { picksStyles } from './picks-styles.ts';

export type { Option } from '../../lib/page/picks.ts';

class GwPicks extends element({
  name: reflected(text()),
  label: text(),
  value: text(''),
  hint: text(''),
  error: text(''),
  placeholder: text(''),
  required: flag(),
  ordered: flag(),
  weighted: flag(),
  options: given<readonly Option[]>([]),
  typed: state(''),
  /** For screen readers. */
  announced: state(''),
}) {
  static override styles = [base, buttons, controls, hints, picksStyles];
  #focusNext = '';

  override focus(): void {
    this.renderRoot.querySelector<HTMLElement>('#control')?.focus();
  }

  /** Keeps the focus on the move button of a moved part. */
  protected override updated(_: PropertyValues): void {
    if (this.#focusNext === '') return;
    const button = this.renderRoot.querySelector<HTMLButtonElement>(this.#focusNext);
    this.#focusNext = '';
    if (button?.disabled === true) this.focus();
    else button?.focus();
  }

  #picks(): readonly Pick[] {
    return readPicks(this.value);
  }

  protected override render() {
    const picks = this.#picks();
    const optional = this.required ? nothing : html`<span class="optional">optional</span>`;
    return html`<label class="label" for="control">${this.label}${optional}</label>
      ${
        picks.length === 0
          ? nothing
          : html`<ol class=${this.ordered ? 'ordered' : ''}>
              ${repeat(
                picks,
                ({ value }) => value,
                (pick, index) => this.#pick(pick, index, picks.length),
              )}
            </ol>`
      }
      <div class="add">
        <input
          id="control"
          list="options"
          autocomplete="off"
          spellcheck="false"
          placeholder=${this.placeholder}
          aria-invalid=${this.error === '' ? 'false' : 'true'}
          aria-describedby="hint error"
          .value=${this.typed}
          @input=${this.#onType}
          @keydown=${this.#onKey}
        />
        <datalist id="options">
          ${optionsLeft({ picks, options: this.options }).map(
            ({ label, note }) => html`<option value=${label}>${note ?? nothing}</option>`,
          )}
        </datalist>
        <button type="button" ?disabled=${this.typed.trim() === ''} @click=${this.commit}>
          Add
        </button>
      </div>
      <p class="hint" id="hint" ?hidden=${this.hint === ''}>${this.hint}</p>
      <div id="error" role="alert">
        ${this.error === '' ? nothing : html`<p class="error">${this.error}</p>`}
      </div>
      <span class="only-read" role="status">${this.announced}</span>`;
  }

  #pick({ value, weight }: Pick, index: number, count: number) {
    const option = this.options.find((one) => one.value === value);
    const label = option?.label ?? value;
    return html`<li>
      <span class="name">${label}</span>
      <span class="note">${option === undefined ? 'gone' : (option.note ?? nothing)}</span>
      ${this.weighted ? this.#weight(label, weight, index) : nothing}
      ${
        this.ordered
          ? html`${this.#mover(label, { index, to: index - 1, count })}
            ${this.#mover(label, { index, to: index + 1, count })}`
          : nothing
      }
      <button
        type="button"
        class="plain icon"
        aria-label="Remove ${label}"
        title="Remove"
        @click=${() => this.#set(this.#picks().toSpliced(index, 1), `${label} removed`)}
      >
        <gw-icon name="x"></gw-icon>
      </button>
    </li>`;
  }

  #weight(label: string, weight: string, index: number) {
    return html`<label class="weight"
      >weight
      <input
        inputmode="numeric"
        aria-label="Weight of ${label}"
        .value=${weight}
        @change=${({ target }: Event) => {
          if (!(target instanceof HTMLInputElement)) return;
          this.#set(this.#picks().with(index, { value: this.#at(index), weight: target.value }));
        }}
    /></label>`;
  }

  #at(index: number): string {
    return this.#picks()[index]?.value ?? '';
  }

  #mover(label: string, at: Readonly<{ index: number; to: number; count: number }>) {
    const { index, to, count } = at;
    const isUp = to < index;
    return html`<button
      type="button"
      class="plain icon ${isUp ? 'up' : 'down'}"
      aria-label="Move ${label} ${isUp ? 'up' : 'down'}"
      ?disabled=${to < 0 || to >= count}
      @click=${() => {
        this.#focusNext = `li:nth-child(${to + 1}) .${isUp ? 'up' : 'down'}`;
        this.#set(moved(this.#picks(), index, to), `${label} is number ${to + 1} of ${count}`);
      }}
    >
      <gw-icon name=${isUp ? 'arrow-up' : 'arrow-down'}></gw-icon>
    </button>`;
  }

  #set(picks: readonly Pick[], announced = ''): void {
    this.value = writePicks(picks, { weighted: this.weighted });
    this.error = '';
    this.announced = announced;
    const detail: FieldInput = { name: this.name, value: this.value, checked: false };
    this.dispatchEvent(new CustomEvent('gw-input', { detail, bubbles: true, composed: true }));
  }

  /** An option chosen from the list is added at once; typed text is added by Enter, Add or submit. */
  readonly #onType = (event: Event): void => {
    if (event.target instanceof HTMLInputElement) this.typed = event.target.value;
    this.error = '';
    const isTyped = event instanceof InputEvent && event.inputType !== 'insertReplacementText';
    if (!isTyped) this.commit();
  };

  readonly #onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.isComposing) return;
    event.preventDefault();
    this.commit();
  };

  /**
   * False with an error if the typed text is not an option. Leaving the field adds nothing, because
   * a new row would move the button under the pointer.
   */
  readonly commit = (): boolean => {
    const typed = this.typed.trim();
    if (typed === '') return true;
    const picked = pickedOf(typed, { picks: this.#picks(), options: this.options });
    if ('wrong' in picked) {
      this.error = picked.wrong;
      return false;
    }
    this.typed = '';
    this.#set(picked.picks, `${typed} added`);
    return true;
  };
}

customElements.define('gw-picks', GwPicks);
