// The work that waits for the person, and the notifications of this page, including dismissed ones, with their actions.

import { css, html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';

import { element, flag, given, state } from '../elements/element.ts';
import '../elements/overlay/drawer.ts';
import '../elements/empty.ts';
import { noticeStyles, noticeWords } from '../elements/overlay/notice.ts';
import '../elements/time.ts';
import { Watch } from '../elements/watch.ts';
import type { Waiting } from '../extension.ts';
import type { Notice } from '../lib/page/notices.ts';
import { linkTo } from '../state/location.ts';
import { outsideNotices } from '../state/preferences.ts';
import { notices } from '../state/toasts.ts';
import { base, buttons, controls } from '../styles/base.ts';

/** Dispatches `gw-close`. */
class GwNotices extends element({
  open: flag(),
  waiting: given<readonly Waiting[]>([]),
  /** The browser was asked, and denied it. */
  denied: state(false),
}) {
  static override styles = [
    base,
    buttons,
    controls,
    noticeStyles,
    css`
      li {
        display: flex;
        align-items: flex-start;
        gap: var(--space-2);
        padding: var(--space-2) 0;
        border-bottom: 1px solid var(--line);
      }

      li:last-child {
        border-bottom: 0;
      }

      h3 {
        margin-top: var(--space-4);
      }

      h3:first-child {
        margin-top: 0;
      }

      label {
        display: flex;
        align-items: center;
        gap: var(--space-2);
        margin-top: var(--space-4);
        color: var(--text-2);
      }
    `,
  ];
  readonly #notices = new Watch(this, notices);
  readonly #outside = new Watch(this, outsideNotices);

  protected override render() {
    return html`<gw-drawer
      listed
      heading="Notifications"
      ?open=${this.open}
      @gw-close=${this.#close}
    >
      ${
        this.open
          ? html`${this.#waiting()} ${this.#list(this.#notices.value.toReversed())}
            ${this.#asking()}`
          : nothing
      }
    </gw-drawer>`;
  }

  #waiting() {
    if (this.waiting.length === 0) return nothing;
    return html`<h3>Waiting for you</h3>
      <ul>
        ${this.waiting.map(
          ({ text, about, place }) =>
            html`<li>
              <gw-icon name="users-round"></gw-icon>
              <div class="words">
                <a href=${linkTo(place)} @click=${this.#close}>${text}</a>
                <div class="detail">${about}</div>
              </div>
            </li>`,
        )}
      </ul>
      ${this.#notices.value.length === 0 ? nothing : html`<h3>On this page</h3>`}`;
  }

  #asking() {
    if (!('Notification' in globalThis)) return nothing;
    const isOn = this.#outside.value === 'on' && Notification.permission === 'granted';
    return html`<label
        ><input type="checkbox" .checked=${isOn} @change=${this.#onOutside} />Notify me outside of
        this page about work that waits for me</label
      >
      ${this.denied ? html`<p class="quiet">The browser does not allow it for this page.</p>` : nothing}`;
  }

  readonly #onOutside = async ({ target }: Event): Promise<void> => {
    if (!(target instanceof HTMLInputElement)) return;
    const isWanted = target.checked;
    const permission = isWanted ? await Notification.requestPermission() : 'default';
    this.denied = isWanted && permission !== 'granted';
    outsideNotices.set(isWanted && !this.denied ? 'on' : 'off');
    target.checked = outsideNotices.get() === 'on';
  };

  #list(shown: readonly Notice[]) {
    if (shown.length === 0 && this.waiting.length > 0) return nothing;
    if (shown.length === 0) {
      return html`<gw-empty heading="No notifications" icon="bell">
        <span slot="about"
          >Your changes since this page was loaded appear here, with Undo. For earlier changes and
          those of others, see History.</span
        >
      </gw-empty>`;
    }
    return html`<ul>
      ${repeat(
        shown,
        ({ id }) => id,
        (notice) =>
          html`<li class=${notice.tone}>
            ${noticeWords(
              notice,
              html`<div class="detail">
                <gw-time at=${new Date(notice.at).toISOString()}></gw-time>
              </div>`,
            )}
          </li>`,
      )}
    </ul>`;
  }

  readonly #close = (): void => {
    this.dispatchEvent(new CustomEvent('gw-close'));
  };
}

customElements.define('gw-notices', GwNotices);
