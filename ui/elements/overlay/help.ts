// A question mark that explains a term.

import { css, html } from 'lit';

import { element, text } from '../element.ts';
import { base, buttons } from '../../styles/base.ts';

class GwHelp extends element({
  term: text(''),
  text: text(''),
}) {
  static override styles = [
    base,
    buttons,
    css`
      :host {
        display: inline-block;
        vertical-align: baseline;
      }

      button {
        width: 1rem;
        min-width: 0;
        height: 1rem;
        min-height: 0;
        margin-left: 0.125rem;
        padding: 0;
        border: 1px solid var(--control-line);
        border-radius: 50%;
        background: transparent;
        color: var(--text-2);
        font-size: var(--text-xs);
        font-weight: 600;
        line-height: 1;
      }

      p {
        max-width: 20rem;
        margin: 0;
        padding: var(--space-2) var(--space-3);
        border: 1px solid var(--line-strong);
        border-radius: var(--radius-m);
        background: var(--raised);
        box-shadow: var(--shadow-1);
        color: var(--text);
        font-size: var(--text-s);
        font-weight: 400;
        line-height: 1.45;
        text-align: left;
        text-transform: none;
        white-space: normal;
        inset: auto;
        position-area: bottom span-all;
        position-try-fallbacks: flip-block;
      }
    `,
  ];

  protected override render() {
    return html`<button
        type="button"
        popovertarget="text"
        aria-label="What is ${this.term}?"
        title=${this.text}
      >
        ?
      </button>
      <p id="text" popover>${this.text}</p>`;
  }
}

customElements.define('gw-help', GwHelp);
