// A button that copies a text and confirms it.

import { css, html } from 'lit';

import { element, state, text } from './element.ts';
import { base, buttons } from '../styles/base.ts';
import { copyText } from './copy-text.ts';
import './icon.ts';

const shownMs = 1_500;

class GwCopy extends element({
  text: text(),
  /** Names the text, such as "key". */
  label: text(''),
  copied: state(false),
}) {
  static override styles = [
    base,
    buttons,
    css`
      :host {
        display: inline-flex;
        /* As high as the line that it stands in, which it does not part. */
        margin-block: -0.25rem;
        vertical-align: middle;
      }

      button {
        width: 1.5rem;
        height: 1.5rem;
        color: var(--text-3);
      }

      @media print {
        :host {
          display: none;
        }
      }

      .done {
        color: var(--good);
      }
    `,
  ];

  protected override render() {
    const name = this.copied ? 'Copied' : `Copy ${this.label}`.trim();
    return html`<button
        type="button"
        class="plain icon ${this.copied ? 'done' : ''}"
        aria-label=${name}
        title=${name}
        @click=${this.#copy}
      >
        <gw-icon name=${this.copied ? 'check' : 'copy'}></gw-icon></button
      ><span class="only-read" role="status">${this.copied ? 'copied' : ''}</span>`;
  }

  readonly #copy = async (event: Event): Promise<void> => {
    event.stopPropagation();
    if (!(await copyText(this.text))) return;
    this.copied = true;
    this.dispatchEvent(new CustomEvent('gw-copied', { bubbles: true, composed: true }));
    setTimeout(() => {
      this.copied = false;
    }, shownMs);
  };
}

customElements.define('gw-copy', GwCopy);
