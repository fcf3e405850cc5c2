// The form of a provider, for a new one and for one that is there. The catalogue fills it; the server asks the provider for its models
// before it keeps anything, and what the provider answers is shown as it is.

import { LitElement, css, html, nothing } from 'lit';
import type { PropertyValues } from 'lit';

import type { ApiFailure } from '../../api/failure.ts';
import type { CatalogueEntry, Provider } from '../../api/providers.ts';
import '../../elements/field.ts';
import type { FieldInput } from '../../elements/field.ts';
import '../../elements/form.ts';
import { blankDraft, fromCatalogue, fromProvider } from '../../lib/provider-draft.ts';
import type { ProviderDraft } from '../../lib/provider-draft.ts';
import { base } from '../../styles/base.ts';

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

/** Tells by `gw-submit` with the draft, and by `gw-cancel`. */
export class GwProviderForm extends LitElement {
  static override properties = {
    provider: { attribute: false },
    catalogue: { attribute: false },
    busy: { type: Boolean },
    failure: { attribute: false },
    draft: { state: true },
  };
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
  /** The one that is changed; null is a new one. */
  declare provider: Provider | null;
  declare catalogue: readonly CatalogueEntry[];
  declare busy: boolean;
  declare failure: ApiFailure | null;
  declare draft: ProviderDraft;
  #filledFrom: number | null = null;

  constructor() {
    super();
    this.provider = null;
    this.catalogue = [];
    this.busy = false;
    this.failure = null;
    this.draft = blankDraft;
  }

  /** A record that is loaded anew does not undo what was typed. */
  protected override willUpdate(changed: PropertyValues<this>): void {
    const id = this.provider?.id ?? null;
    if (!changed.has('provider') || id === this.#filledFrom) return;
    this.#filledFrom = id;
    this.draft = this.provider === null ? blankDraft : fromProvider(this.provider);
  }

  protected override render() {
    const { draft, provider } = this;
    const isNew = provider === null;
    return html`<gw-form
      verb=${isNew ? 'Add provider' : 'Review change'}
      busyText="Asking the provider for its models …"
      ?busy=${this.busy}
      .failure=${this.failure}
      @gw-input=${this.#onInput}
      @gw-submit=${this.#submit}
    >
      ${isNew ? this.#catalogue() : nothing}
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
      </div>
    </gw-form>`;
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

  readonly #onInput = ({ detail }: CustomEvent<FieldInput>): void => {
    const member = drafted[detail.name];
    if (member === undefined) return;
    const draft = { ...this.draft, [member]: detail.value };
    const entry = this.catalogue.find(({ key }) => key === detail.value);
    this.draft =
      detail.name === 'catalogue_key' && entry !== undefined ? fromCatalogue(draft, entry) : draft;
  };

  readonly #submit = (event: Event): void => {
    event.stopPropagation();
    this.dispatchEvent(new CustomEvent('gw-submit', { detail: this.draft }));
  };
}

customElements.define('gw-provider-form', GwProviderForm);

declare global {
  interface HTMLElementTagNameMap {
    'gw-provider-form': GwProviderForm;
  }
}
