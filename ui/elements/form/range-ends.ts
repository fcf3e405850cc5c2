// The two ends of a time range, typed in the shown zone. Dispatches `gw-ends` if both are valid.

import { css, html, nothing } from 'lit';

import { element, flag, state, text } from '../element.ts';
import { readEnds, writeEnds } from '../../lib/page/range.ts';
import type { Ends } from '../../lib/page/range.ts';
import { readTypedEnds } from '../../lib/page/typed-ends.ts';
import type { End } from '../../lib/page/typed-ends.ts';
import { writeWallTime } from '../../lib/text/wall-time.ts';
import { zone } from '../../state/preferences.ts';
import { base, controls } from '../../styles/base.ts';
import { Watch } from '../watch.ts';

const ends: readonly Readonly<{ end: End; label: string }>[] = [
  { end: 'since', label: 'From' },
  { end: 'until', label: 'Until' },
];

class GwRangeEnds extends element({
  value: text(''),
  open: flag(),
  wrong: state(''),
}) {
  static override styles = [
    base,
    controls,
    css`
      :host {
        display: flex;
        flex-wrap: wrap;
        gap: var(--space-2);
      }

      input {
        width: 11.5rem !important;
        font-variant-numeric: tabular-nums;
      }

      .wrong {
        flex-basis: 100%;
        color: var(--bad);
        font-size: var(--text-s);
      }

      @media (max-width: 640px) {
        :host {
          flex: 1 1 100%;
        }

        input {
          flex: 1 1 9rem;
        }
      }
    `,
  ];
  readonly #zone = new Watch(this, zone);

  #ends(): Ends {
    const isBetween = this.value.includes('/');
    return (isBetween ? readEnds(this.value, Date.now()) : null) ?? { since: null, until: null };
  }

  protected override render() {
    const held = this.#ends();
    return html`${ends.map(
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
    )}${this.wrong === '' ? nothing : html`<span class="wrong" role="alert">${this.wrong}</span>`}`;
  }

  #written(at: number | null): string {
    return at === null ? '' : writeWallTime(at, this.#zone.value);
  }

  readonly #onEnds = (): void => {
    const held = this.#ends();
    const typed = (end: End): string =>
      this.renderRoot.querySelector<HTMLInputElement>(`input[name=${end}]`)?.value ?? '';
    // The text omits the precision of an untouched end.
    const same = (end: End): boolean => typed(end) === this.#written(held[end]);
    const read = readTypedEnds(
      { since: typed('since'), until: typed('until') },
      { zone: this.#zone.value, isOpen: this.open },
    );
    if (read === null) return;
    this.wrong = 'wrong' in read ? read.wrong : '';
    if ('wrong' in read) return;
    const detail = writeEnds({
      since: same('since') ? held.since : read.since,
      until: same('until') ? held.until : read.until,
    });
    this.dispatchEvent(new CustomEvent('gw-ends', { detail }));
  };
}

customElements.define('gw-range-ends', GwRangeEnds);
