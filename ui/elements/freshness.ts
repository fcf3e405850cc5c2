// Shows the age of the data and pauses updates. The address stores the pause.

import { css, html } from 'lit';

import { element, flag, given, reflected } from './element.ts';
import { freshnessText } from '../lib/text/freshness.ts';
import { changeQuery, isPaused, place } from '../state/location.ts';
import { base, buttons } from '../styles/base.ts';
import './icon.ts';
import { Watch } from './watch.ts';

const refreshMs = 1_000;

class GwFreshness extends element({
  /** The time of the last response in epoch milliseconds; null before it. */
  updatedAt: given<number | null>(null),
  loading: reflected(flag()),
}) {
  static override styles = [
    base,
    buttons,
    css`
      :host {
        display: inline-flex;
        align-items: center;
        gap: var(--space-2);
      }

      .age {
        min-width: 8.25rem;
        color: var(--text-2);
        font-size: var(--text-s);
        font-variant-numeric: tabular-nums;
        text-align: right;
        white-space: nowrap;
        transition: opacity var(--quick);
      }

      :host([loading]) .age {
        opacity: 0.6;
      }

      @media (max-width: 640px) {
        .age {
          min-width: 6.75rem;
          text-align: left;
        }

        /* Next to the range. */
        .word {
          display: none;
        }
      }
    `,
  ];
  readonly #place = new Watch(this, place);
  #timer: ReturnType<typeof setInterval> | null = null;

  override connectedCallback(): void {
    super.connectedCallback();
    this.#timer = setInterval(() => {
      if (!document.hidden) this.requestUpdate();
    }, refreshMs);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  protected override render() {
    const stopped = this.#place.value.query['paused'] === '1';
    const text = freshnessText({ updatedAt: this.updatedAt, isPaused: stopped }, Date.now());
    const word = stopped ? 'Resume' : 'Pause';
    return html`<span class="age">${text}</span>
      <button type="button" aria-label=${word} title=${word} @click=${this.#onToggle}>
        <gw-icon name=${stopped ? 'play' : 'pause'}></gw-icon><span class="word">${word}</span>
      </button>`;
  }

  readonly #onToggle = (): void => changeQuery({ paused: isPaused() ? null : '1' });
}

customElements.define('gw-freshness', GwFreshness);
