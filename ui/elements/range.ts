// The time range of a view: presets, or two moments in the zone that is shown. Where the list of a view can be had of all time, neither
// end is needed.

import { LitElement, css, html, nothing } from 'lit';

import { presets, readEnds, readTypedEnds, writeEnds } from '../lib/range.ts';
import type { End, Ends } from '../lib/range.ts';
import { writeWallTime } from '../lib/wall-time.ts';
import { zone } from '../state/preferences.ts';
import { base, buttons, controls } from '../styles/base.ts';
import { Watch } from './watch.ts';

const ends: readonly Readonly<{ end: End; label: string }>[] = [
  { end: 'since', label: 'From' },
  { end: 'until', label: 'Until' },
];

export class GwRange extends LitElement {
  static override properties = {
    value: { type: String },
    open: { type: Boolean },
    custom: { state: true },
    wrong: { state: true },
  };
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

      select {
        width: auto !important;
      }

      input {
        width: 11.5rem !important;
        font-variant-numeric: tabular-nums;
      }

      @media (max-width: 640px) {
        select,
        input {
          flex: 1 1 9rem;
        }
      }

      .zone {
        color: var(--text-2);
        font-size: var(--text-s);
        white-space: nowrap;
      }

      .wrong {
        flex-basis: 100%;
        color: var(--bad);
        font-size: var(--text-s);
      }
    `,
  ];
  /** As in the address: `24h`, or two times with a slash. Told by `gw-range` when it changes. */
  declare value: string;
  /** Either end may be missing, and both: all time. */
  declare open: boolean;
  declare custom: boolean;
  declare wrong: string;
  readonly #zone = new Watch(this, zone);

  constructor() {
    super();
    this.value = '24h';
    this.open = false;
    this.custom = false;
    this.wrong = '';
  }

  protected override render() {
    const isPreset = presets.some(({ text }) => text === this.value);
    const isCustom = this.custom || (this.value !== '' && !isPreset && /\//.test(this.value));
    return html`<select aria-label="Time range" ?data-filter=${this.open} @change=${this.#choose}>
        ${
          this.open
            ? html`<option value="" ?selected=${!isCustom && this.value === ''}>
                At any time
              </option>`
            : nothing
        }
        ${presets.map(
          ({ text, label }) =>
            html`<option value=${text} ?selected=${!isCustom && text === this.value}>
              ${label}
            </option>`,
        )}
        <option value="custom" ?selected=${isCustom}>Between</option>
      </select>
      ${isCustom ? this.#between() : nothing}
      <span class="zone">${this.#zone.value === 'utc' ? 'UTC' : 'local time'}</span>
      ${this.wrong === '' ? nothing : html`<span class="wrong" role="alert">${this.wrong}</span>`}`;
  }

  #ends(): Ends {
    const isBetween = this.value.includes('/');
    return (isBetween ? readEnds(this.value, Date.now()) : null) ?? { since: null, until: null };
  }

  #between() {
    const held = this.#ends();
    return ends.map(
      ({ end, label }) =>
        html`<input
          name=${end}
          aria-label=${label}
          aria-invalid=${this.wrong.startsWith(label)}
          placeholder="${label} 2026-11-21 14:05"
          autocomplete="off"
          spellcheck="false"
          .value=${this.#written(held[end])}
          @change=${this.#onEnds}
        />`,
    );
  }

  #written(at: number | null): string {
    return at === null ? '' : writeWallTime(at, this.#zone.value);
  }

  readonly #choose = ({ target }: Event): void => {
    if (!(target instanceof HTMLSelectElement)) return;
    this.custom = target.value === 'custom';
    this.wrong = '';
    if (!this.custom) this.#tell(target.value);
  };

  readonly #onEnds = (): void => {
    const held = this.#ends();
    const typed = (end: End): string =>
      this.renderRoot.querySelector<HTMLInputElement>(`input[name=${end}]`)?.value ?? '';
    // What was not touched keeps what the text leaves out.
    const same = (end: End): boolean => typed(end) === this.#written(held[end]);
    const read = readTypedEnds(
      { since: typed('since'), until: typed('until') },
      { zone: this.#zone.value, isOpen: this.open },
    );
    if (read === null) return;
    this.wrong = 'wrong' in read ? read.wrong : '';
    if ('wrong' in read) return;
    this.#tell(
      writeEnds({
        since: same('since') ? held.since : read.since,
        until: same('until') ? held.until : read.until,
      }),
    );
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
