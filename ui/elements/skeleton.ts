// Placeholder rows that appear if loading takes long enough to be noticed.

import { LitElement, css, html } from 'lit';

import { base } from '../styles/base.ts';

const rows = Array.from({ length: 8 });

class GwSkeleton extends LitElement {
  static override styles = [
    base,
    css`
      div {
        display: grid;
        gap: var(--space-2);
        animation: come 200ms 150ms backwards;
      }

      i {
        height: 1.75rem;
        border-radius: var(--radius-m);
        background: var(--hover);
      }

      i:first-child {
        width: min(18rem, 100%);
        margin-bottom: var(--space-2);
      }

      @keyframes come {
        from {
          opacity: 0;
        }
      }
    `,
  ];

  protected override render() {
    return html`<div role="status" aria-label="Loading">${rows.map(() => html`<i></i>`)}</div>`;
  }
}

customElements.define('gw-skeleton', GwSkeleton);
