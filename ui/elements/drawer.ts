// What is open beside a list: one record, or the form for a new one. The address says which, so that it can be linked to.

import { css, html } from 'lit';

import { base } from '../styles/base.ts';
import { Overlay } from './overlay.ts';
import './webawesome.ts';

export class GwDrawer extends Overlay {
  static override styles = [
    base,
    css`
      wa-drawer {
        --size: min(36rem, 100vw);
        --spacing: var(--space-5);
      }

      wa-drawer::part(dialog) {
        border-left: 1px solid var(--line);
        background: var(--surface);
      }

      wa-drawer::part(header) {
        border-bottom: 1px solid var(--line);
        padding-block: var(--space-3);
      }

      wa-drawer::part(title) {
        overflow: hidden;
        font-size: var(--text-l);
        font-weight: 600;
        text-overflow: ellipsis;
        white-space: nowrap;
      }

      wa-drawer::part(body) {
        padding: var(--space-5);
      }
    `,
  ];

  protected override render() {
    return html`<wa-drawer
      label=${this.heading}
      light-dismiss
      .open=${this.open}
      @wa-hide=${this.onHide}
      @wa-after-hide=${this.onHidden}
    >
      <slot name="actions" slot="header-actions"></slot>
      <slot></slot>
    </wa-drawer>`;
  }
}

customElements.define('gw-drawer', GwDrawer);

declare global {
  interface HTMLElementTagNameMap {
    'gw-drawer': GwDrawer;
  }
}
