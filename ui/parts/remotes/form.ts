// The form of an MCP server or an agent, for a new one and for a change. Its address is not dialled.

import type { PropertyDeclarations } from 'lit';

import { choicesOf } from '../../lib/page/choices.ts';
import { blankRemote, fromRemote } from '../../lib/providers/remote-draft.ts';
import type { Remote, RemoteDraft } from '../../lib/providers/remote-draft.ts';
import type { FormRow } from '../form-rows.ts';
import { RecordForm } from '../record-form.ts';
import { credentialChoice, headerFields, keyField } from '../upstream-fields.ts';
import type { RemoteKind } from './kind.ts';
import { changeOf, creationOf } from './saves.ts';

class GwRemoteForm extends RecordForm<Remote | null, RemoteDraft> {
  static override properties: PropertyDeclarations = { kind: { attribute: false } };
  declare kind: RemoteKind;

  protected override draftOf(remote: Remote | null): RemoteDraft {
    const { dialect, dialectOf } = this.kind;
    return remote === null
      ? blankRemote(dialect.choices[0] ?? '')
      : fromRemote(remote, dialectOf(remote));
  }

  protected override saveOf(draft: RemoteDraft, remote: Remote | null) {
    return remote === null ? creationOf(this.kind, draft) : changeOf(this.kind, { remote, draft });
  }

  protected override fields(
    draft: RemoteDraft,
    remote: Remote | null,
  ): readonly FormRow<RemoteDraft>[] {
    const { field, label, choices } = this.kind.dialect;
    return [
      {
        name: 'name',
        label: 'Name',
        hint: 'Letters, digits, - and _: a part of paths and grants',
        required: true,
      },
      { name: 'url', label: 'Address', mono: true, required: true },
      {
        name: field,
        member: 'dialect',
        label,
        type: 'select',
        required: true,
        choices: choicesOf(choices),
      },
      { name: 'description', label: 'Description' },
      remote === null ? null : credentialChoice(remote.has_upstream_api_key),
      draft.credential === 'set' ? keyField('Credential') : null,
      headerFields,
      { name: 'enabled', label: 'Enabled', type: 'checkbox' },
    ];
  }
}

customElements.define('gw-remote-form', GwRemoteForm);
