// Draws the usage of a limit as a bar and as text. Without a limit it shows only text.

import { css, html, nothing } from 'lit';

import { element, count, flag, reflected, text } from '../element.ts';
import { shareText, toneOfShare } from '../../lib/access/budget.ts';
import { base } from '../../styles/base.ts';

class GwBar extends element({
  label: text(),
  /** From 0 to 1; null if there is no limit or the usage is unknown. */
  share: count<number | null>(null),
  used: text(''),
  /** Empty without a limit. */
  total: text(''),
  /** Draws the bar above the text at full width. */
  stacked: reflected(flag()),
}) {
  static override styles = [
    base,
    css`
      :host {
        display: inline-flex;
        align-items: center;
        gap: var(--space-2);
        max-width: 100%;
        font-variant-numeric: tabular-nums;
      }

      :host([stacked]) {
        display: grid;
        gap: 0.25rem;
      }

      .track {
        flex: none;
        width: 4.5rem;
        height: 0.375rem;
        overflow: hidden;
        border-radius: 999px;
        background: var(--line);
      }

      :host([stacked]) .track {
        width: 100%;
        height: 0.5rem;
      }

      .fill {
        fill: var(--accent);
      }

      .fill.warn {
        fill: var(--warn);
      }

      .fill.bad {
        fill: var(--bad);
      }

      .share {
        color: var(--text-2);
      }

      .share.bad {
        color: var(--bad);
        font-weight: 500;
      }

      .share.warn {
        color: var(--warn);
      }
    `,
  ];

  protected override render() {
    const { share, used, total } = this;
    if (total === '') return html`<span class="quiet">${used} used, unlimited</span>`;
    if (share === null) return html`<span>${total}</span>`;
    const tone = toneOfShare(share);
    // The content security policy forbids style attributes.
    const width = `${Math.min(100, share * 100)}%`;
    return html`<svg
        class="track"
        role="meter"
        aria-label=${this.label}
        aria-valuemin="0"
        aria-valuemax="100"
        aria-valuenow=${Math.min(100, Math.round(share * 100))}
        aria-valuetext="${used} of ${total}"
      >
        <rect class="fill ${tone}" width=${width} height="100%"></rect>
      </svg>
      <span
        >${used} of ${total}
        <span class="share ${tone}">${shareText(share)}</span>
        ${share >= 1 ? html`<span class="only-read">reached</span>` : nothing}</span
      >`;
  }
}

customElements.define('gw-bar', GwBar);
