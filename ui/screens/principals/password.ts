// The form of a password. It is typed twice, and kept nowhere but in the form.

import { html } from 'lit';

import type { FormRow } from '../../parts/form-rows.ts';
import { RecordForm } from '../../parts/record-form.ts';
import type { Known } from './load.ts';
import { passwordOf } from './saves.ts';

type PasswordDraft = Readonly<{ password: string; again: string }>;

const differs = { wrong: { field: 'again', message: 'differs from the one above' } } as const;

const rows: readonly FormRow<PasswordDraft>[] = [
  {
    name: 'password',
    label: 'New password',
    type: 'password',
    required: true,
    hint: 'At least 12 characters, and not a common password',
  },
  { name: 'again', label: 'Once more', type: 'password', required: true },
];

class GwPasswordForm extends RecordForm<Known, PasswordDraft> {
  protected override draftOf(): PasswordDraft {
    return { password: '', again: '' };
  }

  protected override saveOf({ password, again }: PasswordDraft, principal: Known) {
    return password === again ? passwordOf(principal, password) : differs;
  }

  protected override lead() {
    const isUser = this.row.kind === 'user';
    return html`<p class="notice ${isUser ? '' : 'warn'}">
      ${
        isUser
          ? 'Its sessions end with the old password.'
          : 'This is a service account. With a password it becomes a user, a person who can log in here; its keys stay.'
      }
    </p>`;
  }

  protected override fields(): readonly FormRow<PasswordDraft>[] {
    return rows;
  }
}

customElements.define('gw-password-form', GwPasswordForm);
