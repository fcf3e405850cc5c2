// Tabs of a screen, each a link. The address stores the chosen one.

import { css, html } from 'lit';

import { element, given, text } from './element.ts';
import { base } from '../styles/base.ts';
import { showChosen } from './show-chosen.ts';

export type Tab = Readonly<{ value: string; label: string; href: string }>;

class GwTabs extends element({
  label: text(),
  tabs: given<readonly Tab[]>([]),
  chosen: text(''),
}) {
  static override styles = [
    base,
    css`
      :host {
        margin-bottom: var(--space-4);
        border-bottom: 1px solid var(--line);
      }

      nav {
        display: flex;
        gap: var(--space-1);
        overflow-x: auto;
        scrollbar-width: none;
      }

      @media (max-width: 640px) {
        /* Ends in a fade, where there may be more of them. */
        nav {
          padding-right: var(--space-6);
          mask-image: linear-gradient(to left, transparent, black var(--space-6));
        }
      }

      a {
        position: relative;
        flex: none;
        padding: 0.4375rem var(--space-3) 0.5625rem;
        color: var(--text-2);
        font-weight: 500;
      }

      a:first-child {
        padding-left: 0;
      }

      a:hover {
        color: var(--text);
        text-decoration: none;
      }

      a[aria-current] {
        color: var(--text);
      }

      a[aria-current]::after {
        position: absolute;
        right: var(--space-3);
        bottom: 0;
        left: var(--space-3);
        height: 2px;
        border-radius: 2px;
        background: var(--accent);
        content: '';
      }

      a:first-child[aria-current]::after {
        left: 0;
      }
    `,
  ];

  protected override updated(): void {
    showChosen(this.renderRoot);
  }

  protected override render() {
    return html`<nav aria-label=${this.label}>
      ${this.tabs.map(({ value, label, href }) =>
        value === this.chosen
          ? html`<a href=${href} aria-current="page">${label}</a>`
          : html`<a href=${href}>${label}</a>`,
      )}
    </nav>`;
  }
}

customElements.define('gw-tabs', GwTabs);
