// The list of notifications of this page, including dismissed ones, with their actions.

import { css, html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';

import { element, flag } from '../elements/element.ts';
import '../elements/overlay/drawer.ts';
import '../elements/empty.ts';
import { noticeStyles, noticeWords } from '../elements/overlay/notice.ts';
import '../elements/time.ts';
import { Watch } from '../elements/watch.ts';
import type { Notice } from '../lib/page/notices.ts';
import { notices } from '../state/toasts.ts';
import { base, buttons } from '../styles/base.ts';

/** Dispatches `gw-close`. */
class GwNotices extends element({
  open: flag(),
}) {
  static override styles = [
    base,
    buttons,
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
    `,
  ];
  readonly #notices = new Watch(this, notices);

  protected override render() {
    return html`<gw-drawer
      listed
      heading="Notifications"
      ?open=${this.open}
      @gw-close=${this.#close}
    >
      ${this.open ? this.#list(this.#notices.value.toReversed()) : nothing}
    </gw-drawer>`;
  }

  #list(shown: readonly Notice[]) {
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
