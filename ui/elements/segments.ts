// Links that filter a list, each with its number of rows.

import { css, html, nothing } from 'lit';

import { element, given, text } from './element.ts';
import { formatNumber } from '../lib/text/format.ts';
import { base } from '../styles/base.ts';
import { showChosen } from './show-chosen.ts';

export type Segment = Readonly<{ value: string; label: string; count: number; href: string }>;

class GwSegments extends element({
  label: text(),
  segments: given<readonly Segment[]>([]),
  chosen: text(''),
}) {
  static override styles = [
    base,
    css`
      nav {
        display: flex;
        gap: 0.125rem;
        overflow-x: auto;
        scrollbar-width: none;
        padding: 0.125rem;
        border: 1px solid var(--line);
        border-radius: var(--radius-m);
        background: var(--sunken);
      }

      a {
        display: inline-flex;
        flex: none;
        align-items: center;
        gap: 0.3125rem;
        min-height: 1.5rem;
        padding: 0 0.5rem;
        border: 1px solid transparent;
        border-radius: var(--radius-s);
        color: var(--text-2);
        font-size: var(--text-s);
        font-weight: 500;
        white-space: nowrap;
      }

      a:hover {
        color: var(--text);
        text-decoration: none;
      }

      a[aria-current] {
        border-color: var(--line);
        background: var(--surface);
        color: var(--text);
      }

      .count {
        color: var(--text-3);
        font-weight: 400;
        font-variant-numeric: tabular-nums;
      }
    `,
  ];

  protected override updated(): void {
    showChosen(this.renderRoot);
  }

  protected override render() {
    return html`<nav aria-label=${this.label}>
      ${this.segments.map(
        ({ value, label, count, href }) =>
          html`<a href=${href} aria-current=${value === this.chosen ? 'true' : nothing}
            >${label}<span class="count">${formatNumber(count)}</span></a
          >`,
      )}
    </nav>`;
  }
}

customElements.define('gw-segments', GwSegments);
