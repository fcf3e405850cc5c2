// The form of a provider, for a new one and for one that is there. The catalogue fills it; the server asks the provider for its models
// before it keeps anything, and what the provider answers is shown as it is.

import { css, html, nothing } from 'lit';
import type { PropertyDeclarations } from 'lit';

import type { CatalogueEntry, Provider } from '../../api/providers.ts';
import type { FieldInput } from '../../elements/field.ts';
import { blankDraft, fromCatalogue, fromProvider } from '../../lib/provider-draft.ts';
import type { ProviderDraft } from '../../lib/provider-draft.ts';
import { RecordForm } from '../../parts/record-form.ts';
import { base } from '../../styles/base.ts';
import { changeOf, creationOf } from './saves.ts';

const protocols = ['openai', 'anthropic', 'gemini'].map((value) => ({ value, label: value }));
const credentialKinds = [
  { value: 'static', label: 'A key' },
  { value: 'cloud_service_account', label: 'The key file of a cloud service account' },
];

/** The names of the server's fields, by those of the draft. */
const drafted: Readonly<Record<string, keyof ProviderDraft>> = {
  name: 'name',
  catalogue_key: 'catalogueKey',
  api_base: 'apiBase',
  protocol: 'protocol',
  auth_header: 'authHeader',
  auth_scheme: 'authScheme',
  credential_kind: 'credentialKind',
  credential: 'credential',
  upstream_api_key: 'key',
};

export class GwProviderForm extends RecordForm<Provider | null, ProviderDraft> {
  static override properties: PropertyDeclarations = { catalogue: { attribute: false } };
  static override styles = [
    base,
    css`
      .pair {
        display: grid;
        grid-template-columns: 1fr 1fr;
        gap: var(--space-3);
      }

      .notes {
        padding: var(--space-2) var(--space-3);
        border-radius: var(--radius-m);
        background: var(--info-soft);
      }
    `,
  ];
  declare catalogue: readonly CatalogueEntry[];

  protected override draftOf(provider: Provider | null): ProviderDraft {
    return provider === null ? blankDraft : fromProvider(provider);
  }

  protected override saveOf(draft: ProviderDraft, provider: Provider | null) {
    return provider === null ? creationOf(draft) : changeOf(provider, draft);
  }

  protected override memberOf(field: string): string {
    return drafted[field] ?? field;
  }

  protected override typed(draft: ProviderDraft, input: FieldInput): ProviderDraft {
    const next = super.typed(draft, input);
    const entry = this.catalogue.find(({ key }) => key === input.value);
    return input.name === 'catalogue_key' && entry !== undefined
      ? fromCatalogue(next, entry)
      : next;
  }

  protected override fields(draft: ProviderDraft, provider: Provider | null) {
    const isNew = provider === null;
    return html`${isNew ? this.#catalogue() : nothing}
      <gw-field
        name="name"
        label="Name"
        placeholder=${isNew ? 'As the catalogue or the address has it' : ''}
        ?required=${!isNew}
        .value=${draft.name}
      ></gw-field>
      <gw-field
        name="api_base"
        label="Address"
        hint="With the version, such as https://api.example.com/v1"
        mono
        required
        .value=${draft.apiBase}
      ></gw-field>
      <div class="pair">
        <gw-field
          name="protocol"
          label="Protocol"
          type="select"
          required
          .choices=${protocols}
          .value=${draft.protocol}
        ></gw-field>
        <gw-field
          name="credential_kind"
          label="Credential"
          type="select"
          required
          .choices=${credentialKinds}
          .value=${draft.credentialKind}
        ></gw-field>
      </div>
      ${isNew ? nothing : this.#credentialChoice(provider)}
      ${draft.credential === 'set' ? this.#key() : nothing}
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
      </div>`;
  }

  #catalogue() {
    const entry = this.catalogue.find(({ key }) => key === this.draft.catalogueKey);
    const choices = [
      { value: '', label: 'None: an address of your own' },
      ...this.catalogue.map(({ key, display_name }) => ({ value: key, label: display_name })),
    ];
    return html`<gw-field
        name="catalogue_key"
        label="From the catalogue"
        type="select"
        hint="Fills in what is known; all of it can be changed"
        .choices=${choices}
        .value=${this.draft.catalogueKey}
      ></gw-field>
      ${typeof entry?.notes === 'string' ? html`<p class="notes">${entry.notes}</p>` : nothing}`;
  }

  #credentialChoice({ has_upstream_api_key }: Provider) {
    const choices = [
      {
        value: 'keep',
        label: has_upstream_api_key ? 'Keep the one that is set' : 'Leave it unset',
      },
      { value: 'set', label: has_upstream_api_key ? 'Replace it' : 'Set one' },
      ...(has_upstream_api_key ? [{ value: 'clear', label: 'Clear it' }] : []),
    ];
    return html`<gw-field
      name="credential"
      label="What becomes of the credential"
      type="select"
      required
      .choices=${choices}
      .value=${this.draft.credential}
    ></gw-field>`;
  }

  #key() {
    const isFile = this.draft.credentialKind === 'cloud_service_account';
    return html`<gw-field
      name="upstream_api_key"
      label=${isFile ? 'Key file' : 'Key'}
      type=${isFile ? 'textarea' : 'password'}
      hint="Stored encrypted, and never shown again"
      mono
      .value=${this.draft.key}
    ></gw-field>`;
  }
}

customElements.define('gw-provider-form', GwProviderForm);

declare global {
  interface HTMLElementTagNameMap {
    'gw-provider-form': GwProviderForm;
  }
}
