// The form of a principal, for a new one and for a change.

import { blankPrincipal, fromPrincipal } from '../../lib/access/principal-draft.ts';
import type { PrincipalDraft } from '../../lib/access/principal-draft.ts';
import type { FormRow } from '../../parts/form-rows.ts';
import { RecordForm } from '../../parts/record-form.ts';
import type { Known } from './load.ts';
import { changeOf, creationOf } from './saves.ts';

const kindField: FormRow<PrincipalDraft> = {
  name: 'kind',
  label: 'Kind',
  type: 'select',
  hint: "A user's name and address are kept as personal data: encrypted, and erased with the user",
  required: true,
  choices: [
    { value: 'service_account', label: 'Service account: a program' },
    { value: 'user', label: 'User: a person' },
  ],
};

class GwPrincipalForm extends RecordForm<Known | null, PrincipalDraft> {
  protected override draftOf(principal: Known | null): PrincipalDraft {
    return principal === null ? blankPrincipal : fromPrincipal(principal);
  }

  protected override saveOf(draft: PrincipalDraft, principal: Known | null) {
    return principal === null ? creationOf(draft) : changeOf(principal, draft);
  }

  protected override fields(
    _: PrincipalDraft,
    principal: Known | null,
  ): readonly FormRow<PrincipalDraft>[] {
    const isClearable = typeof principal?.email === 'string';
    return [
      { name: 'name', label: 'Name', required: true },
      principal === null ? kindField : null,
      { name: 'email', label: 'E-mail', hint: isClearable ? 'Empty takes it away' : '' },
    ];
  }
}

customElements.define('gw-principal-form', GwPrincipalForm);
