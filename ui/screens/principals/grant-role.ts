// Chooses a role to grant to a principal.

import { css, html } from 'lit';

import { element, given, state } from '../../elements/element.ts';
import '../../elements/form/field.ts';
import type { FieldInput } from '../../elements/form/field.ts';
import { choicesOf, orNone } from '../../lib/page/choices.ts';
import { base, buttons } from '../../styles/base.ts';

/** Sends `gw-grant` with the name of the role. */
class GwGrantRole extends element({
  roles: given<readonly string[]>([]),
  chosen: state(''),
}) {
  static override styles = [
    base,
    buttons,
    css`
      :host {
        display: flex;
        align-items: flex-end;
        gap: var(--space-2);
        margin-top: var(--space-2);
      }

      gw-field {
        flex: 1;
      }
    `,
  ];

  protected override render() {
    return html`<gw-field
        name="role"
        label="Grant a role"
        type="select"
        required
        .choices=${orNone('Choose a role', choicesOf(this.roles))}
        .value=${this.chosen}
        @gw-input=${({ detail }: CustomEvent<FieldInput>) => (this.chosen = detail.value)}
      ></gw-field>
      <button
        type="button"
        ?disabled=${!this.roles.includes(this.chosen)}
        @click=${() => this.dispatchEvent(new CustomEvent('gw-grant', { detail: this.chosen }))}
      >
        Grant
      </button>`;
  }
}

customElements.define('gw-grant-role', GwGrantRole);
