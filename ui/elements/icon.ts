// An icon of the sprite. It is decorative: text next to it carries the meaning.

import sprite from '#icons?url';
import { css, html } from 'lit';

import { element, text } from './element.ts';
import type { IconName } from '../icons.ts';

class GwIcon extends element({
  name: text<IconName>(),
}) {
  static override styles = css`
    :host {
      display: inline-flex;
      flex: none;
    }

    svg {
      width: 1em;
      height: 1em;
      font-size: 1.1em;
    }
  `;

  protected override render() {
    return html`<svg aria-hidden="true"><use href="${sprite}#${this.name}"></use></svg>`;
  }
}

customElements.define('gw-icon', GwIcon);
