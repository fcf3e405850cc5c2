// The form by which a model gets its provider: one that stands, or an endpoint, which is asked for its models before it is kept.

import { html, nothing } from 'lit';
import type { PropertyDeclarations } from 'lit';

import type { Provider } from '../../api/providers.ts';
import { attachBody, blankAttach } from '../../lib/backend-draft.ts';
import type { AttachDraft } from '../../lib/backend-draft.ts';
import { RecordForm } from '../../parts/record-form.ts';
import type { ModelRow } from './load.ts';
import { attachSave } from './saves.ts';

const protocols = ['openai', 'anthropic', 'gemini'].map((value) => ({ value, label: value }));

export class GwAttachForm extends RecordForm<ModelRow, AttachDraft> {
  static override properties: PropertyDeclarations = { providers: { attribute: false } };
  declare providers: readonly Provider[];

  protected override draftOf(): AttachDraft {
    return blankAttach;
  }

  protected override saveOf(draft: AttachDraft, model: ModelRow) {
    return attachSave(model, attachBody(draft));
  }

  protected override fields(draft: AttachDraft) {
    const choices = [
      { value: '', label: 'An endpoint of its own' },
      ...this.providers.map(({ id, name }) => ({ value: String(id), label: name })),
    ];
    return html`<gw-field
        name="provider_id"
        label="Provider"
        type="select"
        required
        .choices=${choices}
        .value=${draft.provider_id}
      ></gw-field>
      <gw-field
        name="upstream_model"
        label="Its name there"
        placeholder=${this.row.name}
        hint="Empty is its own name"
        mono
        .value=${draft.upstream_model}
      ></gw-field>
      ${draft.provider_id === '' ? this.#endpoint(draft) : nothing}`;
  }

  #endpoint(draft: AttachDraft) {
    return html`<gw-field
        name="api_base"
        label="Address"
        hint="With the version, such as https://api.example.com/v1. A provider at this address with the same credential is taken"
        mono
        required
        .value=${draft.api_base}
      ></gw-field>
      <gw-field
        name="upstream_api_key"
        label="Key"
        type="password"
        hint="Stored encrypted, and never shown again"
        mono
        .value=${draft.upstream_api_key}
      ></gw-field>
      <gw-field
        name="protocol"
        label="Protocol"
        type="select"
        required
        .choices=${protocols}
        .value=${draft.protocol}
      ></gw-field>
      <div class="pair">
        <gw-field
          name="auth_header"
          label="Header of the credential"
          mono
          required
          .value=${draft.auth_header}
        ></gw-field>
        <gw-field
          name="auth_scheme"
          label="Scheme"
          hint="Empty sends it raw"
          mono
          .value=${draft.auth_scheme}
        ></gw-field>
      </div>`;
  }
}

customElements.define('gw-attach-form', GwAttachForm);

declare global {
  interface HTMLElementTagNameMap {
    'gw-attach-form': GwAttachForm;
  }
}
