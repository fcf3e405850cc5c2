// A drawer next to a list: one record, or a form. The address stores what is open.

import { css, html, nothing } from 'lit';
import type { PropertyValues } from 'lit';

import { nameClosed, nameOpen } from '../../state/names.ts';
import { base, buttons } from '../../styles/base.ts';
import { Overlay, headStyles } from './overlay.ts';
import './toasts.ts';
import '../webawesome.ts';

class GwDrawer extends Overlay {
  static override properties = { ...Overlay.properties, listed: { type: Boolean } };
  static override styles = [
    base,
    buttons,
    headStyles,
    css`
      wa-drawer {
        --size: min(36rem, 100vw);
        --spacing: var(--space-5);
      }

      wa-drawer::part(dialog) {
        border-left: 1px solid var(--line);
        background: var(--surface);
      }

      /* What has the focus is not below the head. */
      wa-drawer::part(body) {
        padding: 0;
        scroll-padding-top: 3.5rem;
      }

      .head {
        position: sticky;
        top: 0;
        z-index: 5;
        margin: 0;
        padding: 0.5rem var(--space-3) 0.5rem var(--space-5);
        border-bottom: 1px solid var(--line);
        background: var(--surface);
      }

      .content {
        padding: var(--space-5);
      }

      @media print {
        wa-drawer::part(dialog) {
          position: absolute;
          inset: 0;
          width: 100%;
          max-width: none;
          height: auto;
          max-height: none;
          overflow: visible;
          border: 0;
          box-shadow: none;
        }

        wa-drawer::part(body) {
          overflow: visible;
        }

        .head {
          position: static;
        }

        .head button,
        .head ::slotted(*),
        gw-toasts {
          display: none;
        }
      }
    `,
  ];

  /** The drawer shows the notifications while it is open. */
  declare listed: boolean;

  constructor() {
    super();
    this.listed = false;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    nameClosed(this);
  }

  protected override updated(changed: PropertyValues<this>): void {
    super.updated(changed);
    if (this.open) nameOpen(this, this.heading);
    else nameClosed(this);
  }

  protected override render() {
    return html`<wa-drawer
      label=${this.heading}
      light-dismiss
      without-header
      .open=${this.open}
      @wa-hide=${this.onHide}
      @wa-after-hide=${this.onHidden}
    >
      ${this.heads(html`<slot name="actions"></slot>`)}
      <div class="content"><slot></slot></div>
      ${this.open ? html`<gw-toasts ?unseen=${this.listed}></gw-toasts>` : nothing}
    </wa-drawer>`;
  }
}

customElements.define('gw-drawer', GwDrawer);
