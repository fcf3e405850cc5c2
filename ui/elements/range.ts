// The time range of a view: presets, or two moments in the zone that is shown.

import { LitElement, css, html, nothing } from 'lit';

import { presets, readRange, writeRange } from '../lib/range.ts';
import { zone } from '../state/preferences.ts';
import { base, buttons, controls } from '../styles/base.ts';
import { Watch } from './watch.ts';

export class GwRange extends LitElement {
  static override properties = { value: { type: String }, custom: { state: true } };
  static override styles = [
    base,
    buttons,
    controls,
    css`
      :host {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--space-2);
      }

      select,
      input {
        width: auto !important;
      }

      .zone {
        color: var(--text-2);
        font-size: var(--text-s);
      }
    `,
  ];
  /** As in the address: `24h`, or two times with a slash. Told by `gw-range` when it changes. */
  declare value: string;
  declare custom: boolean;
  readonly #zone = new Watch(this, zone);

  constructor() {
    super();
    this.value = '24h';
    this.custom = false;
  }

  protected override render() {
    const range = readRange(this.value);
    const isCustom = this.custom || range?.kind === 'between';
    return html`<select aria-label="Time range" @change=${this.#choose}>
        ${presets.map(
          ({ text, label }) =>
            html`<option value=${text} ?selected=${!isCustom && text === this.value}>
              ${label}
            </option>`,
        )}
        <option value="custom" ?selected=${isCustom}>Between</option>
      </select>
      ${isCustom ? this.#between() : nothing}
      <span class="zone">${this.#zone.value === 'utc' ? 'UTC' : 'local time'}</span>`;
  }

  #between() {
    const range = readRange(this.value);
    const edges = range?.kind === 'between' ? range : null;
    return html`<input
        type="datetime-local"
        aria-label="From"
        .value=${edges === null ? '' : this.#written(edges.since)}
        @change=${this.#edges}
      />
      <input
        type="datetime-local"
        aria-label="Until"
        .value=${edges === null ? '' : this.#written(edges.until)}
        @change=${this.#edges}
      />`;
  }

  #written(at: number): string {
    const offsetMs = this.#zone.value === 'utc' ? 0 : new Date(at).getTimezoneOffset() * 60_000;
    return new Date(at - offsetMs).toISOString().slice(0, 16);
  }

  readonly #choose = ({ target }: Event): void => {
    if (!(target instanceof HTMLSelectElement)) return;
    this.custom = target.value === 'custom';
    if (!this.custom) this.#tell(target.value);
  };

  readonly #edges = (): void => {
    const suffix = this.#zone.value === 'utc' ? 'Z' : '';
    const [since = NaN, until = NaN] = [...this.renderRoot.querySelectorAll('input')].map(
      ({ value }) => Date.parse(value + suffix),
    );
    if (since < until) this.#tell(writeRange({ kind: 'between', since, until }));
  };

  #tell(detail: string): void {
    this.value = detail;
    this.dispatchEvent(new CustomEvent('gw-range', { detail }));
  }
}

customElements.define('gw-range', GwRange);

declare global {
  interface HTMLElementTagNameMap {
    'gw-range': GwRange;
  }
}
