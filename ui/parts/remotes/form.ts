// The form of an MCP server or an agent, for a new one and for a change. Its address is not dialled.

import { html, nothing } from 'lit';
import type { PropertyDeclarations } from 'lit';

import { blankRemote, fromRemote } from '../../lib/remote-draft.ts';
import type { Remote, RemoteDraft } from '../../lib/remote-draft.ts';
import { RecordForm } from '../record-form.ts';
import type { RemoteKind } from './kind.ts';
import { changeOf, creationOf } from './saves.ts';

/** The names of the server's fields, by those of the draft; that of the dialect is the kind's. */
const drafted: Readonly<Record<string, keyof RemoteDraft>> = {
  name: 'name',
  url: 'url',
  description: 'description',
  auth_header: 'authHeader',
  auth_scheme: 'authScheme',
  credential: 'credential',
  upstream_api_key: 'key',
};

export class GwRemoteForm extends RecordForm<Remote | null, RemoteDraft> {
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

  protected override memberOf(field: string): string {
    return field === this.kind.dialect.field ? 'dialect' : (drafted[field] ?? field);
  }

  protected override fields(draft: RemoteDraft, remote: Remote | null) {
    const { kind } = this;
    return html`<gw-field
        name="name"
        label="Name"
        hint="Letters, digits, - and _: a part of paths and grants"
        required
        .value=${draft.name}
      ></gw-field>
      <gw-field name="url" label="Address" mono required .value=${draft.url}></gw-field>
      <gw-field
        name=${kind.dialect.field}
        label=${kind.dialect.label}
        type="select"
        required
        .choices=${kind.dialect.choices.map((value) => ({ value, label: value }))}
        .value=${draft.dialect}
      ></gw-field>
      <gw-field name="description" label="Description" .value=${draft.description}></gw-field>
      ${remote === null ? nothing : this.#credentialChoice(remote)}
      ${
        draft.credential === 'set'
          ? html`<gw-field
              name="upstream_api_key"
              label="Credential"
              type="password"
              hint="Stored encrypted, and never shown again"
              mono
              .value=${draft.key}
            ></gw-field>`
          : nothing
      }
      <div class="pair">
        <gw-field
          name="auth_header"
          label="Header of the credential"
          mono
          required
          .value=${draft.authHeader}
        ></gw-field>
        <gw-field
          name="auth_scheme"
          label="Scheme"
          hint="Empty sends it raw"
          mono
          .value=${draft.authScheme}
        ></gw-field>
      </div>
      <gw-field
        name="enabled"
        label="Enabled"
        type="checkbox"
        .checked=${draft.enabled}
      ></gw-field>`;
  }

  #credentialChoice({ has_upstream_api_key: isSet }: Remote) {
    return html`<gw-field
      name="credential"
      label="What becomes of the credential"
      type="select"
      required
      .choices=${[
        { value: 'keep', label: isSet ? 'Keep the one that is set' : 'Leave it unset' },
        { value: 'set', label: isSet ? 'Replace it' : 'Set one' },
        ...(isSet ? [{ value: 'clear', label: 'Clear it' }] : []),
      ]}
      .value=${this.draft.credential}
    ></gw-field>`;
  }
}

customElements.define('gw-remote-form', GwRemoteForm);

declare global {
  interface HTMLElementTagNameMap {
    'gw-remote-form': GwRemoteForm;
  }
}
