// The notices at the edge of the page. Web Awesome's own would put a style into the page, which its policy forbids. An open drawer has
// them in itself: what lies outside of it can be neither seen nor reached meanwhile.

import { LitElement, css, html, nothing } from 'lit';
import type { TemplateResult } from 'lit';

import type { IconName } from '../icons.ts';
import { createStore } from '../lib/store.ts';
import { dismiss, toasts } from '../state/toasts.ts';
import type { Toast } from '../state/toasts.ts';
import { base, buttons } from '../styles/base.ts';
import './icon.ts';
import { Watch } from './watch.ts';

const icons: Readonly<Record<Toast['tone'], IconName>> = {
  good: 'circle-check',
  bad: 'circle-alert',
  plain: 'info',
};

/** Of all that are in the page the last one shows them, so that each is there once. */
const hosts = createStore<readonly LitElement[]>([]);

export class GwToasts extends LitElement {
  static override styles = [
    base,
    buttons,
    css`
      :host {
        position: fixed;
        right: var(--space-4);
        bottom: var(--space-4);
        z-index: 60;
        display: grid;
        gap: var(--space-2);
        width: min(24rem, calc(100vw - 2rem));
        pointer-events: none;
      }

      li {
        display: flex;
        align-items: flex-start;
        gap: var(--space-2);
        margin-top: var(--space-2);
        padding: var(--space-2) var(--space-2) var(--space-2) var(--space-3);
        border: 1px solid var(--line-strong);
        border-radius: var(--radius-l);
        background: var(--raised);
        box-shadow: var(--shadow-2);
        pointer-events: auto;
      }

      li > gw-icon {
        margin-top: 0.4375rem;
        color: var(--text-2);
      }

      .good > gw-icon {
        color: var(--good);
      }

      .bad > gw-icon {
        color: var(--bad);
      }

      .words {
        flex: 1;
        min-width: 0;
        padding-block: 0.25rem;
        overflow-wrap: anywhere;
      }

      .detail {
        color: var(--text-2);
        font-size: var(--text-s);
      }
    `,
  ];
  readonly #toasts = new Watch(this, toasts);
  readonly #hosts = new Watch(this, hosts);

  override connectedCallback(): void {
    super.connectedCallback();
    hosts.set([...hosts.get(), this]);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    hosts.set(hosts.get().filter((one) => one !== this));
  }

  protected override render(): TemplateResult {
    const shown: readonly Toast[] = this.#hosts.value.at(-1) === this ? this.#toasts.value : [];
    return html`<div role="status">
      <ul>
        ${shown.map((toast) => this.#toast(toast))}
      </ul>
    </div>`;
  }

  #toast({ id, tone, text, detail, action }: Toast) {
    return html`<li class=${tone}>
      <gw-icon name=${icons[tone]}></gw-icon>
      <div class="words">
        ${text}${detail === '' ? nothing : html`<div class="detail">${detail}</div>`}
      </div>
      ${
        action === null
          ? nothing
          : html`<button type="button" @click=${action.run}>${action.label}</button>`
      }
      <button type="button" class="plain icon" aria-label="Dismiss" @click=${() => dismiss(id)}>
        <gw-icon name="x"></gw-icon>
      </button>
    </li>`;
  }
}

customElements.define('gw-toasts', GwToasts);

declare global {
  interface HTMLElementTagNameMap {
    'gw-toasts': GwToasts;
  }
}
