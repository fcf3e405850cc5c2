// The form of a role, for a new one and for a change: what it is called and what it is for.

import type { Role } from '../../api/records.ts';
import { blankRole, fromRole } from '../../lib/access/role-draft.ts';
import type { RoleDraft } from '../../lib/access/role-draft.ts';
import type { FormRow } from '../../parts/form-rows.ts';
import { RecordForm } from '../../parts/record-form.ts';
import { changeOf, creationOf } from './saves.ts';

class GwRoleForm extends RecordForm<Role | null, RoleDraft> {
  protected override draftOf(role: Role | null): RoleDraft {
    return role === null ? blankRole : fromRole(role);
  }

  protected override saveOf(draft: RoleDraft, role: Role | null) {
    return role === null ? creationOf(draft) : changeOf(role, draft);
  }

  protected override fields(_: RoleDraft, role: Role | null): readonly FormRow<RoleDraft>[] {
    const hint =
      role === null
        ? 'Its permissions are granted next'
        : 'Who holds it keeps it under the new name';
    return [
      { name: 'name', label: 'Name', hint, required: true },
      { name: 'description', label: 'Description', type: 'textarea' },
    ];
  }
}

customElements.define('gw-role-form', GwRoleForm);
