// Shows notifications at the edge of the page, each announced once. Web Awesome's toasts would add
// a style element, which the content security policy forbids. An open drawer shows them itself,
// because nothing outside of it is accessible.

import { css, html } from 'lit';
import type { LitElement, PropertyValues, TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';

import { element, flag } from '../element.ts';
import { shownOf } from '../../lib/page/notices.ts';
import type { Notice } from '../../lib/page/notices.ts';
import { createStore } from '../../lib/page/store.ts';
import { dismiss, notices } from '../../state/toasts.ts';
import { base, buttons } from '../../styles/base.ts';
import '../icon.ts';
import { noticeStyles, noticeWords } from './notice.ts';
import { Watch } from '../watch.ts';

/** Only the last of several toast elements shows notifications. */
const hosts = createStore<readonly LitElement[]>([]);

class GwToasts extends element({
  /** Only these are announced. */
  unseen: flag(),
}) {
  static override styles = [
    base,
    buttons,
    noticeStyles,
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
    `,
  ];
  readonly #notices = new Watch(this, notices);
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
    const isHost = this.#hosts.value.at(-1) === this;
    const shown = isHost ? shownOf(this.#notices.value) : [];
    return html`<div role="log" aria-label="Notifications" aria-relevant="additions">
      <ul class=${this.unseen ? 'only-read' : ''}>
        ${repeat(
          shown,
          ({ id }) => id,
          (notice) => this.#toast(notice),
        )}
      </ul>
    </div>`;
  }

  #toast(notice: Notice) {
    const { id, tone, text } = notice;
    if (this.unseen) return html`<li>${text}</li>`;
    return html`<li class=${tone}>
      ${noticeWords(notice)}
      <button type="button" class="plain icon" aria-label="Dismiss" @click=${() => dismiss(id)}>
        <gw-icon name="x"></gw-icon>
      </button>
    </li>`;
  }

  /** If the pressed button disappears, the focus moves to the last notification. */
  protected override update(changed: PropertyValues<this>): void {
    const wasWithin = (this.shadowRoot?.activeElement ?? null) !== null;
    super.update(changed);
    if (!wasWithin || this.shadowRoot?.activeElement !== null) return;
    this.renderRoot.querySelector<HTMLElement>('li:last-child .icon')?.focus();
  }
}

customElements.define('gw-toasts', GwToasts);
