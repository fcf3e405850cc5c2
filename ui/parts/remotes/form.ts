// The form of an MCP server or an agent, for a new one and for a change. Its address is not dialled.

import { LitElement, html, nothing } from 'lit';
import type { PropertyValues } from 'lit';

import type { ApiFailure } from '../../api/failure.ts';
import '../../elements/field.ts';
import type { FieldInput } from '../../elements/field.ts';
import '../../elements/form.ts';
import { blankRemote, fromRemote } from '../../lib/remote-draft.ts';
import type { Remote, RemoteDraft } from '../../lib/remote-draft.ts';
import { base } from '../../styles/base.ts';
import { record } from '../../styles/record.ts';
import type { RemoteKind } from './kind.ts';

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

/** Tells by `gw-submit` with the draft, and by `gw-cancel`. */
export class GwRemoteForm extends LitElement {
  static override properties = {
    kind: { attribute: false },
    remote: { attribute: false },
    busy: { type: Boolean },
    failure: { attribute: false },
    draft: { state: true },
  };
  static override styles = [base, record];
  declare kind: RemoteKind;
  /** The one that is changed; null is a new one. */
  declare remote: Remote | null;
  declare busy: boolean;
  declare failure: ApiFailure | null;
  declare draft: RemoteDraft;
  #filledFrom: number | null | undefined = undefined;

  constructor() {
    super();
    this.remote = null;
    this.busy = false;
    this.failure = null;
    this.draft = blankRemote('');
  }

  /** A record that is loaded anew does not undo what was typed. */
  protected override willUpdate(changed: PropertyValues<this>): void {
    const { remote, kind } = this;
    const id = remote?.id ?? null;
    if (!changed.has('remote') || id === this.#filledFrom) return;
    this.#filledFrom = id;
    this.draft =
      remote === null
        ? blankRemote(kind.dialect.choices[0] ?? '')
        : fromRemote(remote, kind.dialectOf(remote));
  }

  protected override render() {
    const { draft, remote, kind } = this;
    const isNew = remote === null;
    return html`<gw-form
      verb=${isNew ? `Add ${kind.noun}` : 'Review change'}
      ?busy=${this.busy}
      .failure=${this.failure}
      @gw-input=${this.#onInput}
      @gw-submit=${this.#submit}
    >
      <gw-field
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
      ${isNew ? nothing : this.#credentialChoice(remote)}
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
      <gw-field name="enabled" label="Enabled" type="checkbox" .checked=${draft.enabled}></gw-field>
    </gw-form>`;
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

  readonly #onInput = ({ detail }: CustomEvent<FieldInput>): void => {
    const { name, value, checked } = detail;
    const member = name === this.kind.dialect.field ? 'dialect' : drafted[name];
    if (name === 'enabled') this.draft = { ...this.draft, enabled: checked };
    else if (member !== undefined) this.draft = { ...this.draft, [member]: value };
  };

  readonly #submit = (event: Event): void => {
    event.stopPropagation();
    this.dispatchEvent(new CustomEvent('gw-submit', { detail: this.draft }));
  };
}

customElements.define('gw-remote-form', GwRemoteForm);

declare global {
  interface HTMLElementTagNameMap {
    'gw-remote-form': GwRemoteForm;
  }
}
