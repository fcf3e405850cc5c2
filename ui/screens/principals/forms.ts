// Defines the forms of a principal and of its password. A password is typed twice and kept only in the form.

import { html } from 'lit';

import { calling } from '../../api/http/call.ts';
import {
  blankPrincipal,
  fromPrincipal,
  principalBody,
  principalChange,
} from '../../lib/access/principal-draft.ts';
import type { PrincipalDraft } from '../../lib/access/principal-draft.ts';
import { wrong } from '../../lib/saves/draft.ts';
import { additionOf, changeOf, seen } from '../../lib/saves/save.ts';
import type { Save } from '../../lib/saves/save.ts';
import { recordForm } from '../../parts/form-as-data.ts';
import type { FormRow } from '../../parts/form-rows.ts';
import type { Known } from './load.ts';

const noun = 'principal';

const kindField: FormRow<PrincipalDraft> = {
  name: 'kind',
  label: 'Kind',
  type: 'select',
  hint: 'The name and email of a user are personal data. They are encrypted, and erased when the user is deleted',
  required: true,
  choices: [
    { value: 'service_account', label: 'Service account (program)' },
    { value: 'user', label: 'User (person)' },
  ],
};

export const principalForm = (principal: Known | null) =>
  recordForm<PrincipalDraft>({
    isNew: principal === null,
    draft: principal === null ? blankPrincipal : fromPrincipal(principal),
    fields: () => [
      { name: 'name', label: 'Name', required: true },
      principal === null ? kindField : null,
      {
        name: 'email',
        label: 'Email',
        hint: typeof principal?.email === 'string' ? 'Leave empty to remove the email' : '',
      },
    ],
    save: (draft) => (principal === null ? creation(draft) : change(principal, draft)),
  });

function creation(draft: PrincipalDraft): Save {
  const body = principalBody(draft);
  const run = calling('POST', '/admin/principals', { body });
  return additionOf({ noun, name: body.name }, { after: body, run });
}

function change(principal: Known, draft: PrincipalDraft): Save {
  const { name, email } = principal;
  const body = principalChange(draft, principal);
  const run = calling('PATCH', '/admin/principals/{id}', { ...seen(principal), body });
  return changeOf({ noun, name }, { before: { name, email }, after: body, run });
}

export const passwordForm = (principal: Known) =>
  recordForm({
    draft: { password: '', again: '' },
    lead: html`<p class="notice ${principal.kind === 'user' ? '' : 'warn'}">
      ${
        principal.kind === 'user'
          ? 'All sessions of this user end.'
          : 'This is a service account. A password turns it into a user who can sign in here. Its keys are kept.'
      }
    </p>`,
    fields: () => [
      {
        name: 'password',
        label: 'New password',
        type: 'password',
        required: true,
        hint: 'At least 12 characters, and not a common password',
      },
      { name: 'again', label: 'Repeat password', type: 'password', required: true },
    ],
    save: ({ password, again }) =>
      password === again
        ? passwordSave(principal, password)
        : wrong('again', 'does not match the password above'),
  });

/** The password itself is not part of the diff. */
const passwordSave = (principal: Known, password: string): Save => ({
  heading: `Set a password for ${principal.name}`,
  verb: 'Set password',
  done: `Password of ${principal.name} set`,
  before: { kind: principal.kind },
  after: principal.kind === 'user' ? null : { kind: 'user' },
  run: calling('PUT', '/admin/principals/{id}/password', {
    ...seen(principal),
    body: { password },
  }),
});
