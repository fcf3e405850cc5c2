// The form of a role, for a new one and for a change: what it is called and what it is for.

import { html } from 'lit';

import type { Role } from '../../api/roles.ts';
import { blankRole, fromRole } from '../../lib/role-draft.ts';
import type { RoleDraft } from '../../lib/role-draft.ts';
import { RecordForm } from '../../parts/record-form.ts';
import { changeOf, creationOf } from './saves.ts';

export class GwRoleForm extends RecordForm<Role | null, RoleDraft> {
  protected override draftOf(role: Role | null): RoleDraft {
    return role === null ? blankRole : fromRole(role);
  }

  protected override saveOf(draft: RoleDraft, role: Role | null) {
    return role === null ? creationOf(draft) : changeOf(role, draft);
  }

  protected override fields({ name, description }: RoleDraft, role: Role | null) {
    return html`<gw-field
        name="name"
        label="Name"
        hint=${role === null ? 'Its permissions are granted next' : 'Who holds it keeps it under the new name'}
        required
        .value=${name}
      ></gw-field>
      <gw-field
        name="description"
        label="Description"
        type="textarea"
        .value=${description}
      ></gw-field>`;
  }
}

customElements.define('gw-role-form', GwRoleForm);

declare global {
  interface HTMLElementTagNameMap {
    'gw-role-form': GwRoleForm;
  }
}
