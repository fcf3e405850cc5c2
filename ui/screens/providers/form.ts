// Defines the form of a provider. The catalog fills in fields. The server lists the models of the
// provider before it saves, and the form shows the provider's answer.

import { html } from 'lit';

import { call } from '../../api/http/call.ts';
import type { CatalogueEntry, Provider } from '../../api/records.ts';
import type { FieldInput } from '../../elements/form/field.ts';
import { Resource } from '../../elements/resource.ts';
import { orNone } from '../../lib/page/choices.ts';
import { blankDraft, fromCatalogue, fromProvider } from '../../lib/providers/provider-draft.ts';
import type { ProviderDraft } from '../../lib/providers/provider-draft.ts';
import type { FormField, FormRow } from '../../parts/form-rows.ts';
import { RecordForm } from '../../parts/record-form.ts';
import {
  credentialChoice,
  headerFields,
  keyField,
  protocolField,
} from '../../parts/upstream-fields.ts';
import { changeOf, creationOf } from './saves.ts';

const kindField: FormField<ProviderDraft> = {
  name: 'credential_kind',
  label: 'Credential',
  type: 'select',
  required: true,
  choices: [
    { value: 'static', label: 'API key' },
    { value: 'cloud_service_account', label: 'Key file of a cloud service account' },
  ],
};

class GwProviderForm extends RecordForm<Provider | null, ProviderDraft> {
  readonly #known = new Resource(this, async (signal) => {
    const { body } = await call('GET', '/admin/provider-catalogue', { signal });
    return body;
  });

  get #entries(): readonly CatalogueEntry[] {
    return this.#known.value ?? [];
  }

  protected override draftOf(provider: Provider | null): ProviderDraft {
    return provider === null ? blankDraft : fromProvider(provider);
  }

  protected override saveOf(draft: ProviderDraft, provider: Provider | null) {
    return provider === null ? creationOf(draft) : changeOf(provider, draft);
  }

  protected override typed(draft: ProviderDraft, input: FieldInput): ProviderDraft {
    const next = super.typed(draft, input);
    const entry = this.#entries.find(({ key }) => key === input.value);
    return input.name === 'catalogue_key' && entry !== undefined
      ? fromCatalogue(next, entry)
      : next;
  }

  protected override fields(
    draft: ProviderDraft,
    provider: Provider | null,
  ): readonly FormRow<ProviderDraft>[] {
    return [
      ...(provider === null ? this.#catalogue(draft) : []),
      {
        name: 'name',
        label: 'Name',
        placeholder: provider === null ? 'Default: name in the catalog, or the host' : '',
        required: provider !== null,
      },
      {
        name: 'api_base',
        label: 'Address',
        hint: 'Base URL including the version, for example https://api.example.com/v1',
        mono: true,
        required: true,
      },
      { pair: [protocolField, kindField] },
      provider === null ? null : credentialChoice(provider.has_upstream_api_key),
      draft.credential === 'set' ? keyOf(draft) : null,
      headerFields,
    ];
  }

  #catalogue({ catalogue_key }: ProviderDraft): readonly FormRow<ProviderDraft>[] {
    const entry = this.#entries.find(({ key }) => key === catalogue_key);
    const known = this.#entries.map(({ key, display_name }) => ({
      value: key,
      label: display_name,
    }));
    return [
      {
        name: 'catalogue_key',
        label: 'Catalog',
        type: 'select',
        hint: 'Fills in known values. You can edit all of them',
        choices: orNone('Custom endpoint', known),
      },
      typeof entry?.notes === 'string' ? html`<p class="notice">${entry.notes}</p>` : null,
    ];
  }
}

const keyOf = ({ credential_kind }: ProviderDraft): FormRow<ProviderDraft> =>
  credential_kind === 'cloud_service_account'
    ? keyField('Key file', 'textarea')
    : keyField('API key');

customElements.define('gw-provider-form', GwProviderForm);
