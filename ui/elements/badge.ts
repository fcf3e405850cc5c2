// A word with a tone. The color only supports the word.

import { css, html } from 'lit';

import { element, reflected, text } from './element.ts';
import { base } from '../styles/base.ts';

export type Tone = 'plain' | 'good' | 'warn' | 'bad' | 'info';

class GwBadge extends element({
  tone: reflected(text<Tone>('plain')),
}) {
  static override styles = [
    base,
    css`
      :host {
        display: inline-flex;
        align-items: center;
        gap: 0.3125rem;
        max-width: 100%;
        height: 1.25rem;
        padding: 0 0.375rem;
        /* Seen where backgrounds are not. */
        border: 1px solid transparent;
        border-radius: 999px;
        background: var(--hover);
        color: var(--text-2);
        font-size: var(--text-s);
        font-weight: 500;
        line-height: 1;
        white-space: nowrap;
      }

      :host::before {
        width: 0.375rem;
        height: 0.375rem;
        border-radius: 50%;
        background: currentcolor;
        content: '';
      }

      :host([tone='plain'])::before {
        display: none;
      }

      :host([tone='good']) {
        background: var(--good-soft);
        color: var(--good);
      }

      :host([tone='warn']) {
        background: var(--warn-soft);
        color: var(--warn);
      }

      :host([tone='bad']) {
        background: var(--bad-soft);
        color: var(--bad);
      }

      :host([tone='info']) {
        background: var(--info-soft);
        color: var(--info);
      }
    `,
  ];

  protected override render() {
    return html`<slot></slot>`;
  }
}

customElements.define('gw-badge', GwBadge);
