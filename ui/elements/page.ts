// The frame of a screen: heading, description, actions and content.

import { css, html, nothing } from 'lit';

import { element, text } from './element.ts';
import { nameClosed, nameOpen } from '../state/names.ts';
import { base } from '../styles/base.ts';
import { left, pageCame } from './overlay/refocus.ts';

export class GwPage extends element({
  heading: text(),
  about: text(''),
}) {
  static override styles = [
    base,
    css`
      :host {
        padding: var(--space-5) var(--space-6) var(--space-8);
      }

      header {
        display: flex;
        flex-wrap: wrap;
        align-items: flex-start;
        justify-content: space-between;
        gap: var(--space-3);
        margin-bottom: var(--space-5);
      }

      .words {
        min-width: 0;
        overflow-wrap: anywhere;
      }

      .about {
        max-width: 60rem;
        margin-top: 0.125rem;
        color: var(--text-2);
      }

      ::slotted([slot='above']) {
        display: inline-flex;
        align-items: center;
        gap: 0.125rem;
        margin-bottom: var(--space-1);
        font-size: var(--text-s);
      }

      .actions {
        display: flex;
        flex-wrap: wrap;
        gap: var(--space-2);
      }

      @media print {
        :host {
          padding: 0;
        }

        .actions {
          display: none;
        }
      }

      @media (max-width: 640px) {
        :host {
          padding: var(--space-4) var(--space-3) var(--space-8);
        }

        header {
          row-gap: 0;
          margin-bottom: var(--space-4);
        }

        .actions {
          flex: 1 1 100%;
          row-gap: 0;
        }

        ::slotted([slot='actions']) {
          margin-top: var(--space-2);
        }
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    pageCame(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    left(this);
    nameClosed(this);
  }

  protected override updated(): void {
    nameOpen(this, this.heading);
  }

  /** After navigation. */
  override focus(): void {
    this.renderRoot.querySelector('h1')?.focus();
  }

  protected override render() {
    return html`
      <header>
        <div class="words">
          <slot name="above"></slot>
          <h1 tabindex="-1">${this.heading}</h1>
          ${this.about === '' ? nothing : html`<p class="about">${this.about}</p>`}
        </div>
        <div class="actions"><slot name="actions"></slot></div>
      </header>
      <slot></slot>
    `;
  }
}

customElements.define('gw-page', GwPage);
