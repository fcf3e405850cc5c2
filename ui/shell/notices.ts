// The notices of this page, those that went away too: what they offer to do about a change can still be done here.

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

/** Tells by `gw-close` that it is to be closed. */
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
      heading="Last notices"
      ?open=${this.open}
      @gw-close=${this.#close}
    >
      ${this.open ? this.#list(this.#notices.value.toReversed()) : nothing}
    </gw-drawer>`;
  }

  #list(shown: readonly Notice[]) {
    if (shown.length === 0) {
      return html`<gw-empty heading="Nothing was said yet" icon="bell">
        <span slot="about"
          >What was saved in this page since it was loaded stands here, with the way to undo it.
          What was done before, or by others, is in the history.</span
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
