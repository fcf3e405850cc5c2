// The forms of a principal: for a new one and for a change, and of its password, which is typed twice and kept nowhere but in the form.

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
  hint: "A user's name and address are kept as personal data: encrypted, and erased with the user",
  required: true,
  choices: [
    { value: 'service_account', label: 'Service account: a program' },
    { value: 'user', label: 'User: a person' },
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
        label: 'E-mail',
        hint: typeof principal?.email === 'string' ? 'Empty takes it away' : '',
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
          ? 'Its sessions end with the old password.'
          : 'This is a service account. With a password it becomes a user, a person who can log in here; its keys stay.'
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
      { name: 'again', label: 'Once more', type: 'password', required: true },
    ],
    save: ({ password, again }) =>
      password === again
        ? passwordSave(principal, password)
        : wrong('again', 'differs from the one above'),
  });

/** The password itself is in no table. */
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
