// The form of a principal, for a new one and for a change.

import { html, nothing } from 'lit';

import { blankPrincipal, fromPrincipal } from '../../lib/principal-draft.ts';
import type { PrincipalDraft } from '../../lib/principal-draft.ts';
import { RecordForm } from '../../parts/record-form.ts';
import type { Known } from './load.ts';
import { changeOf, creationOf } from './saves.ts';

const kinds = [
  { value: 'service_account', label: 'Service account: a program' },
  { value: 'user', label: 'User: a person' },
];

export class GwPrincipalForm extends RecordForm<Known | null, PrincipalDraft> {
  protected override draftOf(principal: Known | null): PrincipalDraft {
    return principal === null ? blankPrincipal : fromPrincipal(principal);
  }

  protected override saveOf(draft: PrincipalDraft, principal: Known | null) {
    return principal === null ? creationOf(draft) : changeOf(principal, draft);
  }

  protected override fields({ name, kind, email }: PrincipalDraft, principal: Known | null) {
    return html`<gw-field name="name" label="Name" required .value=${name}></gw-field>
      ${
        principal === null
          ? html`<gw-field
              name="kind"
              label="Kind"
              type="select"
              hint="A user's name and address are kept as personal data: encrypted, and erased with the user"
              required
              .choices=${kinds}
              .value=${kind}
            ></gw-field>`
          : nothing
      }
      <gw-field
        name="email"
        label="E-mail"
        hint=${typeof principal?.email === 'string' ? 'Empty takes it away' : ''}
        .value=${email}
      ></gw-field>`;
  }
}

customElements.define('gw-principal-form', GwPrincipalForm);

declare global {
  interface HTMLElementTagNameMap {
    'gw-principal-form': GwPrincipalForm;
  }
}
