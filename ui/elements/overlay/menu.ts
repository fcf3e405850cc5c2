// A button with a menu. Dispatches `gw-choose` with the chosen value.

import { css, html, nothing } from 'lit';

import { element, flag, given, text } from '../element.ts';
import type { IconName } from '../../icons.ts';
import { base, buttons } from '../../styles/base.ts';
import '../icon.ts';
import '../webawesome.ts';

export type MenuItem = Readonly<{
  value: string;
  label: string;
  icon?: IconName;
  danger?: boolean;
  disabled?: boolean;
  /** For a choice that is on or off instead of an action. */
  checked?: boolean;
}>;

class GwMenu extends element({
  items: given<readonly MenuItem[]>([]),
  /** For screen readers, if there is no text. */
  label: text(),
  icon: text<IconName>(),
  text: text(''),
  plain: flag(),
}) {
  static override styles = [
    base,
    buttons,
    css`
      :host {
        display: inline-block;
      }

      wa-dropdown-item gw-icon {
        color: var(--text-2);
      }
    `,
  ];

  protected override render() {
    return html`<wa-dropdown placement="bottom-end" @wa-select=${this.#choose}>
      <button
        slot="trigger"
        type="button"
        class="${this.plain ? 'plain' : ''} ${this.text === '' ? 'icon' : ''}"
        aria-label=${this.label}
        title=${this.label}
      >
        <gw-icon name=${this.icon}></gw-icon>${this.text}
      </button>
      ${this.items.map(
        (item) =>
          html`<wa-dropdown-item
            value=${item.value}
            type=${item.checked === undefined ? 'normal' : 'checkbox'}
            variant=${item.danger === true ? 'danger' : 'default'}
            ?checked=${item.checked === true}
            ?disabled=${item.disabled === true}
            >${
              item.icon === undefined
                ? nothing
                : html`<gw-icon slot="icon" name=${item.icon}></gw-icon>`
            }${item.label}</wa-dropdown-item
          >`,
      )}
    </wa-dropdown>`;
  }

  readonly #choose = (event: CustomEvent<{ item: { value: string } }>): void => {
    const detail = event.detail.item.value;
    this.dispatchEvent(new CustomEvent('gw-choose', { detail }));
  };
}

customElements.define('gw-menu', GwMenu);
