// How much of a cap is used, as a bar and in words. Without a cap there is no bar, and it says so.

import { css, html, nothing } from 'lit';

import { element, count, flag, reflected, text } from '../element.ts';
import { shareText, toneOfShare } from '../../lib/access/budget.ts';
import { base } from '../../styles/base.ts';

class GwBar extends element({
  label: text(),
  /** 1 is all of it; null when there is no cap, or what is used is not known. */
  share: count<number | null>(null),
  used: text(''),
  /** Empty is no cap. */
  total: text(''),
  /** The bar above the words, as wide as there is room. */
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
    // A width as an attribute of its own: the page's policy lets no style attribute in.
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
