// The form by which a model gets its provider: one that stands, or an endpoint, which is asked for its models before it is kept.

import { LitElement, html, nothing } from 'lit';

import type { ApiFailure } from '../../api/failure.ts';
import type { Provider } from '../../api/providers.ts';
import '../../elements/field.ts';
import type { FieldInput } from '../../elements/field.ts';
import '../../elements/form.ts';
import { attachBody, blankAttach } from '../../lib/backend-draft.ts';
import type { AttachDraft } from '../../lib/backend-draft.ts';
import type { Save } from '../../parts/save.ts';
import { base } from '../../styles/base.ts';
import { record } from '../../styles/record.ts';
import type { ModelRow } from './load.ts';
import { attachSave } from './saves.ts';

const protocols = ['openai', 'anthropic', 'gemini'].map((value) => ({ value, label: value }));

/** Tells by `gw-review` with the save, and by `gw-cancel`. */
export class GwAttachForm extends LitElement {
  static override properties = {
    model: { attribute: false },
    providers: { attribute: false },
    failure: { attribute: false },
    draft: { state: true },
  };
  static override styles = [base, record];
  declare model: ModelRow;
  declare providers: readonly Provider[];
  declare failure: ApiFailure | null;
  declare draft: AttachDraft;

  constructor() {
    super();
    this.providers = [];
    this.failure = null;
    this.draft = blankAttach;
  }

  protected override render() {
    const { draft } = this;
    const choices = [
      { value: '', label: 'An endpoint of its own' },
      ...this.providers.map(({ id, name }) => ({ value: String(id), label: name })),
    ];
    return html`<gw-form
      verb="Review"
      .failure=${this.failure}
      @gw-input=${this.#onInput}
      @gw-submit=${this.#submit}
    >
      <gw-field
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
        placeholder=${this.model.name}
        hint="Empty is its own name"
        mono
        .value=${draft.upstream_model}
      ></gw-field>
      ${draft.provider_id === '' ? this.#endpoint() : nothing}
    </gw-form>`;
  }

  #endpoint() {
    const { draft } = this;
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

  readonly #onInput = ({ detail: { name, value } }: CustomEvent<FieldInput>): void => {
    this.draft = { ...this.draft, [name]: value };
  };

  readonly #submit = (event: Event): void => {
    event.stopPropagation();
    const detail = attachSave(this.model, attachBody(this.draft));
    this.dispatchEvent(new CustomEvent<Save>('gw-review', { detail }));
  };
}

customElements.define('gw-attach-form', GwAttachForm);

declare global {
  interface HTMLElementTagNameMap {
    'gw-attach-form': GwAttachForm;
  }
}
