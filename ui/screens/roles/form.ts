// The form of a role, for a new one and for a change: what it is called and what it is for.

import { LitElement, html } from 'lit';
import type { PropertyValues } from 'lit';

import type { ApiFailure } from '../../api/failure.ts';
import type { Role } from '../../api/roles.ts';
import '../../elements/field.ts';
import type { FieldInput } from '../../elements/field.ts';
import '../../elements/form.ts';
import { blankRole, fromRole } from '../../lib/role-draft.ts';
import type { RoleDraft } from '../../lib/role-draft.ts';
import { base } from '../../styles/base.ts';

/** Tells by `gw-submit` with the draft, and by `gw-cancel`. */
export class GwRoleForm extends LitElement {
  static override properties = {
    held: { attribute: false },
    busy: { type: Boolean },
    failure: { attribute: false },
    draft: { state: true },
  };
  static override styles = [base];
  /** The one that is changed; null is a new one. */
  declare held: Role | null;
  declare busy: boolean;
  declare failure: ApiFailure | null;
  declare draft: RoleDraft;
  #filledFrom: number | null = null;

  constructor() {
    super();
    this.held = null;
    this.busy = false;
    this.failure = null;
    this.draft = blankRole;
  }

  /** A record that is loaded anew does not undo what was typed. */
  protected override willUpdate(changed: PropertyValues<this>): void {
    const id = this.held?.id ?? null;
    if (!changed.has('held') || id === this.#filledFrom) return;
    this.#filledFrom = id;
    this.draft = this.held === null ? blankRole : fromRole(this.held);
  }

  protected override render() {
    const isNew = this.held === null;
    return html`<gw-form
      verb=${isNew ? 'Add role' : 'Review change'}
      ?busy=${this.busy}
      .failure=${this.failure}
      @gw-input=${this.#onInput}
      @gw-submit=${this.#submit}
    >
      <gw-field
        name="name"
        label="Name"
        hint=${isNew ? 'Its permissions are granted next' : 'Who holds it keeps it under the new name'}
        required
        .value=${this.draft.name}
      ></gw-field>
      <gw-field
        name="description"
        label="Description"
        type="textarea"
        .value=${this.draft.description}
      ></gw-field>
    </gw-form>`;
  }

  readonly #onInput = ({ detail: { name, value } }: CustomEvent<FieldInput>): void => {
    if (name in this.draft) this.draft = { ...this.draft, [name]: value };
  };

  readonly #submit = (event: Event): void => {
    event.stopPropagation();
    this.dispatchEvent(new CustomEvent('gw-submit', { detail: this.draft }));
  };
}

customElements.define('gw-role-form', GwRoleForm);

declare global {
  interface HTMLElementTagNameMap {
    'gw-role-form': GwRoleForm;
  }
}
