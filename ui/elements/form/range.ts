// Chooses a time range: presets or two times. Lists that cover all time need neither end.

import { css, html, nothing } from 'lit';
import type { PropertyValues } from 'lit';

import { element, flag, state, text } from '../element.ts';
import { presets } from '../../lib/page/range.ts';
import { zone } from '../../state/preferences.ts';
import { base, buttons, controls } from '../../styles/base.ts';
import { line } from '../../styles/line.ts';
import { Watch } from '../watch.ts';

class GwRange extends element({
  /** Like the address: `24h`, or two times separated by a slash. A change dispatches `gw-range`. */
  value: text('24h'),
  /** Both ends are optional, and empty means all time. */
  open: flag(),
  custom: state(false),
}) {
  static override styles = [
    base,
    buttons,
    controls,
    line,
    css`
      select {
        width: auto !important;
      }

      .zoned {
        display: inline-flex;
        align-items: center;
        gap: var(--space-2);
      }

      @media (max-width: 640px) {
        :host,
        .zoned {
          flex: 1 1 9rem;
          min-width: 0;
        }

        :host([between]) {
          flex-basis: 100%;
        }

        .zoned select {
          flex: 1 1 auto;
          min-width: 0;
        }
      }

      .zone {
        color: var(--text-2);
        font-size: var(--text-s);
        white-space: nowrap;
      }
    `,
  ];
  readonly #zone = new Watch(this, zone);

  /** A new value from outside replaces typed ends. */
  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('value') && !this.value.includes('/')) this.custom = false;
  }

  /** The two ends take a separate line. */
  protected override updated(): void {
    this.toggleAttribute('between', this.#isCustom());
  }

  #isCustom(): boolean {
    return this.custom || this.value.includes('/');
  }

  protected override render() {
    const isCustom = this.#isCustom();
    const zoned = html`<span class="zone"
      >${this.#zone.value === 'utc' ? 'UTC' : 'local time'}</span
    >`;
    return html`<div class="zoned">
        <select aria-label="Time range" ?data-filter=${this.open} @change=${this.#choose}>
          ${
            this.open
              ? html`<option value="" ?selected=${!isCustom && this.value === ''}>Any time</option>`
              : nothing
          }
          ${this.#other()}
          ${presets.map(
            ({ text, label }) =>
              html`<option value=${text} ?selected=${!isCustom && text === this.value}>
                ${label}
              </option>`,
          )}
          <option value="custom" ?selected=${isCustom}>Custom range</option>
        </select>
        ${isCustom ? nothing : zoned}
      </div>
      ${isCustom ? html`${this.#between()} ${zoned}` : nothing}`;
  }

  /** A preset from the address that is not in the list. */
  #other() {
    const { value } = this;
    const isOffered = presets.some(({ text }) => text === value);
    return value === '' || isOffered || this.#isCustom()
      ? nothing
      : html`<option value=${value} selected>Last ${value}</option>`;
  }

  #between() {
    void import('./range-ends.ts');
    return html`<gw-range-ends
      ?open=${this.open}
      .value=${this.value}
      @gw-ends=${({ detail }: CustomEvent<string>) => this.#tell(detail)}
    ></gw-range-ends>`;
  }

  readonly #choose = ({ target }: Event): void => {
    if (!(target instanceof HTMLSelectElement)) return;
    this.custom = target.value === 'custom';
    if (!this.custom) this.#tell(target.value);
  };

  #tell(detail: string): void {
    this.value = detail;
    this.dispatchEvent(new CustomEvent('gw-range', { detail }));
  }
}

customElements.define('gw-range', GwRange);
