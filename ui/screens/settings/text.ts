// Draws the description of a setting in a table cell, on as many lines as it needs.

import { css, html } from 'lit';

import { element, text } from '../../elements/element.ts';
import { base } from '../../styles/base.ts';

class GwSettingText extends element({
  text: text(),
}) {
  static override styles = [
    base,
    css`
      :host {
        display: block;
        min-width: 16rem;
        padding: 0.3125rem 0;
        color: var(--text-2);
        white-space: normal;
      }
    `,
  ];

  protected override render() {
    return html`${this.text}`;
  }
}

customElements.define('gw-setting-text', GwSettingText);
