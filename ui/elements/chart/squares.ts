// Draws many states as squares. The label summarizes them as text.

import { css, html } from 'lit';

import { element, given, text } from '../element.ts';
import { base } from '../../styles/base.ts';

export type Square = Readonly<{ name: string; state: 'up' | 'down' | null }>;

class GwSquares extends element({
  label: text(),
  squares: given<readonly Square[]>([]),
}) {
  static override styles = [
    base,
    css`
      :host {
        display: inline-block;
        vertical-align: middle;
      }

      div {
        display: grid;
        grid-auto-flow: column;
        grid-template-rows: repeat(2, 0.5625rem);
        gap: 2px;
        width: max-content;
      }

      i {
        width: 0.5625rem;
        border: 1px solid var(--line-strong);
        border-radius: 2px;
      }

      .up {
        border-color: var(--good);
        background: var(--good-soft);
      }

      .down {
        border-color: var(--bad);
        background: var(--bad);
      }
    `,
  ];

  protected override render() {
    return html`<div role="img" aria-label=${this.label}>
      ${this.squares.map(
        ({ name, state }) =>
          html`<i class=${state ?? ''} title="${name}: ${state ?? 'not seen'}"></i>`,
      )}
    </div>`;
  }
}

customElements.define('gw-squares', GwSquares);
